/**
 * Brings deletions into the archive's log and its `deletions` table, several with one commit. A deletion of a session is a
 * deletion of it under every spelling of its user that lists it: each is recorded.
 */
import type { Archive } from '../archive/archive.js';
import type { CommitScope, DeletionEntry } from '../archive/log/commit.js';
import { planAgain } from '../archive/runs/plan-again.js';
import { RowsToCommit } from '../archive/runs/rows-to-commit.js';
import { LogFacts } from '../archive/state/log-facts.js';
import { groupBy } from '../base/group-by.js';
import { nowMicros } from '../base/runtime.js';
import { archivableRows } from '../flatten/archivable-rows.js';
import { sessionKey, type RunId, type SessionId, type UserId } from '../model/ids.js';
import type { RowOf } from '../model/table-schema.js';
import { deletionsTable } from '../model/tables.js';
import { formatTimestamp } from '../model/times/timestamp.js';
import { eachSessionOnce, foldedUser } from '../model/user-spelling.js';
import type { Intent, Intents } from './intents.js';

/** How a session went: by our DELETE, by that of an earlier run, or without any of ours. */
export type DeletionOutcome = 'confirmed' | 'confirmed-later' | 'already-gone';

export interface DeletionRecord {
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
  readonly runId: RunId;
  readonly scope: CommitScope;
  readonly intents: Intents;
}

/** Until then intents alone remember: each costs the next run a request if this one is killed. */
const BATCH = 100;

const NOT_RECORDED = 'an erasure is not finished: the next prune records what is gone';

interface Waiting extends DeletionRecord {
  readonly deletedAtMs: number;
}

interface Unrecorded {
  readonly deletions: readonly Waiting[];
  /** The newest commit that was read before. */
  readonly base: number;
}

export class DeletionLog {
  /** Numbers of the commits made. */
  readonly commits: number[] = [];
  readonly #exportedAt: bigint;
  #waiting: Waiting[] = [];
  #checkpoint = 0;

  constructor(readonly options: DeletionLogOptions) {
    this.#exportedAt = nowMicros(options.archive.clock);
  }

  async add(deletion: DeletionRecord): Promise<void> {
    this.#waiting.push({ ...deletion, deletedAtMs: this.options.archive.clock.now() });
    if (this.#waiting.length >= BATCH) await this.flush();
  }

  /** Commits what waits; what cannot be committed is still told by its intents. */
  async flush(): Promise<void> {
    if (this.#waiting.length === 0) return;
    const { archive } = this.options;
    await planAgain({ archive, commits: this.commits }, () => this.#commit());
  }

  async #commit(): Promise<void> {
    const { archive, intents } = this.options;
    const waiting = this.#waiting;
    const { deletions, base } = await this.#unrecorded(waiting);
    if (archive.index.openErasures.size > 0) {
      // whom it erases its receipt does not tell: of them nothing may be written down again (I-45 in FORMAT.md)
      this.#waiting = [];
      archive.logger.warn({ sessions: waiting.length }, NOT_RECORDED);
      return;
    }
    if (deletions.length > 0) await this.#append(deletions, base);
    this.#waiting = [];
    for (const { intent } of waiting) if (intent) await intents.remove(intent);
  }

  /** Each session once under each spelling, and none that another run has recorded or erased as of `base`. */
  async #unrecorded(waiting: readonly Waiting[]): Promise<Unrecorded> {
    const { index, states } = this.options.archive;
    const unrecorded = new Map<string, Waiting>();
    const ofPeople = groupBy(waiting, ({ user }) => foldedUser(user));
    await index.refresh();
    let base = index.through;
    for (const user of index.users) {
      const ofPerson = ofPeople.get(foldedUser(user));
      if (!ofPerson) continue;
      const { sessions, through } = await states.load(user);
      base = Math.min(base, through);
      for (const deletion of ofPerson) {
        // nothing may be written down again of what was erased
        const known = sessions.get(deletion.session);
        if (!known || known.deleted) continue;
        if (deletion.outcome === 'already-gone' && known.goneAt !== null) continue;
        const key = sessionKey(user, deletion.session);
        if (deletion.user === user) unrecorded.set(key, deletion);
        else if (!unrecorded.has(key)) unrecorded.set(key, await this.#under(user, deletion));
      }
    }
    return { deletions: [...unrecorded.values()], base };
  }

  /** The same deletion under another spelling: where the session is archived under that one. */
  async #under(user: UserId, deletion: Waiting): Promise<Waiting> {
    const { sessions } = await new LogFacts(this.options.archive).sessionsAsKnown(user);
    const archived = sessions.find(({ session }) => session === deletion.session);
    if (!archived) return { ...deletion, user };
    const { changed, state } = archived;
    return { ...deletion, user, commit: changed.commit, jobCount: state.jobs.size };
  }

  async #append(deletions: readonly Waiting[], base: number): Promise<void> {
    const { archive, runId: run, scope } = this.options;
    const checkpoint = ++this.#checkpoint;
    const day = formatTimestamp(this.#exportedAt).slice(0, 10);
    const parts = new RowsToCommit({ archive, run, checkpoint, day });
    const rows = deletions.map((deletion) => this.#row(deletion));
    const draft = { kind: 'prune', base, scope, deletions: deletions.map(entryOf) } as const;
    try {
      await parts.write(deletionsTable, archivableRows(deletionsTable, rows).rows);
      const { number: commit } = await parts.commit(draft);
      this.commits.push(commit);
      const sessions = eachSessionOnce(deletions).length;
      archive.logger.info({ commit, sessions }, 'deletions recorded');
    } finally {
      await parts.discard();
    }
    await archive.delta.tryPublish(archive.logger);
  }

  #row(deletion: Waiting): RowOf<typeof deletionsTable> {
    return {
      user_id: deletion.user,
      session_id: deletion.session,
      deleted_at: BigInt(Math.floor(deletion.deletedAtMs)) * 1000n,
      commit: BigInt(deletion.commit),
      job_count: deletion.jobCount,
      outcome: deletion.outcome,
      run_id: this.options.runId,
      exported_at: this.#exportedAt,
    };
  }
}

function entryOf({ user, session, commit, jobCount, ...rest }: Waiting): DeletionEntry {
  const { outcome, deletedAtMs } = rest;
  const deletedAt = new Date(deletedAtMs).toISOString();
  return { user, session, deleted_at: deletedAt, commit, job_count: jobCount, outcome };
}
