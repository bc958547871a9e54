/**
 * Reads a session's history, and again if it has jobs of another session, or none of those that were archived before.
 * If that stays so, it is in doubt, and the other one with it: it may have been answered with the history of another
 * session, and its own jobs are archived nowhere.
 */
import {
  hasJobs,
  haveSharedJobs,
  historyOf,
  type HistoryFacts,
  type SessionRef,
} from '../../archive/histories/shared-jobs.js';
import { traceSessions } from '../../archive/reading/selection.js';
import { openDoubt, type SessionState, type JobState } from '../../archive/state/user-state.js';
import { contentHash, textHash } from '../../flatten/content-hash.js';
import { asJobId, asSessionId, asUserId } from '../../model/ids.js';
import type { JobRecord } from '../../model/records.js';
import { BudgetSpentError } from '../../service/pace/request-budget.js';
import { PageGrant, type PageRange } from '../../service/page.js';
import { PageReader, type PlacedRecord } from '../../service/page-reader.js';
import { readAll, type FreshPage } from '../../service/read-all.js';
import { NotFoundError, PagingError } from '../../service/service-errors.js';
import type { ExportRun } from '../export-run.js';
import type { HistoryVerdict } from './changed-history.js';
import {
  bothDoubts,
  doubtOf,
  doubtOfGone,
  doubtOfMissing,
  someOf,
  type Doubt,
} from '../jobs/gap.js';

export interface HistoryReading {
  readonly verdict: HistoryVerdict;
  readonly facts: HistoryFacts;
  /** Ids of the jobs that came. */
  readonly sent: ReadonlySet<string>;
}

export interface OwnHistoryOptions {
  readonly ref: SessionRef;
  readonly known: SessionState | undefined;
  /** Given if this is the second reading already: sessions that had jobs of it the first time. */
  readonly suspects: readonly SessionRef[] | undefined;
  /** @param grant of another page size: another key of a cache */
  readonly read: (grant: PageGrant | undefined) => Promise<HistoryReading>;
}

/** @throws {BudgetSpentError} */
export async function readOwnHistory(
  run: ExportRun,
  { ref, known, suspects, read }: OwnHistoryOptions,
): Promise<HistoryVerdict> {
  const { histories } = run;
  const first = await read(suspects && otherGrant(run));
  let reading = first;
  let others = histories.othersWith(reading.facts);
  const before = known ?? (await knownAsSpelt(run, ref));
  const witnesses = { ref, known: before, beside: histories.witnessOf(ref), suspects };
  let missing = await missingIn(run, reading, witnesses);
  if ((others.length > 0 || missing) && !suspects) {
    // told one by one to those who look: a doubt that the log has comes back each night, and what is new is counted
    if (!openDoubt(before)) histories.newlyStrange++;
    run.archive.logger.info(
      { user: ref.user, session: ref.session, others: others.map(({ session }) => session) },
      others.length > 0
        ? 'the history has jobs of another session; both are read again'
        : 'the history has none of the archived jobs; it is read again',
    );
    reading = await read(otherGrant(run));
    others = histories.othersWith(reading.facts);
    missing = (await missingIn(run, reading, witnesses)) ?? lostSince(run, first, reading, before);
  }
  const { verdict, facts } = reading;
  others.push(...(suspects ?? []));
  const isEstablished = isKnownIn(before, facts);
  const shared: SessionRef[] = missing ? showingLost(run, ref, missing, before) : [];
  const cleared: SessionRef[] = [];
  for (const other of others) {
    if (shared.some(({ session }) => session === other.session)) continue;
    const isKnown = !suspects && histories.isDoubted(other);
    const own = { ...facts, isEstablished: isEstablished && !suspects };
    const isShared = isKnown || !(await isOwn(run, other, own));
    (isShared ? shared : cleared).push(other);
  }
  histories.keep(facts, cleared, isEstablished);
  readLatecomersAgain(run, facts, others);
  for (const other of cleared) histories.readAgain(other);
  const [sharing] = shared;
  if (!sharing) {
    const doubt = bothDoubts(await stillShared(run, facts, known), missing);
    const isClear = !doubt && !verdict.gap && (reading !== first || suspects || openDoubt(known));
    return { ...verdict, doubt, own: isClear ? ownOf(reading, first, known) : undefined };
  }
  for (const other of shared) histories.readAgain(other, ref);
  [ref, ...shared].forEach((session) => histories.doubt(session));
  histories.settle(ref);
  return { ...verdict, doubt: bothDoubts(doubtOf(sharing.session), missing) };
}

