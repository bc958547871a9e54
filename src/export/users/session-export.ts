/** Brings one session in the archive up to date: reads what may be new, writes what has changed. */
import type { GapEntry } from '../../archive/log/commit.js';
import { FileSettler } from '../../artifacts/file-settler.js';
import { LiveHistory } from '../../artifacts/live-history.js';
import type { StoredFile } from '../../artifacts/artifact-fetcher.js';
import {
  WITHOUT_RESPOND_MS,
  type JobState,
  type SessionState,
} from '../../archive/state/user-state.js';
import { doubtsOf } from '../../archive/state/archived-session.js';
import { asJobId, asSessionId, type UserId } from '../../model/ids.js';
import type { JobRecord, SessionRecord, Verbatim } from '../../model/records.js';
import { earlierNowMs } from '../../service/clock-gap.js';
import { BudgetSpentError } from '../../service/pace/request-budget.js';
import type { PageGrant } from '../../service/page.js';
import { PageReader } from '../../service/page-reader.js';
import { readAll, type FreshPage } from '../../service/read-all.js';
import { readChanges, type HistoryVerdict } from '../history/changed-history.js';
import { JobNumbers } from '../history/job-numbers.js';
import { JobPlaces, type JobPlace } from '../history/job-places.js';
import { RepeatedJobs } from '../history/repeated-jobs.js';
import { decideDoubts, otherGrant, type HistoryReading } from '../history/session-doubts.js';
import type { ExportRun } from '../export-run.js';
import { prepareJob } from '../jobs/job-export.js';
import type { PreparedJob } from '../checkpoint/session-ledger.js';
import { SessionLedger } from '../checkpoint/session-ledger.js';

export interface SessionToExport {
  readonly userId: UserId;
  readonly session: Verbatim<SessionRecord>;
  /** The archived state; undefined for a new session. */
  readonly known: SessionState | undefined;
  /** Whether its history is read whole, although nothing may have changed. */
  readonly isWhole: boolean;
}

export interface SessionOutcome {
  readonly kind: 'new' | 'changed' | 'unchanged' | 'failed';
  /** Job versions written. */
  readonly archived: number;
  /** Archived jobs that stay as they are. */
  readonly unchanged: number;
  readonly gaps: readonly GapEntry[];
  /** Why the history could not be read to its end. */
  readonly error?: unknown;
}

/**
 * Finished jobs stay with the checkpointer, whatever is thrown.
 *
 * @throws only what ends the run, an abort included
 * @throws {BudgetSpentError} the session is left to a later run
 */
export async function exportSession(
  run: ExportRun,
  { userId, session, known, isWhole }: SessionToExport,
): Promise<SessionOutcome> {
  const ledger = new SessionLedger(userId, session, known);
  let read: { readonly verdict: HistoryVerdict; readonly doubts: readonly GapEntry[] } | undefined;
  let failure: { readonly error: unknown } | undefined;
  try {
    read = await exportHistory(run, ledger, isWhole);
    run.failures.succeeded();
  } catch (error) {
    if (error instanceof BudgetSpentError && ledger.archived > 0) {
      await run.checkpointer.closeSession(ledger, { verdict: undefined, failure, run });
    }
    if (run.signal.aborted || error instanceof BudgetSpentError) throw error;
    if (run.failures.isFatal(error)) throw error;
    failure = { error };
  }
  const { verdict, doubts = [] } = read ?? {};
  const hasRow = await run.checkpointer.closeSession(ledger, { verdict, doubts, failure, run });
  run.exported.add({ user: userId, session: session.value.id }, ledger.jobs);
  const isChanged = hasRow || ledger.archived > 0;
  const kind = failure ? 'failed' : !known ? 'new' : isChanged ? 'changed' : 'unchanged';
  const unchanged = [...(known?.jobs ?? [])].filter(
    ([job, { version }]) => ledger.jobs.get(job)?.version === version,
  ).length;
  return { kind, archived: ledger.archived, unchanged, gaps: ledger.gaps, ...failure };
}

