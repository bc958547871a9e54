/** Writes one session's data files: what stands above its conversation, and the conversation in pieces. */
import type { JobRows } from '../archive/reading/rows/session-rows.js';
import type { MadeConversation, MadeJob } from '../making/conversations.js';
import { meaningOfGap } from '../archive/reading/gap-meaning.js';
import { textIn } from '../model/mask-secrets.js';
import { isOrderKnown } from '../model/times/oldest-first.js';
import type { Storage } from '../storage/storage.js';
import type { LongTexts } from './long-texts.js';
import type { ArtifactFiles } from './artifact-files.js';
import type { FiledJob, JobCatalogue } from './full-text/job-catalogue.js';
import { type BlockContext, previewedPath } from './jobs/block-view.js';
import { contentPrint, type KeptSession, type PrintedJob } from './earlier-report.js';
import { Tallies } from './first-page/tallies.js';
import { numberIn } from './row-cells.js';
import type { GapLine, JobView, OutlineLine, SessionLine } from './page-data.js';
import { PieceTables, TablePreviews } from './piece-tables.js';
import type { Publisher } from './publisher.js';
import type { SurveyedSession } from '../making/survey.js';
import { msIn, whenOf } from '../model/times/asked-times.js';
import { newerFirst } from '../model/times/when.js';
import { jobView } from './jobs/job-view.js';
import { questionOf, excerptOf, searchedWords, tablesIn } from './jobs/job-excerpt.js';

/** A piece ends with the job that reaches either. */
const PIECE_JOBS = 20;
const PIECE_CHARACTERS = 250_000;
/** The jobs beyond the one that is written whose tables are read already. */
const JOBS_AHEAD = 32;

export interface SessionWriterOptions {
  /** The storage of the archive. */
  readonly storage: Storage;
  readonly publisher: Publisher;
  readonly files: ArtifactFiles;
  readonly datasets: ReadonlyMap<string, string>;
  readonly longTexts: LongTexts;
  readonly catalogue: JobCatalogue;
  /** Where a session stands as a text, by its number; undefined where no text is beside the report. */
  readonly textOf: ((session: number) => string | undefined) | undefined;
  /** By a session's number: the places of its jobs, by id, among all that the archive has of it, null where their order is not known; undefined where all are shown. */
  readonly placesOf: (session: number) => Promise<ReadonlyMap<string, number | null> | undefined>;
  /** Whether it is of a pseudonymised copy. */
  readonly isCopy: boolean;
}

export class SessionWriter {
  readonly #options: SessionWriterOptions;

  constructor(options: SessionWriterOptions) {
    this.#options = options;
  }