/** Sessions that have come with jobs of it while the archive was asked, and did not find this one: both are read again. */
function readLatecomersAgain(
  { histories }: ExportRun,
  facts: HistoryFacts,
  others: readonly SessionRef[],
): void {
  const { user, session } = facts;
  const found = new Set(others.map((other) => other.session));
  for (const late of histories.othersWith(facts)) {
    if (found.has(late.session)) continue;
    histories.readAgain({ user, session }, late);
    histories.readAgain(late, { user, session });
  }
}

/** Whether jobs came that the archive had of the session before the run, without a doubt. */
function isKnownIn(known: SessionState | undefined, { ids }: HistoryFacts): boolean {
  if (!known || openDoubt(known)) return false;
  const own: ReadonlySet<string> = new Set(known.own_jobs ?? known.jobs.keys());
  return [...ids].some((job) => own.has(job));
}

/**
 * Some of the jobs of a history that is the session's own, where others are archived of it, too: from when it was
 * answered with the history of another session. From now on those prove nothing. Undefined where there are none.
 */
function ownOf(
  { sent }: HistoryReading,
  first: HistoryReading,
  known: SessionState | undefined,
): readonly string[] | undefined {
  const archived: string[] = [...first.sent, ...(known?.jobs.keys() ?? [])];
  return archived.every((job) => sent.has(job)) || sent.size === 0 ? undefined : someOf(sent);
}

/**
 * Sessions that came with jobs which this one has lost: one of the two was answered with the history of the other. What
 * is lost stays this one's for the rest of the run, so that a session which comes with it later is noticed, too.
 */
function showingLost(
  { histories }: ExportRun,
  ref: SessionRef,
  { missingJobs = [] }: Doubt,
  known: SessionState | undefined,
): SessionRef[] {
  const named = new Set(missingJobs);
  const all = known ? historyOf(ref.user, ref.session, known) : undefined;
  const isAll = all !== undefined && missingJobs.every((job) => all.whole?.has(job));
  const lost =
    isAll && !openDoubt(known) && !known?.own_jobs ? all : { ...ref, ids: named, whole: undefined };
  const showing = histories.othersWith(lost);
  histories.keep(lost);
  histories.doubt(ref);
  return showing;
}

/**
 * The doubt that jobs which came the first time do not come the second time. What is known from before the run, and
 * comes, shows that the second history is the session's own; and another session may show that they are its jobs.
 */
function lostSince(
  { histories }: ExportRun,
  first: HistoryReading,
  { facts, sent, verdict }: HistoryReading,
  known: SessionState | undefined,
): Doubt | undefined {
  if (verdict.gap || isKnownIn(known, facts)) return undefined;
  const gone = [...first.sent].filter((job) => !sent.has(job));
  const isAll = gone.length === first.sent.size;
  const lost = histories.lostOf({
    ...first.facts,
    ids: gone,
    ...(isAll ? {} : { whole: undefined }),
  });
  return lost.length === 0 ? undefined : doubtOfMissing(someOf(lost));
}

interface Witnesses extends Pick<OwnHistoryOptions, 'ref' | 'known' | 'suspects'> {
  /** What the archive has of the session for another user who lists it, too. */
  readonly beside: SessionState | undefined;
}

/** The doubt that none of the session's archived jobs came. */
async function missingIn(
  run: ExportRun,
  reading: HistoryReading,
  { ref, known, beside, suspects }: Witnesses,
): Promise<Doubt | undefined> {
  const isAboutOther = known !== undefined && beside !== undefined && isInDoubtFor(known, beside);
  const own = isAboutOther ? undefined : await missingOf(run, reading, { ref, known, suspects });
  return own ?? (await missingOf(run, reading, { ref, known: beside, suspects: undefined }));
}

/** Whether a session is in doubt because none of the jobs came that it has for another user. */
export function isInDoubtFor(known: SessionState, { jobs }: SessionState): boolean {
  const missing = openDoubt(known)?.missing_jobs;
  return missing?.every((job) => jobs.has(asJobId(job)) && !known.jobs.has(asJobId(job))) === true;
}