/** Archives what is new, and decides what the reading says of the session's doubts. */
async function exportHistory(run: ExportRun, ledger: SessionLedger, isWhole: boolean) {
  const { verdict, reading } = await archiveHistory(run, ledger, isWhole);
  const { doubts, withdrawn } = await decideDoubts(run, ledger, reading);
  await run.checkpointer.withdrawJobs(ledger, withdrawn, run);
  if (reading.isWhole && doubts.length === 0) await settleVanished(run, ledger, reading.sent);
  return { verdict, doubts };
}

/**
 * Settles the jobs that the whole history has no more: no reading can show a change of theirs. A day is what a job
 * without an answer has; whether one has an answer only its rows tell.
 */
async function settleVanished(
  { archive, service, checkpointer }: ExportRun,
  ledger: SessionLedger,
  sent: ReadonlySet<string>,
): Promise<void> {
  const nowMs = earlierNowMs(archive.clock.now(), service.clockGapMs);
  for (const [job, state] of ledger.jobs) {
    const isOver = nowMs - Date.parse(state.seen_at) >= WITHOUT_RESPOND_MS;
    if (state.settled || sent.has(job) || !isOver) continue;
    const place = { user: ledger.userId, session: ledger.session.value.id, job };
    const line = { ...place, ...state, settled: true };
    await checkpointer.addJob(ledger, { line, gaps: ledger.gapsOf(job), toWrite: undefined });
  }
}

/**
 * The next page is read, and its downloads begin, before all files of the previous page have arrived;
 * otherwise connections would be idle. At most two pages are in memory.
 */
async function archiveHistory(
  run: ExportRun,
  ledger: SessionLedger,
  isWhole: boolean,
): Promise<{ readonly verdict: HistoryVerdict; readonly reading: HistoryReading }> {
  const { archive, signal, fetcher, checkpointer } = run;
  const { known } = ledger;
  const isDoubted = doubtsOf(known).length > 0;
  const reader = historyReader(run, ledger, isDoubted ? otherGrant(run) : run.grants.history);
  const history = new LiveHistory(reader);
  const { pool } = checkpointer;
  const accept = (file: StoredFile) => pool.accept(file);
  const settler = new FileSettler({ fetcher, accept, history, clock: archive.clock, signal });
  const places = new JobPlaces(reader);
  const repeated = new RepeatedJobs(reader);
  const numbers = new JobNumbers([...ledger.jobs, ...ledger.withdrawn]);
  const tools = { places, numbers, history, settler, repeated };
  // a job that was withdrawn may come back, on any page
  const isReadWhole =
    isWhole || known?.complete !== true || known.withdrawn.size > 0 || run.settings.full;
  const due = jobsDue(run, ledger);
  const pages = historyPages(reader, ledger, { places, isReadWhole, due });
  let saved = Promise.resolve();
  try {
    for (;;) {
      await fetcher.ready(signal);
      // otherwise the results of one page decide which is read next
      if (!isReadWhole) await saved;
      const step = await pages.next();
      if (step.done) {
        await saved;
        const { value } = step;
        const read: HistoryVerdict = { growth: ledger.growth, ...value };
        const growth = read.growth ?? places.growth;
        const gap = repeated.gap ?? value.gap;
        const sent = new Set(repeated.ids);
        const reading = { sent, isWhole: gap === undefined, firstNumber: numbers.first };
        return { verdict: { ...read, growth, gap }, reading };
      }
      const before = saved;
      const page = step.value;
      const prepared = preparePage(run, ledger, page, tools);
      saved = savePage(run, ledger, prepared, before).then(() =>
        saveRepeated(run, ledger, page, tools),
      );
      saved.catch(() => undefined); // thrown at the await
      await before;
    }
  } finally {
    await saved;
  }
}

