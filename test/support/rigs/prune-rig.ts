/** Sessions that may be deleted, an archive of them, and the results of pruning it. */
import { join } from 'node:path';
import { systemRandom } from '../../../src/base/runtime.js';
import { Intents } from '../../../src/prune/intents.js';
import { LogFacts } from '../../../src/archive/state/log-facts.js';
import type { PlanOptions, PruneChoices } from '../../../src/prune/prune-choices.js';
import type { PrunePlan } from '../../../src/prune/plan/plan-prune.js';
import type { PruneSummary } from '../../../src/prune/prune-summary.js';
import type { PruneResult } from '../../../src/prune/run-prune.js';
import type { EmulatorOptions } from '../../../src/emulator/options.js';
import { asRunId, asUserId } from '../../../src/model/ids.js';
import { ulid } from '../../../src/base/ulid.js';
import { ExportRig, impatient } from './export-rig.js';
import { oldJob } from '../programs/pieced-export.js';
import { planPrune, pruneArchive, type InOneCall } from '../http/one-call.js';

export class PruneRig implements AsyncDisposable {
  private constructor(readonly rig: ExportRig) {}

  static async start(options: EmulatorOptions = {}): Promise<PruneRig> {
    return new PruneRig(await ExportRig.start(options));
  }

  get state(): ExportRig['state'] {
    return this.rig.state;
  }

  get emulator(): ExportRig['emulator'] {
    return this.rig.emulator;
  }

  get out(): string {
    return this.rig.out;
  }

  path(name: string): string {
    return join(this.rig.directory, name);
  }

  /** A session of settled jobs, the first of them with these files. */
  addSession(user: string, id: string, options: { jobs?: number; files?: string[] } = {}): string {
    const { jobs = 2, files = [] } = options;
    const records = Array.from({ length: jobs }, (_, n) =>
      oldJob(this.oldJobId(), n === 0 ? files : []),
    );
    return this.state.addSession(user, { id }, records);
  }

  addSessions(user: string, ids: readonly string[]): void {
    for (const id of ids) this.addSession(user, id);
  }

  /** The session grows by a settled job with these files. */
  grow(user: string, session: string, files: string[] = []): void {
    this.state.addJob(user, session, oldJob(this.oldJobId(), files));
  }

  oldJobId(): string {
    return this.state.newJobId(this.rig.twoDaysAgo());
  }

  /** Sessions that the service still has, of everybody. */
  left(): string[] {
    return this.state.userIds().flatMap((user) => this.state.sessionIds(user));
  }

  get deletesSent(): number {
    return this.emulator.stats.requests.deleteSession;
  }

  async prune(options: Partial<InOneCall<PruneChoices>> = {}): Promise<PruneResult> {
    return pruneArchive({
      archive: this.out,
      baseUrl: this.emulator.baseUrl,
      apiKey: 'demo-key',
      rate: 10_000,
      clock: this.rig.clock,
      random: impatient,
      rules: options.plan ? {} : { all: true },
      ...options,
    });
  }

  /** A run that goes through everything. */
  async pruned(options: Partial<InOneCall<PruneChoices>> = {}): Promise<PruneSummary> {
    const { summary, error } = await this.prune(options);
    if (error !== undefined) throw new Error('the run was broken off', { cause: error });
    return summary;
  }

  async plan(options: Partial<InOneCall<PlanOptions>> = {}): Promise<PrunePlan> {
    return planPrune({ archive: this.out, clock: this.rig.clock, ...options });
  }

  /** What a run leaves that is killed after it has said what it is about to delete. */
  async beginDeletion(user: string, session: string): Promise<void> {
    const archive = await this.rig.open();
    const { clock } = this.rig;
    const { sessions } = await new LogFacts(archive).sessionsOf(asUserId(user));
    const archived = sessions.find((candidate) => candidate.session === session);
    if (!archived) throw new Error(`the archive has no ${session}`);
    const intents = new Intents({ ...archive, clock });
    await intents.write(asRunId(ulid(clock, systemRandom)), archived);
  }

  /** Session and outcome of every row in `deletions`, ordered. */
  async recorded(): Promise<string[]> {
    const rows = await this.rig.rows('deletions');
    return rows.map((row) => `${String(row['session_id'])} ${String(row['outcome'])}`).sort();
  }

  intents(): Promise<string[]> {
    return this.rig.files('_intents');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.rig[Symbol.asyncDispose]();
  }
}

/** Each session with its outcome, and the reason where it was refused. */
export function outcomes({ sessions }: PruneSummary): Record<string, string> {
  return Object.fromEntries(
    sessions.map(({ session, outcome, reason }) => [session, reason ?? outcome]),
  );
}
