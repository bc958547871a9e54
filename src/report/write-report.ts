/** Makes the report of an archive: a page that opens from disk and loads what it shows in pieces. */
import type { Archive } from '../archive/archive.js';
import type { RequestRecord } from '../archive/log/request-history.js';
import { readUnrewritten } from '../archive/parts/read-unrewritten.js';
import type { Clock } from '../base/runtime.js';
import { doubtText, type NamedDoubts } from '../archive/reading/doubts.js';
import { GatheredRows, SelectedRows } from '../archive/reading/selected-rows.js';
import type { RowFormat } from '../formats/format.js';
import {
  artifactsTable,
  blocksTable,
  datasetsTable,
  jobsTable,
  sessionsTable,
} from '../model/tables.js';
import type { Storage } from '../storage/storage.js';
import { ArtifactFiles, LongTexts } from './long-texts.js';
import { adviceOn, JobCatalogue, People } from './people.js';
import { indexHtml, picturesHtml, requestsHtml, tilesHtml } from './index-html.js';
import { pageAssets } from './page-assets.js';
import type { GapLine, SessionLine } from './page-data.js';
import { Publisher, REPORT_MARK } from './publisher.js';
import { SearchIndex } from './search-index.js';
import { SessionWriter } from './session-writer.js';
import { assertSearched, findChosen } from '../search/search-archive.js';
import {
  choiceText,
  type SearchChoice,
  UNDATED_GAP,
  undatedText,
  type SearchFacts,
} from '../search/search-choice.js';
import { surveyArchive, type Survey } from './survey.js';
import { minuteOf } from './when.js';
import { Tallies } from './tallies.js';
import type { Row, TableSchema } from '../model/table-schema.js';
import { textIn } from '../model/mask-secrets.js';

/** With `match`, `from` or `to` it shows only the jobs that a search finds, and says so on every page. */
export interface ReportOptions extends SearchChoice {
  readonly archive: Archive;
  /** Those that the archive's tables may be in. */
  readonly formats: readonly RowFormat[];
  /** Empty. Nothing in it counts before this resolves. */
  readonly target: Storage;
  /** Default: everybody. */
  readonly users?: readonly string[] | undefined;
  /** Default: every session of the users. */
  readonly sessions?: readonly string[] | undefined;
  /** Default: `Archive of <the project, or the service's host>`. */
  readonly title?: string | undefined;
  /**
   * The archive as seen from the report, such as `../archive`: tables and images are linked to there.
   * Default: they are copied, and the report needs nothing beside it.
   */
  readonly linkBase?: string | undefined;
  /** `jobvault <version>` */
  readonly tool: string;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
}

export interface ReportSummary {
  /**
   * `not-proven`: it shows no known gap. Of `users_not_proven` it is not proven that there is none, or
   * something was in doubt where a search looked.
   */
  readonly status: 'complete' | 'gaps' | 'not-proven';
  readonly title: string;
  readonly users: number;
  readonly users_not_proven: number;
  readonly sessions: number;
  readonly jobs: number;
  /** Tables and images that it shows, each file once. */
  readonly artifacts: number;
  readonly gaps: number;
  /** The newest commit that it knows of; 0 of an empty log. */
  readonly commit: number;
  /** Null where it shows everything of its users or sessions. */
  readonly search: (SearchFacts & NamedDoubts) | null;
  /** Of the report. */
  readonly files: number;
  readonly bytes: number;
}

const TABLES = [sessionsTable, jobsTable, artifactsTable, blocksTable];
const SHOWN_GAPS = 2000;

/**
 * Reads only what the log names as of now. Memory holds a few thousand jobs, and a line for each
 * session and user, whatever the archive's size.
 *
 * @throws {UsageError} a user or session is not in the archive
 * @throws {IntegrityError | FormatError} the archive is damaged; the message names the object
 * @throws {RewrittenMeanwhileError} something has left the archive since: empty the target and call again
 * @throws the signal's reason, when it is aborted
 */