function historyPages(
  reader: PageReader<JobRecord>,
  ledger: SessionLedger,
  {
    places,
    isReadWhole,
    due,
  }: Pick<HistoryTools, 'places'> & {
    readonly isReadWhole: boolean;
    readonly due: ReadonlySet<string>;
  },
) {
  const { known, jobs } = ledger;
  if (!known || isReadWhole) return readAll(reader);
  const placeOf = new Map([...jobs.keys()].map((id, place) => [id as string, place]));
  return readChanges(reader, {
    total: known.total,
    growth: known.growth,
    ids: new Set(jobs.keys()),
    positionOf: (id) => places.positionOf(placeOf.get(id) ?? 0),
    due,
    settledHaveChanged: () => ledger.settledHaveChanged,
  });
}

/** The jobs that may have changed, that lack files, or of which images are in doubt. */
function jobsDue({ archive, images }: ExportRun, { jobs }: SessionLedger): ReadonlySet<string> {
  const isDue = (job: JobState): boolean =>
    !job.settled || job.gaps > 0 || images.isDue(job, archive.clock.now());
  return new Set([...jobs].flatMap(([id, job]) => (isDue(job) ? [id] : [])));
}

interface HistoryTools {
  readonly repeated: RepeatedJobs;
  readonly places: JobPlaces;
  readonly numbers: JobNumbers;
  readonly history: LiveHistory;
  readonly settler: FileSettler;
}

/** Prepares all jobs of a page at once, as far as their files allow. */
function preparePage(
  run: ExportRun,
  ledger: SessionLedger,
  page: FreshPage<JobRecord>,
  { places, numbers, repeated, history, settler }: HistoryTools,
): Promise<PreparedJob | undefined>[] {
  const { userId } = ledger;
  const sessionId = asSessionId(ledger.session.value.id);
  const ids = page.items.map(({ id }) => id);
  const found = numbers.numbered(ids, places.placesOn(page));
  repeated.saw(page);
  ledger.saw(ids);
  return page.items.map((item, at) => {
    const place = found[at] as JobPlace;
    const jobId = asJobId(item.id);
    const known = ledger.jobs.get(jobId);
    const withdrawn = ledger.withdrawn.get(jobId);
    const knownGaps = ledger.gapsOf(jobId);
    const job = { userId, sessionId, item, place, known, withdrawn, knownGaps };
    return prepareJob({ run, ...job, history, settler });
  });
}

/** Jobs of the page that were sent before, and have changed since. */
async function saveRepeated(
  run: ExportRun,
  ledger: SessionLedger,
  page: FreshPage<JobRecord>,
  tools: HistoryTools,
): Promise<void> {
  for (const again of page.again) {
    const item = await tools.repeated.newer(again, ledger.jobs.get(asJobId(again.id)));
    if (!item) continue;
    const prepared = preparePage(run, ledger, { ...page, items: [item] }, tools);
    await savePage(run, ledger, prepared, Promise.resolve());
  }
}

/** Adds the jobs in the page's order, after those of the previous page; none if that one failed. */
async function savePage(
  run: ExportRun,
  ledger: SessionLedger,
  prepared: readonly Promise<PreparedJob | undefined>[],
  before: Promise<void>,
): Promise<void> {
  const sessionId = asSessionId(ledger.session.value.id);
  // rethrown once the other jobs are added
  let failure: { readonly error: unknown } | undefined;
  const outcomes = await Promise.allSettled(prepared);
  await before;
  for (const outcome of outcomes) {
    try {
      if (outcome.status === 'rejected') throw outcome.reason;
      if (!outcome.value) continue;
      await run.checkpointer.addJob(ledger, outcome.value);
      if (outcome.value.toWrite) run.observer.jobArchived?.(ledger.userId, sessionId);
    } catch (error) {
      failure ??= { error };
    }
  }
  if (failure) throw failure.error;
}

function historyReader(
  run: ExportRun,
  { userId, session }: SessionLedger,
  grant: PageGrant,
): PageReader<JobRecord> {
  const sessionId = asSessionId(session.value.id);
  return new PageReader<JobRecord>({
    fetchPage: (range) =>
      run.service.getHistory({ userId, sessionId, ...range, signal: run.signal }),
    idOf: (record) => record.job_id,
    grant,
    what: `the history of session ${sessionId}`,
    recordsStay: true,
  });
}
