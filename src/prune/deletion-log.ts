/** Brings deletions into the archive's log and its `deletions` table, several with one commit. */
import type { Archive } from '../archive/archive.js';
import { CommitConflictError } from '../archive/log/commit-conflict-error.js';
import type { CommitScope, DeletionEntry, FileEntry } from '../archive/log/commit.js';
import { PartSet } from '../archive/parts/part-set.js';
import { RunAbandonedError } from '../archive/runs/run-abandoned-error.js';
import { nowMicros, type Clock } from '../base/clock.js';
import { messageOf } from '../base/error.js';
import type { Logger } from '../base/logger.js';
import { archivableRows } from '../flatten/archivable-rows.js';
import type { RowFormat } from '../formats/format.js';
import type { RunId, SessionId, UserId } from '../model/ids.js';
import type { RowOf } from '../model/table-schema.js';
import { deletionsTable } from '../model/tables.js';
import { formatTimestamp } from '../model/timestamp.js';
import { sessionKey } from './archived-session.js';
import type { Intent, Intents } from './intents.js';

/** How a session went: by our DELETE, by that of an earlier run, or without any of ours. */
export type DeletionOutcome = 'confirmed' | 'confirmed-later' | 'already-gone';

export interface Deletion {
  readonly user: UserId;
  readonly session: SessionId;
  /** Where the session is archived. */
  readonly commit: number;
  readonly jobCount: number;
  readonly outcome: DeletionOutcome;
  /** Goes once the log has the deletion. */
  readonly intent: Intent | undefined;
}

export interface DeletionLogOptions {
  readonly archive: Archive;
  readonly formats: readonly RowFormat[];
  readonly run: RunId;
  readonly tool: string;
  readonly scope: CommitScope;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly intents: Intents;
}

/** Until then intents alone remember: each costs the next run a request if this one is killed. */
const BATCH = 100;
/** Commits of others in between, before this run gives way. */
const MAX_CONFLICTS = 20;

interface Waiting extends Deletion {
  readonly deletedAtMs: number;
}

export class DeletionLog {
  /** Numbers of the commits made. */
  readonly commits: number[] = [];
  readonly #exportedAt: bigint;
  #waiting: Waiting[] = [];
  #checkpoint = 0;

  constructor(readonly options: DeletionLogOptions) {
    this.#exportedAt = nowMicros(options.clock);
  }

  async add(deletion: Deletion): Promise<void> {
    this.#waiting.push({ ...deletion, deletedAtMs: this.options.clock.now() });
    if (this.#waiting.length >= BATCH) await this.flush();
  }

  /** Commits what waits; what cannot be committed is still told by its intents. */
  async flush(): Promise<void> {
    for (let conflicts = 0; this.#waiting.length > 0; conflicts++) {
      try {
        await this.#commit();
        return;
      } catch (error) {
        if (!(error instanceof CommitConflictError) || conflicts >= MAX_CONFLICTS) throw error;
        // somebody else has committed these sessions: what they wrote stands, and the sessions are gone all the same
        this.options.logger.warn({ newest: error.newest }, 'another run has committed in between');
      }
    }
  }

  async #commit(): Promise<void> {
    const { archive, intents } = this.options;
    const waiting = this.#waiting;
    const unrecorded = await this.#unrecorded(waiting);
    if (unrecorded.length > 0) await this.#append(unrecorded);
    this.#waiting = [];
    for (const { intent } of waiting) if (intent) await intents.remove(intent);
    for (const user of new Set(unrecorded.map((deletion) => deletion.user))) {
      await archive.states.save(await archive.states.load(user));
    }
  }

  /** Each session once, and none that another run has recorded or erased meanwhile. */
  async #unrecorded(waiting: readonly Waiting[]): Promise<readonly Waiting[]> {
    const { states } = this.options.archive;
    const unrecorded = new Map<string, Waiting>();
    const users = new Set(waiting.map(({ user }) => user));
    for (const user of users) {
      const { sessions } = await states.load(user);
      for (const deletion of waiting) {
        if (deletion.user !== user) continue;
        // of what was erased nothing may be written down again
        if (sessions.get(deletion.session)?.deleted !== false) continue;
        unrecorded.set(sessionKey(user, deletion.session), deletion);
      }
    }
    return [...unrecorded.values()];
  }

  async #append(deletions: readonly Waiting[]): Promise<void> {
    const { archive, formats, run, tool, scope, logger } = this.options;
    const base = archive.index.through;
    const parts = new PartSet({
      storage: archive.storage,
      formats,
      run,
      checkpoint: ++this.#checkpoint,
      withWorkbook: archive.identity.formats.includes('xlsx'),
      day: formatTimestamp(this.#exportedAt).slice(0, 10),
    });
    let mayBeCommitted = false;
    try {
      const rows = deletions.map((of) => this.#row(of));
      await parts.write(deletionsTable, archivableRows(deletionsTable, rows).rows);
      const files: readonly FileEntry[] = await parts.close();
      await parts.publish();
      mayBeCommitted = true;
      const commit = await archive.log.append({
        kind: 'prune',
        base,
        run,
        checkpoint: this.#checkpoint,
        tool,
        scope,
        files,
        deletions: deletions.map(entryOf),
      });
      this.commits.push(commit.number);
      logger.info({ commit: commit.number, sessions: deletions.length }, 'deletions recorded');
    } catch (error) {
      const isRefused = error instanceof CommitConflictError || error instanceof RunAbandonedError;
      if (!mayBeCommitted || isRefused) await this.#withdraw(parts);
      throw error;
    }
  }

  async #withdraw(parts: PartSet): Promise<void> {
    try {
      await parts.withdraw();
    } catch (error) {
      this.options.logger.warn({ reason: messageOf(error) }, 'part files could not be taken back');
    }
  }

  #row(deletion: Waiting): RowOf<typeof deletionsTable> {
    return {
      user_id: deletion.user,
      session_id: deletion.session,
      deleted_at: BigInt(Math.floor(deletion.deletedAtMs)) * 1000n,
      commit: BigInt(deletion.commit),
      job_count: deletion.jobCount,
      outcome: deletion.outcome,
      run_id: this.options.run,
      exported_at: this.#exportedAt,
    };
  }
}

function entryOf({ user, session, commit, jobCount, ...rest }: Waiting): DeletionEntry {
  const { outcome, deletedAtMs } = rest;
  const deletedAt = new Date(deletedAtMs).toISOString();
  return { user, session, deleted_at: deletedAt, commit, job_count: jobCount, outcome };
}