export async function writeReport(options: ReportOptions): Promise<ReportSummary> {
  const { archive, users = [], sessions = [], signal } = options;
  return readUnrewritten(archive, 'report', async () => {
    const found = await findChosen({ ...options, users, sessions });
    const survey = await surveyArchive(archive, { users, sessions }, { found, signal });
    if (found) assertSearched(archive, found, survey.head, 'report');
    return fill(options, survey);
  });
}

async function fill(options: ReportOptions, survey: Survey): Promise<ReportSummary> {
  const publisher = new Publisher(options.target);
  const index = await SearchIndex.open(options.target);
  try {
    return await write(options, survey, publisher, index);
  } finally {
    await publisher.settle();
    await index.discard();
  }
}

/** Pages show the blocks. */
const NOT_SHOWN = { [jobsTable.name]: ['question_text', 'answer_text'] };

async function write(
  options: ReportOptions,
  survey: Survey,
  publisher: Publisher,
  index: SearchIndex,
): Promise<ReportSummary> {
  const { archive, target, signal, linkBase, tool, clock } = options;
  const selected = new SelectedRows(options, survey.view.selection);
  const files = new ArtifactFiles({ archive, publisher, linkBase });
  const catalogue = new JobCatalogue(publisher, index);
  const tallies = new Tallies();
  const longTexts = new LongTexts(publisher);
  const writer = new SessionWriter({
    storage: archive.storage,
    publisher,
    files,
    tallies,
    catalogue,
    datasets: await datasetNames(selected),
    found: survey.found,
    longTexts,
  });
  const people = new People();
  const gaps: GapLine[] = [];
  const sessions = [...survey.users.values()].flatMap((user) => [...user.sessions.values()]);
  const shown = (table: TableSchema, row: Row) => longTexts.shown(table, row);
  const given = { tables: TABLES, target, omitted: NOT_SHOWN, shown, signal };
  const gathered = await GatheredRows.of(selected, sessions, given);
  try {
    for await (const { of, rows } of gathered.sessions()) {
      signal?.throwIfAborted();
      const written: { line: SessionLine; gaps: GapLine[] } = await writer.write(of, rows);
      people.add(written.line);
      gaps.push(...written.gaps.slice(0, SHOWN_GAPS - gaps.length));
    }
  } finally {
    await gathered.discard();
  }
  for (const { user, problem } of survey.users.values()) {
    if (problem !== null) tallies.gaps.add('user not listed');
    if (problem !== null && gaps.length < SHOWN_GAPS) {
      gaps.push({
        user,
        session: '',
        sessionName: null,
        job: null,
        when: null,
        kind: null,
        status: 'user not listed',
        reason: problem,
        advice: adviceOn('user not listed'),
      });
    }
  }
  for (const { user, session, job } of survey.found?.leftOut ?? []) {
    const { status, reason } = UNDATED_GAP;
    const advice = adviceOn(status);
    const ofJob = { user, session, sessionName: null, job, when: null, kind: 'JOB' };
    tallies.gaps.add(status);
    if (gaps.length < SHOWN_GAPS) gaps.push({ ...ofJob, status, reason, advice });
  }
  await people.publish(publisher, survey);
  await catalogue.finish();
  const title = options.title ?? titleOf(archive);
  const madeAt = clock.now();
  const { script, style } = await pageAssets();
  await publisher.put('data/page.js', script);
  await publisher.put('data/style.css', style);
  const part = partText(options, survey);
  const notProven = [...survey.users.values()].filter(({ isInDoubt }) => isInDoubt).length;
  const { doubts } = survey.view;
  const isProven = notProven === 0 && doubts?.isAny !== true;
  await publisher.data('gaps', { total: tallies.gaps.sum, isProven, gaps });
  const tiles = tilesHtml(tallies, { isPart: part !== undefined, notProven, isProven });
  const requests = requestsHtml(openRequests(options));
  const pages = { part, tiles, requests, pictures: picturesHtml(tallies) };
  const about = [
    ...aboutLines(archive, survey, madeAt, tool),
    ...(part === undefined ? [] : [part]),
  ];
  await publisher.put('index.html', indexHtml({ title, about, ...pages }));
  const mark = {
    format: 1,
    tool,
    made_at: new Date(madeAt).toISOString(),
    archive: archive.identity.id,
  };
  await publisher.put(REPORT_MARK, `${JSON.stringify(mark)}\n`);
  await publisher.finish();
  const count = tallies.gaps.sum;
  return {
    status: count > 0 ? 'gaps' : isProven ? 'complete' : 'not-proven',
    title,
    users: survey.users.size,
    users_not_proven: notProven,
    sessions: tallies.sessions,
    jobs: tallies.jobs,
    artifacts: files.count,
    gaps: count,
    commit: survey.head,
    search: survey.found && doubts ? { ...survey.found.facts, ...doubts.named } : null,
    files: publisher.files,
    bytes: publisher.bytes,
  };
}

