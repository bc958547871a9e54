/** Writes one session's data files: what stands above its conversation, and the conversation in pieces. */
import type { RowsByTable } from '../archive/reading/gathered-rows.js';
import { jobsInOrder, newestSession, type JobVersions } from '../archive/reading/session-jobs.js';
import type { Row } from '../model/table-schema.js';
import { textIn } from '../model/text-in.js';
import type { Storage } from '../storage/storage.js';
import type { ArtifactFiles } from './artifact-files.js';
import { adviceOn } from './gap-advice.js';
import type { BlockContext } from './jobs/block-view.js';
import { numberIn, timeIn, whenOf } from './cells.js';
import { excerptOf, questionOf, restOf } from './jobs/job-text.js';
import { jobView } from './jobs/job-view.js';
import type { BlockView, GapLine, JobView, OutlineLine, SessionLine } from './page-data.js';
import { PieceTables } from './piece-tables.js';
import type { LongTexts } from './long-texts.js';
import type { Publisher } from './publisher.js';
import type { JobCatalogue } from './jobs/job-catalogue.js';
import type { SurveyedSession } from './survey.js';
import type { FoundJobs } from '../search/search-archive.js';
import { matchedText } from '../search/search-fields.js';
import type { Tallies } from './tallies.js';
import { newerFirst } from './when.js';

/** A piece ends with the job that reaches either. */
const PIECE_JOBS = 20;
const PIECE_CHARACTERS = 250_000;

export interface SessionWriterOptions {
  /** Of the archive. */
  readonly storage: Storage;
  readonly publisher: Publisher;
  readonly files: ArtifactFiles;
  readonly datasets: ReadonlyMap<string, string>;
  readonly longTexts: LongTexts;
  /** The search that chose the jobs; undefined where all of them are shown. */
  readonly found: FoundJobs | undefined;
  readonly tallies: Tallies;
  readonly catalogue: JobCatalogue;
}

export class SessionWriter {
  readonly #options: SessionWriterOptions;

  constructor(options: SessionWriterOptions) {
    this.#options = options;
  }

  async write(
    of: SurveyedSession,
    rows: RowsByTable,
  ): Promise<{ readonly line: SessionLine; readonly gaps: GapLine[] }> {
    const { publisher, tallies } = this.#options;
    const session = newestSession(rows);
    tallies.session(session);
    const jobs = jobsInOrder(rows);
    const gaps = gapsOf(of, textIn(session, 'name'), jobs);
    for (const gap of gaps) tallies.gaps.add(gap.status);
    const asked = jobs.map(({ newest }) => whenOf(newest.job));
    const line: SessionLine = {
      number: of.number,
      user: of.user,
      id: of.session,
      name: textIn(session, 'name'),
      language: textIn(session, 'output_language'),
      mode: textIn(session, 'job_mode'),
      jobs: jobs.length,
      gaps: gaps.length,
      marks: marksOf(of),
      newest: asked.toSorted(newerFirst)[0] ?? null,
      isHeld: of.holds.length > 0,
    };
    const pieces = await this.#writePieces(of, line, jobs);
    await this.#options.catalogue.endSession(of, asked);
    await publisher.data(`s/${of.number}`, {
      ...line,
      context: numberIn(session, 'max_contextual_job_history'),
      created: timeIn(session, 'created_at'),
      exported: timeIn(session, 'exported_at'),
      outline: jobs.map(outlined),
      pieces,
      gapList: gaps,
      holds: of.holds,
    });
    return { line, gaps };
  }

  async #writePieces(
    of: SurveyedSession,
    line: SessionLine,
    jobs: readonly JobVersions[],
  ): Promise<number[]> {
    const { storage, publisher, files, datasets, longTexts } = this.#options;
    const pieces: number[] = [];
    let views: JobView[] = [];
    let context: BlockContext & { tables: PieceTables } = {
      files,
      datasets,
      longTexts,
      tables: new PieceTables(storage),
    };
    let characters = 0;
    const cut = async (): Promise<void> => {
      await publisher.data(`s/${of.number}-${pieces.length}`, {
        jobs: views,
        tables: context.tables.views,
      });
      pieces.push(views.length);
      views = [];
      characters = 0;
      context = { ...context, tables: new PieceTables(storage) };
    };
    for (const versions of jobs) {
      const view = { ...(await this.#viewOf(versions, context)), ...this.#matched(of, versions) };
      await this.#catalogued(of, line, versions, view, context, pieces.length);
      views.push(view);
      characters += JSON.stringify(view).length;
      if (
        views.length >= PIECE_JOBS ||
        characters + context.tables.characters >= PIECE_CHARACTERS
      ) {
        await cut();
      }
    }
    if (views.length > 0) await cut();
    return pieces;
  }

  async #viewOf({ newest, earlier }: JobVersions, context: BlockContext): Promise<JobView> {
    const before: JobView[] = [];
    for (const version of earlier) before.push(await jobView(version, [], context));
    return jobView(newest, before, context);
  }

  /** Where the words of the search stand in it. */
  #matched({ user, session }: SurveyedSession, { newest }: JobVersions): Pick<JobView, 'found'> {
    const job = textIn(newest.job, 'job_id') ?? '';
    return { found: matchedText(this.#options.found?.matchedIn(user, session, job) ?? []) };
  }

  async #catalogued(
    of: SurveyedSession,
    line: SessionLine,
    { newest, earlier }: JobVersions,
    view: JobView,
    { tables }: { readonly tables: PieceTables },
    piece: number,
  ): Promise<void> {
    const { tallies, catalogue } = this.#options;
    tallies.job(of.user, newest);
    tallies.earlierVersions += earlier.length;
    const blocks = [...view.answer, ...view.steps.flatMap((step) => step.blocks)];
    tallies.sourcesOfJob(blocks.flatMap(sourcesIn));
    const question = questionOf(newest);
    await catalogue.add(
      {
        user: of.user,
        session: of.number,
        sessionId: of.session,
        sessionName: line.name,
        piece,
        id: view.id,
        question: excerptOf(question),
        created: view.created,
      },
      [line.name ?? '', question, restOf(newest, view, tables.views)].join('\n'),
    );
  }
}

function sourcesIn(block: BlockView) {
  return block.kind === 'sources' ? block.sources : [];
}

function outlined({ newest }: JobVersions): OutlineLine {
  const id = (newest.job as Row & { readonly job_id: string }).job_id;
  return { id, question: excerptOf(questionOf(newest)) };
}

function marksOf({ isDeleted, goneAt, isComplete }: SurveyedSession): string[] {
  return [
    ...(isDeleted ? ['deleted from the service'] : []),
    ...(!isDeleted && goneAt !== null ? [`not listed any more since ${goneAt.slice(0, 10)}`] : []),
    ...(isComplete ? [] : ['not read to its end']),
  ];
}

function gapsOf(
  { user, session, gaps }: SurveyedSession,
  sessionName: string | null,
  jobs: readonly JobVersions[],
): GapLine[] {
  const asked = new Map(jobs.map(({ newest: { job } }) => [textIn(job, 'job_id'), whenOf(job)]));
  return gaps.map((gap): GapLine => {
    const { kind, status, reason } = gap;
    const job = gap.job?.toWellFormed() ?? null;
    const when = asked.get(job) ?? null;
    const advice = adviceOn(status);
    return { user, session, sessionName, job, when, kind, status, reason, advice };
  });
}
