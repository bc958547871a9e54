/** The invariants, checked after every step, at every commit, at every DELETE and at the end of every run. The README lists them. */
import {
  archivedSessions,
  fileFault,
  WITHDRAWN,
  type ArchivedSessionRows,
} from './archived-sessions.js';
import { ArchiveView, commitNumberIn, type SimCommit } from './archive-view.js';
import type { DrillReport } from '../../src/restore/drill.js';
import { deltaFault, deltaFaults, deltaTableOf } from './delta-reader.js';
import type { BeforeDelete, Looked } from './network.js';
import { knownUser, rowsKey, sessionOf } from './spellings.js';
import type { SimPlace } from './sim-place.js';
import type { SimService, SimSession } from './sim-service.js';
import { Violation } from './violation.js';

export interface Promised {
  /** Sessions and users that must not be deleted or erased. */
  readonly holds: ReadonlySet<string>;
  /** Whether every commit must be signed. */
  readonly isSigned: boolean;
  /** Whether old answers also change: only a full export detects that. */
  readonly editsOld: boolean;
  /** Whether tables have Delta logs. */
  readonly hasDelta: boolean;
}

export class Invariants {
  /** The scheduler's loop throws the first violation, because the process in which it occurred may catch all errors. */
  readonly violations: Violation[] = [];
  /** Sessions whose erasure has begun, and since when those that are erased are. */
  readonly erased = new Map<string, number | undefined>();
  /** Sessions on hold, since when, without a release that has begun. */
  readonly held = new Map<string, number>();
  /** Sessions whose release has begun, and may not have ended. */
  readonly releasing = new Set<string>();
  /** How often each check ran, so that a test can see that none is unused. */
  readonly checked = {
    commits: 0,
    deletions: 0,
    exports: 0,
    erasures: 0,
    copies: 0,
    holds: 0,
    deltas: 0,
    drills: 0,
  };
  readonly #digests = new Map<number, string>();
  /** Of deleted sessions: what the deleting run had read. */
  readonly #deleted = new Map<SimSession, Looked>();
  #newest = 0;

  constructor(
    readonly service: SimService,
    readonly place: SimPlace,
    readonly promised: Promised,
  ) {}

  /** An object was written or removed. */
  readonly changed = (path: string): void => {
    if (commitNumberIn(path) !== undefined) this.#guarded(() => this.#checkLog());
    const table = this.promised.hasDelta ? deltaTableOf(path) : undefined;
    if (table !== undefined) this.#guarded(() => this.#checkDelta(table));
  };