  async write({
    session: surveyed,
    versions: [session],
    name,
    jobs,
    remarks,
  }: MadeConversation<SurveyedSession>): Promise<KeptSession> {
    const { publisher, catalogue, files, isCopy } = this.#options;
    const tallies = new Tallies();
    tallies.session(session);
    const gaps = gapsOf(surveyed, { sessionName: name, jobs, isCopy });
    for (const gap of gaps) tallies.gap(gap);
    const asked = jobs.map(({ job }) => whenOf(job));
    const line: SessionLine = {
      number: surveyed.number,
      user: surveyed.user,
      id: surveyed.session,
      name,
      language: textIn(session, 'output_language'),
      mode: textIn(session, 'job_mode'),
      jobs: jobs.length,
      archived: surveyed.jobs,
      withheld: surveyed.withheld?.withheld ?? 0,
      gaps: surveyed.missing,
      marks: marksOf(surveyed),
      newest: asked.toSorted(newerFirst)[0] ?? null,
      isHeld: surveyed.holds.length > 0,
    };
    const places = await this.#options.placesOf(surveyed.number);
    const isKnown = places
      ? ![...places.values()].includes(null)
      : isOrderKnown(jobs.map(({ job }) => job));
    const numbers = jobs.map((job, at) => (isKnown ? (places?.get(job.id) ?? at + 1) : null));
    const { pieces, texts, filed } = await this.#writePieces(
      surveyed,
      line,
      { jobs, numbers },
      tallies,
    );
    catalogue.endSession(surveyed, filed, asked);
    await publisher.data(`s/${surveyed.number}`, {
      ...line,
      context: numberIn(session, 'max_contextual_job_history'),
      created: msIn(session, 'created_at'),
      exported: msIn(session, 'exported_at'),
      outline: jobs.map((job, at) => outlined(job, numbers[at] ?? null)),
      pieces,
      gapList: gaps,
      withheldBy: surveyed.withheld?.by ?? [],
      holds: surveyed.holds,
      text: this.#options.textOf?.(surveyed.number) ?? null,
    });
    return {
      print: surveyed.print,
      content: contentPrint(surveyed, numberIn(session, 'session_version') ?? 0, jobs.map(printed)),
      line,
      userNumber: surveyed.userNumber,
      jobs: filed,
      asked,
      pieces: pieces.length,
      shown: files.takeNewPaths(),
      texts,
      gaps,
      remarks,
      counts: tallies.counts,
    };
  }

  async #writePieces(
    surveyed: SurveyedSession,
    line: SessionLine,
    {
      jobs,
      numbers,
    }: { readonly jobs: readonly MadeJob[]; readonly numbers: readonly (number | null)[] },
    tallies: Tallies,
  ): Promise<{ readonly pieces: number[]; readonly texts: string[]; readonly filed: FiledJob[] }> {
    const { storage, publisher, files, datasets, longTexts, isCopy } = this.#options;
    const pieces: number[] = [];
    const filed: FiledJob[] = [];
    /** As JSON. */
    let views: string[] = [];
    const previews = new TablePreviews(storage);
    let context: BlockContext & { tables: PieceTables } = {
      files,
      datasets,
      longTexts,
      isCopy,
      tables: new PieceTables(previews),
    };
    let characters = 0;
    const cut = async (): Promise<void> => {
      const tables = JSON.stringify(context.tables.views);
      const json = `{"jobs":[${views.join()}],"tables":${tables}}`;
      await publisher.json(`s/${surveyed.number}-${pieces.length}`, json);
      pieces.push(views.length);
      views = [];
      characters = 0;
      context = { ...context, tables: new PieceTables(previews) };
    };
    for (const job of jobs.slice(0, JOBS_AHEAD)) beginPreviews(job, previews);
    for (const [at, job] of jobs.entries()) {
      const ahead = jobs[at + JOBS_AHEAD];
      if (ahead) beginPreviews(ahead, previews);
      const view = {
        ...(await viewOf(job, context)),
        found: job.matchedIn,
        isUndated: job.isUndated,
        redaction: job.redaction,
        number: numbers[at] ?? null,
      };
      filed.push(
        await this.#catalogued(surveyed, line, job, view, context, pieces.length, tallies),
      );
      const json = JSON.stringify(view);
      views.push(json);
      characters += json.length;
      if (
        views.length >= PIECE_JOBS ||
        characters + context.tables.characters >= PIECE_CHARACTERS
      ) {
        await cut();
      }
    }
    if (views.length > 0) await cut();
    return { pieces, texts: longTexts.takeNewFiles(), filed };
  }

  async #catalogued(
    surveyed: SurveyedSession,
    line: SessionLine,
    job: MadeJob,
    view: JobView,
    { tables }: { readonly tables: PieceTables },
    piece: number,
    tallies: Tallies,
  ): Promise<FiledJob> {
    const { catalogue } = this.#options;
    tallies.job(surveyed.user, job);
    tallies.earlierVersions += job.earlier.length;
    const question = questionOf(job);
    return catalogue.add(
      {
        user: surveyed.user,
        session: surveyed.number,
        sessionId: surveyed.session,
        sessionName: line.name,
        piece,
        id: view.id,
        question: excerptOf(question),
        created: view.created,
      },
      searchedWords(job, { name: line.name, tables: tablesIn(view, tables.views) }),
    );
  }
}

async function viewOf(job: MadeJob, context: BlockContext): Promise<JobView> {
  const before: JobView[] = [];
  for (const version of job.earlier) {
    before.push(await jobView(version, [], true, context));
  }
  return jobView(job, before, !job.mayChange, context);
}

function beginPreviews({ artifacts }: JobRows, previews: TablePreviews): void {
  for (const row of artifacts) {
    const path = previewedPath(row);
    if (path !== undefined) previews.begin(row, path);
  }
}

function printed({ id, job }: MadeJob): PrintedJob {
  return [id, numberIn(job, 'job_version') ?? 0, textIn(job, 'content_hash') ?? ''];
}

function outlined(job: MadeJob, number: number | null): OutlineLine {
  return { id: job.id, question: excerptOf(questionOf(job)), number };
}

const HISTORY_MARKS = {
  read_to_end: [],
  in_doubt: ['in doubt'],
  not_read_to_end: ['not read to its end'],
} as const;

function marksOf({ isDeleted, goneAt, history }: SurveyedSession): string[] {
  return [
    ...(isDeleted ? ['deleted from the service'] : []),
    ...(!isDeleted && goneAt !== null ? [`not listed any more since ${goneAt.slice(0, 10)}`] : []),
    ...HISTORY_MARKS[history],
  ];
}

function gapsOf(
  { user, session, gaps, accepted, isDeleted, goneAt }: SurveyedSession,
  {
    sessionName,
    jobs,
    isCopy,
  }: {
    readonly sessionName: string | null;
    readonly jobs: readonly MadeJob[];
    readonly isCopy: boolean;
  },
): GapLine[] {
  const asked = new Map(jobs.map(({ id, job }) => [id, whenOf(job)]));
  const isAbsent = isDeleted || goneAt !== null;
  return gaps.map((gap, at): GapLine => {
    const { kind, status, reason } = gap;
    const job = gap.job?.toWellFormed() ?? null;
    const when = job === null ? null : (asked.get(job) ?? null);
    const acceptance = accepted[at] ?? null;
    const meaning = acceptance ?? meaningOfGap({ status, isAbsent }, isCopy);
    const isAccepted = acceptance !== null;
    return { user, session, sessionName, job, when, kind, status, reason, isAccepted, meaning };
  });
}