/**
 * Once it is in doubt, what the archive has since may be another session's: one of those that were missing then must
 * come.
 */
async function missingOf(
  run: ExportRun,
  { verdict, sent }: HistoryReading,
  { ref, known, suspects }: Omit<Witnesses, 'beside'>,
): Promise<Doubt | undefined> {
  if (!known) return undefined;
  const doubt = openDoubt(known);
  const hasCome = (job: string): boolean => sent.has(job);
  const missing = doubt?.missing_jobs ?? known.own_jobs;
  if (missing && (doubt || !verdict.gap)) {
    return missing.some(hasCome) ? undefined : doubtOfMissing(missing);
  }
  const archived = [...known.jobs.keys()];
  if (verdict.gap || archived.some(hasCome)) return undefined;
  if (suspects) {
    // what is archived may have come the first time in this run, and be another session's
    const lost = run.histories.lostOf(historyOf(ref.user, ref.session, known));
    return lost.length === 0 ? undefined : doubtOfMissing(someOf(lost));
  }
  const others = await jobsOf(run, doubt?.shared_with);
  const own = archived.filter((job) => !others.has(job));
  return own.length === 0 ? undefined : doubtOfMissing(someOf(own));
}

/**
 * What the archive has of a session under another spelling of its user, if it has it so: ids of sessions are unique in a
 * project. Of one that is new and that another user of the run lists, both are compared at its end.
 */
async function knownAsSpelt(
  { checkpointer, histories }: ExportRun,
  { user, session }: SessionRef,
): Promise<SessionState | undefined> {
  const { index, states } = checkpointer.options.archive;
  for (const other of histories.spellingsOf(user, () => index.users)) {
    const { sessions } = await states.load(other);
    const known = sessions.get(asSessionId(session));
    if (known) return known;
  }
  return undefined;
}

/** The archived jobs of a session in doubt, whose jobs this one may have. */
async function jobsOf(run: ExportRun, session: string | undefined): Promise<ReadonlySet<string>> {
  const jobs = new Set<string>();
  if (session === undefined) return jobs;
  const { archive } = run.checkpointer.options;
  for (const user of await usersOf(run, session)) {
    const { sessions } = await archive.states.load(user);
    for (const job of sessions.get(asSessionId(session))?.jobs.keys() ?? []) jobs.add(job);
  }
  return jobs;
}

/** The doubt of an earlier run, unless both histories were read in this one and differ, and the other has not lost these jobs. */
async function stillShared(
  run: ExportRun,
  facts: HistoryFacts,
  known: SessionState | undefined,
): Promise<Doubt | undefined> {
  const session = openDoubt(known)?.shared_with;
  if (session === undefined) return undefined;
  if (hasJobs(facts) && run.histories.hasRead(session)) return undefined;
  const standings = new Set<Standing['standing']>();
  for (const user of await usersOf(run, session)) {
    const { sessions } = await run.checkpointer.options.archive.states.load(user);
    const lost = openDoubt(sessions.get(asSessionId(session)))?.missing_jobs ?? [];
    const hasLost = lost.some((job) => [...facts.ids].includes(job));
    const { standing } = await standingOf(run, { user, session }, facts);
    standings.add(standing === 'differs' && hasLost ? 'shares' : standing);
  }
  if (standings.has('differs')) return undefined;
  return standings.has('shares') ? doubtOf(session) : doubtOfGone(session);
}

/** Users who have the session in the archive: normally one. */
async function usersOf({ checkpointer, signal }: ExportRun, session: string) {
  const traces = await traceSessions(checkpointer.options.archive.index, [session], { signal });
  return traces.get(asSessionId(session))?.users ?? [];
}

/**
 * Whether a session has its jobs rightly which another one came with before: that one must show others now. And one of the
 * two must show jobs that the archive had of it before this run; otherwise nothing tells which of them was answered with
 * the history of the other, nor when.
 */
async function isOwn(
  run: ExportRun,
  other: SessionRef,
  { isEstablished, ...facts }: HistoryFacts & { readonly isEstablished: boolean },
): Promise<boolean> {
  const { standing, now } = await standingOf(run, other, facts);
  return standing === 'differs' && (isEstablished || run.histories.isEstablishedIn(now));
}