/** Of a report that leaves users out, only those that name none of them. */
function openRequests({ archive, users = [], sessions = [] }: ReportOptions): RequestRecord[] {
  const isWhole = users.length + sessions.length === 0;
  return archive.index.requests.filter(
    ({ closed, users: asked }) =>
      closed === null &&
      (isWhole || (asked.length > 0 && asked.every((user) => users.includes(user)))),
  );
}

/** Of the newest row of each; none where datasets were never exported. */
async function datasetNames(selected: SelectedRows): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  for await (const row of selected.rows(datasetsTable)) {
    const [id, name] = [textIn(row, 'dataset_id'), textIn(row, 'name')];
    if (id !== null && name !== null) names.set(id, name);
  }
  return names;
}

/** Not where the archive lies: the report may go to others. */
function aboutLines(
  { identity, index }: Archive,
  { head }: Survey,
  madeAt: number,
  tool: string,
): string[] {
  let exportedMs: number | undefined;
  for (const { kind, atMs } of index.commits) if (kind === 'export') exportedMs = atMs;
  const exported =
    exportedMs === undefined ? 'nothing exported' : `exported ${minuteOf(exportedMs)}`;
  return [
    `Archive of ${identity.service.base_url}`,
    exported,
    `archive head ${head}:${index.digestOf(head) ?? 'empty'}`,
    `report made ${minuteOf(madeAt)} by ${tool}`,
    'times are UTC',
  ];
}

/** What of the archive is shown, and how much was looked at; undefined where all of it is. */
function partText(options: ReportOptions, { found, view: { doubts } }: Survey): string | undefined {
  const { users = [], sessions = [] } = options;
  const kept = [
    ...(users.length === 0 ? [] : [named('user', users)]),
    ...(sessions.length === 0 ? [] : [named('session', sessions)]),
  ];
  if (found) {
    const { matches, searched, not_searched: notSearched } = found.facts;
    const undated = undatedText(found.facts);
    const told = undated === null ? '' : `; ${undated}`;
    const never = notSearched === null ? '' : `; not searched: ${notSearched}`;
    const doubt = doubts ? doubtText(doubts.named) : '';
    const suffix = doubt === '' ? '' : `; ${doubt}`;
    kept.push(
      `jobs ${choiceText(options)}: ${matches} of ${searched} searched${told}${suffix}${never}`,
    );
  }
  return kept.length === 0 ? undefined : `A part of the archive: only ${kept.join('; only ')}`;
}

function named(what: string, ids: readonly string[]): string {
  return `${what}${ids.length === 1 ? '' : 's'} ${ids.join(', ')}`;
}

function titleOf({ identity }: Archive): string {
  const { project, base_url: baseUrl } = identity.service;
  return `Archive of ${project ?? new URL(baseUrl).host}`;
}