  #checkDelta(table: string): void {
    this.checked.deltas++;
    const fault = deltaFault(new ArchiveView(this.place), table);
    if (fault !== undefined) throw new Violation('delta', fault);
  }

  /** Every table of an archive with Delta logs is at the newest commit. @throws {Violation} */
  expectDeltaAtHead(): void {
    if (!this.promised.hasDelta) return;
    const [fault] = deltaFaults(new ArchiveView(this.place), 'head');
    if (fault !== undefined) throw new Violation('delta', fault);
  }

  readonly beforeDelete: BeforeDelete = (session, process, { history, meta, user: asked }) => {
    this.#guarded(() => {
      this.checked.deletions++;
      const { user, id } = session;
      if (!process.name.startsWith('prune'))
        throw new Violation('deletes', `${process.name}: ${id}`);
      if (this.#isPromised(id) || this.#isPromised(user)) {
        throw new Violation('held', `${id} is on hold, and deleted`);
      }
      if (history === undefined) throw new Violation('looked', `nobody looked at ${id} since`);
      if (meta === undefined) throw new Violation('looked', `the name of ${id} was not read since`);
      if (history < meta) {
        throw new Violation('looked', `the name of ${id} was read after its history`);
      }
      if ((this.held.get(id) ?? Infinity) < Math.min(history, meta)) {
        throw new Violation('held', `${id} was put on hold before the last look, and is deleted`);
      }
      const looked = { history, meta, user: asked };
      this.#deleted.set(session, looked);
      this.#expectArchived(session, looked, 'deletion');
    });
  };

  /** Whether it is a session on hold, or a user in whatever spelling. */
  #isPromised(id: string): boolean {
    return [...this.promised.holds].some((held) => knownUser(held) === knownUser(id));
  }

  /** After a power loss: objects that were not durable may be gone. */
  powerLost(): void {
    this.#digests.clear();
    this.#newest = 0;
    this.#guarded(() => this.#checkLog());
    if (!this.promised.hasDelta) return;
    const [fault] = deltaFaults(new ArchiveView(this.place));
    if (fault !== undefined) this.violations.push(new Violation('delta', fault));
  }

  /** The hold is in the log: from now on the session must stay in the archive. */
  heldSince(id: string, time: number): void {
    this.checked.holds++;
    this.held.set(id, time);
    this.#guarded(() => this.#checkHeld(new ArchiveView(this.place)));
  }

  #checkHeld(view: ArchiveView): void {
    if (this.held.size === 0) return;
    const { sessions } = archivedSessions(view);
    const archived = new Set([...sessions.keys()].map(sessionOf));
    const gone = [...this.held.keys()].find((id) => !archived.has(id));
    if (gone !== undefined) throw new Violation('held', `${gone} is on hold, and not archived`);
  }

  /** Everything that was there throughout a successful export is in the archive. */
  exportEnded(startedAt: number, users: readonly string[], isFull: boolean): void {
    this.checked.exports++;
    this.#guarded(() => {
      for (const session of this.service.present()) {
        if (session.since > startedAt || this.#isMisreadHidden(session)) continue;
        const isExact = isFull || !this.promised.editsOld;
        const user = users.find((asked) => knownUser(asked) === session.user);
        if (user === undefined) continue;
        const looked = { history: startedAt, meta: startedAt, user };
        this.#expectArchived(session, looked, isExact ? 'export' : 'some');
      }
    });
  }

  #isMisreadHidden(session: SimSession): boolean {
    return this.service.misreads.isHidden(session, ({ id }) => this.erased.has(id));
  }

  /** @param begunAt in `SimService.time`: later jobs may have come after the run */
  eraseEnded(id: string, begunAt: number): void {
    this.checked.erasures++;
    this.erased.set(id, begunAt);
    this.#guarded(() => this.expectErased('others at work'));
  }

  /** Everything was restored as it is archived. */
  drillEnded({ differing, unrecorded }: Pick<DrillReport, 'differing' | 'unrecorded'>): void {
    if (unrecorded === null) this.checked.drills++;
    const [first] = differing;
    if (first) throw new Violation('drill', `restored otherwise: ${JSON.stringify(first)}`);
  }

  /** Every object that the copy's log names exists and is intact. */
  copyEnded(copy: SimPlace): void {
    this.checked.copies++;
    this.#guarded(() => {
      const view = new ArchiveView(copy);
      for (const named of [...view.files.values(), ...view.artifacts.values()]) {
        const fault = view.faultOf(named);
        if (fault !== undefined) throw new Violation('copied', fault);
      }
      const [fault] = deltaFaults(view);
      if (fault !== undefined) throw new Violation('delta', `copy: ${fault}`);
    });
  }

  /** The archive contains nothing of what was erased and is no longer in the service. */
  expectErased(others: 'others at work' | 'alone'): void {
    const gone = this.service.everySession.filter(
      ({ id, gone }) => gone && (this.erased.get(id) ?? -1) > gone.at,
    );
    if (gone.length === 0) return;
    // what was shown as the history of another session is archived as that one's
    const texts = gone.flatMap((session) =>
      this.service.misreads.wasShown(session)
        ? [session.id]
        : [session.id, ...session.jobs.map((job) => job.id)],
    );
    const view = new ArchiveView(this.place);
    // files that a run, possibly on another machine, has published but not committed stay for a day
    const isWaiting = (path: string): boolean =>
      path.startsWith('tables/') && !view.files.has(path) && !view.removed.has(path);
    const named = new Set(view.commits.map(({ snapshot }) => snapshot?.path));
    /** A run that writes it is refused its commit, and removes it; if it dies, the next run does. */
    const isUnnamed = (path: string): boolean =>
      others === 'others at work' &&
      path.startsWith('_snapshots/') &&
      !named.has(path.replace(STATES, '.jsonl.gz'));
    const found = view
      .mentioning(texts)
      .filter((path) => !isWaiting(path) && !isUnnamed(path))
      // another concurrent erasure removes its plan when it detects this one
      .filter((path) => others === 'alone' || !path.startsWith('_erasures/'));
    if (found.length > 0) throw new Violation('erased', `still told in ${found.join(', ')}`);
  }

  /** Every session that we deleted is archived as it was, unless it was erased later. */
  expectDeletedArchived(): void {
    for (const [session, looked] of this.#deleted) {
      this.#expectArchived(session, looked, 'after deletion');
    }
  }

  /** No session has a job of another one that is still there: what it was answered with wrongly has been withdrawn. */
  expectTrueJobs(): void {
    const present = this.service.present();
    const view = new ArchiveView(this.place);
    for (const [key, { jobs }] of archivedSessions(view).sessions) {
      // nobody exports the other spelling of a user any more
      const session = present.find(({ id }) => id === key);
      if (!session || this.#isMisreadHidden(session)) continue;
      for (const [id, versions] of jobs) {
        const isOwn = session.jobs.some((job) => job.id === id);
        if (isOwn || versions.at(-1)?.record === WITHDRAWN) continue;
        throw new Violation('true', `${session.id} has ${id}, which is another session's`);
      }
    }
  }

  /** Every commit is intact, follows the previous one and contains only what the service has shown. */
  #checkLog(): void {
    const view = new ArchiveView(this.place);
    for (const [index, commit] of view.commits.entries()) {
      const { number, digest } = commit;
      if (number !== index + 1) throw new Violation('chain', `there is no commit ${index + 1}`);
      const before = view.commits[index - 1];
      if (before && commit.previous !== before.digest) {
        throw new Violation('chain', `commit ${number} does not follow on ${number - 1}`);
      }
      const known = this.#digests.get(number);
      if (known !== undefined && known !== digest) {
        throw new Violation('chain', `commit ${number} was replaced`);
      }
      this.#digests.set(number, digest);
      if (number > this.#newest) this.#checkCommit(commit, view);
    }
    const isNew = view.newest > this.#newest;
    if (view.newest < this.#newest) throw new Violation('chain', 'the newest commit has gone');
    this.#newest = view.newest;
    if (isNew) this.#checkRows(view);
    if (isNew) this.#checkHeld(view);
  }

  #checkCommit(commit: SimCommit, view: ArchiveView): void {
    this.checked.commits++;
    const { number, run, files, jobs } = commit;
    const artifacts = new Map(view.artifactsIn(files)).values();
    for (const named of [...files, ...artifacts, ...(jobs ? [jobs] : [])]) {
      if (commit.removed.includes(named.path)) continue;
      if (named !== jobs && !view.files.has(named.path) && !view.artifacts.has(named.path))
        continue;
      const fault = view.faultOf(named);
      if (fault !== undefined) throw new Violation('named', `commit ${number}: ${fault}`);
      if (!this.place.isDurable(named.path)) {
        throw new Violation('durable', `commit ${number} names ${named.path}, which is not synced`);
      }
    }
    for (const earlier of view.commits) {
      if (earlier.number < number && earlier.abandoned.includes(run)) {
        throw new Violation('abandoned', `run ${run} commits ${number}, abandoned before`);
      }
    }
    const drilled = commit.drill?.commit ?? number;
    if (view.commits.slice(drilled, number - 1).some(({ erasure }) => erasure !== undefined)) {
      throw new Violation('drill', `commit ${number}: what was restored at ${drilled} was erased`);
    }
    if (this.promised.isSigned && commit.signature === null) {
      throw new Violation('signed', `commit ${number} is not signed`);
    }
  }

  #checkRows(view: ArchiveView): void {
    const { sessions, doubled } = archivedSessions(view);
    if (doubled.length > 0) throw new Violation('doubled', doubled.join(', '));
    for (const [key, { jobs, names }] of sessions) {
      const id = sessionOf(key);
      const session = this.service.everySession.find((one) => one.id === id);
      if (!session) throw new Violation('shown', `session ${id} was never shown`);
      const everyName = new Set(session.meta.values.map(({ value }) => nameIn(value)));
      const wrong = names.find((name) => !everyName.has(name));
      if (wrong !== undefined) throw new Violation('shown', `${id} was never called ${wrong}`);
      for (const [jobId, versions] of jobs) {
        const job = session.jobs.find((one) => one.id === jobId);
        const own = job?.record.values.map(({ value }) => value) ?? [];
        const shown = new Set([...own, ...this.service.misreads.shownIn(session)]);
        for (const [index, { record, version }] of versions.entries()) {
          if (record === WITHDRAWN) continue;
          if (!shown.has(record)) throw new Violation('shown', `${jobId} was never ${record}`);
          const before = versions[index - 1];
          if (before?.record !== record) continue;
          if (before.files.some(({ status }) => status !== 'stored')) continue;
          throw new Violation('once', `version ${version} of ${jobId} is the one before again`);
        }
      }
    }
  }

  /**
   * @param looked each job must be archived as it was then, or has become since; likewise the name
   * @param how strictly, and for which sentence
   */
  #expectArchived(
    session: SimSession,
    { history: jobsSince, meta: metaSince, user }: Looked,
    how: 'deletion' | 'after deletion' | 'export' | 'some',
  ): void {
    if (how !== 'deletion' && this.erased.has(session.id)) return;
    const view = new ArchiveView(this.place);
    const { sessions } = archivedSessions(view);
    const rows = sessions.get(rowsKey(user, session.id));
    const lost = (what: string): Violation => {
      const invariant = how.includes('deletion') ? 'deleted' : 'archived';
      return new Violation(invariant, `${session.id} (${how}): ${what}`);
    };
    if (!rows) throw lost('no row of it');
    // two readings that agree are believed: its jobs are archived as those of the other session, or were, and are
    // withdrawn, under whichever spelling of its user that was seen
    const isMoved = [...sessions].some(([key, { jobs }]) =>
      sessionOf(key) === session.id
        ? [...jobs.values()].some((versions) => versions.at(-1)?.record === WITHDRAWN)
        : session.jobs.some(({ id }) => jobs.has(id)),
    );
    const isOfExport = how === 'export' || how === 'some';
    if (isOfExport && isMoved && this.service.misreads.hasAnswered(session, jobsSince)) return;
    const names = session.meta.since(metaSince).map(nameIn);
    if (!names.includes(rows.names.at(-1) ?? '')) {
      throw lost(`it is archived as "${rows.names.at(-1)}", and called ${names.join(', then ')}`);
    }
    for (const job of session.jobs) {
      if (job.since > jobsSince) continue;
      this.#expectJob(job, rows, { view, since: how === 'some' ? 0 : jobsSince, lost });
    }
  }

  #expectJob(
    job: SimSession['jobs'][number],
    rows: ArchivedSessionRows,
    given: {
      readonly view: ArchiveView;
      readonly since: number;
      readonly lost: (what: string) => Violation;
    },
  ): void {
    const { view, since, lost } = given;
    const last = rows.jobs.get(job.id)?.at(-1);
    if (!last) throw lost(`job ${job.id} is not archived`);
    if (!job.record.since(since).includes(last.record)) {
      throw lost(`job ${job.id} is archived as ${last.record}, and is ${job.record.now}`);
    }
    const fault = fileFault(view, last, this.service.files);
    if (fault !== undefined) throw lost(fault);
  }

  #guarded(check: () => void): void {
    try {
      check();
    } catch (error) {
      if (!(error instanceof Violation)) throw error;
      this.violations.push(error);
    }
  }
}

/** The end of the name of an object with states; before it stands that of the snapshot for which it was written. */
const STATES = /-\d+\.states\.jsonl\.gz$/;

function nameIn(meta: string): string {
  return (JSON.parse(meta) as { readonly name: string }).name;
}