/** What the service shows of another session now: jobs of this one or not, or nothing at all. */
type Standing =
  | { readonly standing: 'differs'; readonly now: HistoryFacts }
  | { readonly standing: 'shares' | 'gone'; readonly now?: undefined };

/** What cannot be read, or comes without a job, has not been shown to be another history. */
async function standingOf(
  run: ExportRun,
  other: SessionRef,
  facts: HistoryFacts,
): Promise<Standing> {
  try {
    const now = await historyNow(run, other);
    const isKnown = now !== undefined && hasJobs(now) && hasJobs(facts);
    return isKnown && !haveSharedJobs(facts, now)
      ? { standing: 'differs', now }
      : { standing: 'shares' };
  } catch (error) {
    if (run.signal.aborted || error instanceof BudgetSpentError) throw error;
    if (error instanceof NotFoundError) return { standing: 'gone' };
    if (run.failures.isFatal(error)) throw error;
    return { standing: 'shares' };
  }
}

/** Undefined unless the history was read to its end. */
async function historyNow(run: ExportRun, ref: SessionRef): Promise<HistoryFacts | undefined> {
  const { service, signal } = run;
  const [userId, sessionId] = [asUserId(ref.user), asSessionId(ref.session)];
  const reader = new PageReader<JobRecord>({
    fetchPage: (range) => service.getHistory({ userId, sessionId, ...range, signal }),
    idOf: (record) => record.job_id,
    grant: otherGrant(run),
    what: `the history of session ${sessionId}`,
    recordsStay: true,
  });
  const whole = new Map<string, string>();
  const pages = readAll(reader);
  for (;;) {
    const step = await pages.next();
    if (step.done) return step.value.gap ? undefined : { ...ref, ids: [...whole.keys()], whole };
    for (const { id, record } of step.value.items) whole.set(id, contentHash(record));
  }
}

/** Pages of another size, which a cache in front of the service keeps apart. */
function otherGrant({ grants }: ExportRun): PageGrant {
  const { size } = grants.history;
  return new PageGrant(size > 2 ? size - 1 : size + 1);
}

/** Notices a job that a history shows twice with different contents, and finds out which of them holds now. */

type Sighting = PlacedRecord<JobRecord>;

/** Of one session in one run. */
export class RepeatedJobs {
  /** Where each job was seen first. */
  readonly #ranges = new Map<string, PageRange>();
  #gap: PagingError | undefined;

  constructor(readonly reader: PageReader<JobRecord>) {}

  /** Every job seen. */
  get ids(): Iterable<string> {
    return this.#ranges.keys();
  }

  /** Undefined unless a job has two contents at once, as far as can be told. */
  get gap(): PagingError | undefined {
    return this.#gap;
  }

  saw({ items }: FreshPage<JobRecord>): void {
    for (const { id, range } of items) this.#ranges.set(id, range);
  }

  /**
   * A job that is sent again with another content has changed meanwhile, or the service shows two at once. The
   * pages of both sightings are read again to tell.
   *
   * @param archived as of the sightings before
   * @returns the job as it is now, where that is not archived
   */
  async newer(again: Sighting, archived: JobState | undefined): Promise<Sighting | undefined> {
    if (!archived || isSame(again, archived)) return undefined;
    const now = new Map<string, Sighting>();
    for (const range of this.#pagesOf(again)) {
      const { items } = await this.reader.read(range);
      for (const item of items) {
        if (item.id === again.id) now.set(contentHash(item.record), item);
      }
    }
    const [current] = now.values();
    if (now.size === 1 && current) return isSame(current, archived) ? undefined : current;
    const { what } = this.reader.options;
    this.#gap ??= new PagingError(
      `${what}: job ${again.id} is listed more than once, with different contents`,
    );
    return undefined;
  }

  /** Each once. */
  #pagesOf({ id, range }: Sighting): PageRange[] {
    const first = this.#ranges.get(id) ?? range;
    const isSamePage = first.pageNumber === range.pageNumber && first.pageSize === range.pageSize;
    return isSamePage ? [range] : [first, range];
  }
}

function isSame({ record }: Sighting, { text_hash: text, hash }: JobState): boolean {
  return (text !== null && text === textHash(record.text)) || hash === contentHash(record);
}
