/** Makes the report of an archive: a page that opens from disk and loads what it shows in pieces. */
import type { Archive } from '../archive/archive.js';
import type { RequestRecord } from '../archive/log/request-history.js';
import type { NamedObject } from '../archive/checked-objects.js';
import { readConsistently } from '../archive/consistent-read.js';
import { rowId } from '../model/ids.js';
import { jobPlaces } from '../archive/state/job-order.js';
import { JobvaultError } from '../base/error.js';
import { caveatsOf, type Caveat, type CaveatKind } from '../archive/reading/caveats/caveat.js';
import {
  completenessOf,
  headlineOf,
  type Elsewhere,
} from '../archive/reading/caveats/caveat-text.js';
import type { Completeness } from '../archive/reading/caveats/completeness.js';
import { withRemarked } from '../archive/reading/caveats/job-remarks.js';
import { GatheredRows, SelectedRows, type RowsByTable } from '../archive/reading/selected-rows.js';
import {
  artifactsTable,
  blocksTable,
  datasetsTable,
  jobsTable,
  sessionsTable,
} from '../model/tables.js';
import type { Storage } from '../storage/storage.js';
import { LongTexts } from './long-texts.js';
import { ArtifactFiles } from './artifact-files.js';
import { JobCatalogue } from './job-catalogue.js';
import { People } from './people.js';
import { adviceOn, EXCLUDED_ADVICE } from './advice.js';
import { caveatCards } from './first-page/caveat-cards.js';
import { indexHtml, notesHtml, type PageNote, requestsHtml } from './first-page/index-html.js';
import { picturesHtml, tilesHtml } from './first-page/index-tiles.js';
import { heldNotes, reportTitle, requestNotes } from './first-page/page-notes.js';
import { pageAssets } from './page-assets.js';
import type { GapLine } from './page-data.js';
import {
  EarlierReport,
  SESSIONS_FILE,
  settingsDigest,
  type KeptSession,
} from './earlier-report.js';
import { keepUnchanged } from './keep-unchanged.js';
import { Publisher, type PublishTarget } from './publisher.js';
import { REPORT_MARK } from './data-script.js';
import { SearchIndex } from './search-index.js';
import { SessionWriter } from './session-writer.js';
import { assertSearched, findChosen } from '../search/search-archive.js';
import { type SearchChoice } from '../search/search-choice.js';
import { type SearchFacts, undatedGap } from '../search/search-facts.js';
import { isDoubted } from '../archive/reading/doubts.js';
import { sessionFinder, surveyArchive, type Survey, type SurveyedSession } from './survey.js';
import { EVERYBODY, parsedScope } from '../archive/reading/scope.js';
import { Decisions } from '../archive/reading/decisions.js';
import { Selection } from '../archive/reading/selection.js';
import type { EarlierDirectory } from '../storage/local/whole-directory.js';
import { aboutLines, partText } from './first-page/about-lines.js';
import { Tallies } from './tallies.js';
import type { Row, TableSchema } from '../model/table-schema.js';
import { textIn } from '../model/mask-secrets.js';

/** Something larger, such as an evidence pack, whose page the report is: of its jobs, with its files, also for paper. */
interface Whole {
  /** Takes the files of the page. */
  readonly files: PublishTarget;
  readonly survey: Survey;
  readonly selected: SelectedRows;
  /** Where it has a file of the archive, seen from the page. */
  readonly placeOf: (file: NamedObject) => string;
  /** Where it has a session as a text, by its number. */
  readonly textOf: (session: number) => string | undefined;
  /** See `SessionWriterOptions`. */
  readonly placesOf: (session: number) => Promise<ReadonlyMap<string, number> | undefined>;
  readonly notes: readonly PageNote[];
  /** What names the others where a caveat names many. */
  readonly elsewhere: Elsewhere;
}

/** With `match`, `from` or `to` it shows only the jobs that a search finds, and says so on every page. */
export interface ReportOptions extends SearchChoice {
  readonly archive: Archive;
  /** Empty. Nothing in it counts before this resolves. */
  readonly target: Storage;
  /**
   * The report that stands in its place so far: of sessions that have not changed since, the files are kept. It is left
   * aside if it is of another version of jobvault, archive or setting, or of a search.
   */
  readonly earlier?: EarlierDirectory | undefined;
  /** Default: everybody. */
  readonly users?: readonly string[] | undefined;
  /** Default: every session of the users. */
  readonly sessions?: readonly string[] | undefined;
  /** Default: `Archive of <the project, or the service's host>`, or of which request it is. */
  readonly title?: string | undefined;
  /** Tables and images that the archive has lost are gaps, and named; default: one of them ends it. No later report keeps anything of this one. */
  readonly allowLostFiles?: boolean | undefined;
  /** The person who makes it. Default: it names nobody. */
  readonly by?: string | undefined;
  /** For which it is made: the first page names it, and all files are listed. */
  readonly request?:
    Pick<RequestRecord, 'id' | 'name' | 'reason' | 'by' | 'since' | 'decisions'> | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface ReportSummary {
  readonly status: Completeness;
  /** What qualifies it, what is missing first. */
  readonly caveats: readonly Caveat[];
  readonly title: string;
  readonly users: number;
  readonly sessions: number;
  readonly jobs: number;
  /** Tables and images that it shows, each file once. */
  readonly artifacts: number;
  /** The newest commit that it knows of; 0 of an empty log. */
  readonly commit: number;
  /** Null where it shows everything of its users or sessions. */
  readonly search: SearchFacts | null;
  /** The name of the request for which it was made; null of none. */
  readonly request: string | null;
  /** SHA-256 of `data/jobvault-files.sha256`; null of a search, or of a report without lost files, that is for no request: its files are not listed. */
  readonly digest: string | null;
  /** The files of the report. */
  readonly files: number;
  readonly bytes: number;
  /** The sessions and files that an earlier report had in the same place and that were left as they are. */
  readonly unchanged: { readonly sessions: number; readonly files: number };
}

const TABLES = [sessionsTable, jobsTable, artifactsTable, blocksTable];
const SHOWN_GAPS = 2000;

const LIST_OF_GAPS = 'the list of what is missing';
const NAMED_BESIDE: Elsewhere = {
  gap: LIST_OF_GAPS,
  accepted_gap: LIST_OF_GAPS,
  doubted: LIST_OF_GAPS,
  lost_file: LIST_OF_GAPS,
  left_out: LIST_OF_GAPS,
};

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
  const { archive, request, allowLostFiles, signal } = options;
  return readConsistently(archive, 'report', async () => {
    const decisions = Decisions.of(request);
    const found = await findChosen(options, decisions);
    const scope = parsedScope(options);
    await archive.index.refresh();
    const datasets = await datasetNames(options);
    const isOfAll = found === undefined && allowLostFiles !== true && decisions.isEmpty;
    const settings = isOfAll ? settingsOf(options, datasets) : null;
    const earlier =
      settings === null ? undefined : await EarlierReport.in(options.earlier, settings);
    const known = earlier?.numbers;
    const given = { found, known, request, allowLostFiles, signal };
    const survey = await surveyArchive(archive, scope, given);
    if (found) assertSearched(archive, found, survey.head, 'report');
    const making = { options, survey, datasets, settings };
    if (!earlier) return fill({ ...making, earlier });
    try {
      return await fill({ ...making, earlier });
    } catch (error) {
      if (error instanceof JobvaultError || signal?.aborted === true) throw error;
      // a file of the earlier report is damaged or forged: what was made from it must not stay
      for await (const { path } of options.target.list('')) await options.target.delete(path);
      return fill({
        ...making,
        survey: await surveyArchive(archive, scope, { request, signal }),
        earlier: undefined,
      });
    }
  });
}

/** The page of something larger. @param options.target for what is set aside meanwhile @throws as `writeReport`, but begins nothing again */
export async function writePageOf(whole: Whole, options: ReportOptions): Promise<ReportSummary> {
  const datasets = await datasetNames(options);
  const { survey } = whole;
  return fill({ options, survey, datasets, settings: null, earlier: undefined, whole });
}

interface Making {
  readonly options: ReportOptions;
  readonly survey: Survey;
  readonly datasets: ReadonlyMap<string, string>;
  /** Null: no later report may keep anything of this one. */
  readonly settings: string | null;
  readonly earlier: EarlierReport | undefined;
  /** Default: the report stands for itself. */
  readonly whole?: Whole | undefined;
}

/** Where all jobs are shown, each stands in its place. */
function placesIn({ states }: Archive, { found, users, head, view }: Survey) {
  if (!found) return () => Promise.resolve(undefined);
  const bySession = new Map(
    [...users.values()].flatMap((user) =>
      user.sessions.map((session) => [session.number, session] as const),
    ),
  );
  const owners = new Map(Array.from(view.selection.users, (id) => [rowId(id), id]));
  return async (session: number): Promise<ReadonlyMap<string, number> | undefined> => {
    const surveyed = bySession.get(session);
    const user = surveyed && owners.get(surveyed.user);
    if (!surveyed || user === undefined) return undefined;
    const { sessions } = await states.loadAsOf(user, head);
    const state = [...sessions].find(([id]) => rowId(id) === surveyed.session)?.[1];
    return state && jobPlaces(state);
  };
}

function settingsOf({ archive }: ReportOptions, datasets: ReadonlyMap<string, string>): string {
  return settingsDigest({ tool: archive.tool, archive: archive.identity.id, datasets });
}

async function fill(making: Making): Promise<ReportSummary> {
  const { target } = making.options;
  const publisher = new Publisher(making.whole?.files ?? target, {
    earlier: making.earlier?.files,
    isListed: making.settings !== null || making.options.request !== undefined,
  });
  const index = await SearchIndex.open(target);
  try {
    const people = await People.open(target, making.survey);
    try {
      return await write(making, { publisher, index, people });
    } finally {
      await publisher.settle();
      await people.discard();
    }
  } finally {
    await index.discard();
  }
}

/** Columns of which pages show nothing: of jobs they show the blocks. */
const NOT_SHOWN = {
  [jobsTable.name]: ['question_text', 'answer_text', 'run_id'],
  [blocksTable.name]: ['artifact_sha256', 'run_id', 'exported_at'],
  [artifactsTable.name]: ['url', 'expires_at', 'sha256', 'run_id', 'exported_at'],
};

interface Written {
  readonly publisher: Publisher;
  readonly index: SearchIndex;
  readonly people: People;
}

async function write(
  { options, survey, datasets, settings, earlier, whole }: Making,
  { publisher, index, people }: Written,
): Promise<ReportSummary> {
  const { archive } = options;
  const { tool, clock } = archive;
  const isCopy = archive.identity.pseudonymised !== undefined;
  const files = new ArtifactFiles({ archive, publisher, placeOf: whole?.placeOf });
  const catalogue = new JobCatalogue(publisher, index);
  const tallies = new Tallies();
  const find = sessionFinder(survey);
  const numberOf = (user: string, session: string) => find(user, session)?.number ?? 0;
  const longTexts = new LongTexts(publisher, numberOf);
  const writer = new SessionWriter({
    storage: archive.storage,
    publisher,
    files,
    catalogue,
    datasets,
    found: survey.found,
    longTexts,
    textOf: whole?.textOf,
    isCopy,
    placesOf: whole?.placesOf ?? placesIn(archive, survey),
  });
  const { reading } = survey;
  const gaps: GapLine[] = [];
  const notes = whole ? undefined : await publisher.lines(SESSIONS_FILE);
  const take = async (session: KeptSession): Promise<void> => {
    await people.add(session.line);
    gaps.push(...session.gaps.slice(0, SHOWN_GAPS - gaps.length));
    const { user, id, name: sessionName } = session.line;
    reading.addTitle(user, id, sessionName);
    reading.addRemarks({ user, session: id, sessionName }, session.remarks);
    tallies.merge(session.counts);
    await notes?.write(JSON.stringify(session));
  };
  const { kept, changed } = await keepUnchanged(earlier, archive, survey, { publisher, files });
  if (earlier) catalogue.keep(earlier, kept, changed);
  const unchanged = new Map(kept.map((session) => [session.line.number, session]));
  const all = [...survey.users.values()].flatMap((user) => user.sessions);
  const sessions = all.filter(({ number }) => !unchanged.has(number));
  let next = 0;
  // all in one order, whatever is kept: what names only the first of many names those that a new report names
  const takeUnchanged = async (before?: SurveyedSession): Promise<void> => {
    for (let surveyed = all[next++]; surveyed && surveyed !== before; surveyed = all[next++]) {
      const session = unchanged.get(surveyed.number);
      if (session) await take(session);
    }
  };
  await gatherSessions(
    options,
    { survey, sessions, longTexts, selected: whole?.selected },
    async (session, rows) => {
      await takeUnchanged(session);
      await take(await writer.write(session, rows));
    },
  );
  await takeUnchanged();
  await notes?.finish();
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
        advice: adviceOn('user not listed', isCopy),
      });
    }
  }
  const facts = survey.found?.facts;
  const notTaken = facts && facts.undated !== 'include' ? facts.time_unknown : 0;
  for (const { user, session, sessionName, job, ...dates } of survey.found?.leftOut ?? []) {
    const { status, reason } = undatedGap(facts?.undated);
    const advice = facts?.undated === 'exclude' ? EXCLUDED_ADVICE : adviceOn(status, isCopy);
    const when = [msOf(dates.createdAfter), msOf(dates.createdBefore)] as const;
    const ofJob = { user, session, sessionName, job, when, kind: 'JOB' };
    if (gaps.length < SHOWN_GAPS) gaps.push({ ...ofJob, status, reason, advice });
  }
  await people.publish(publisher);
  await catalogue.finish();
  const title = options.title ?? reportTitle(archive, options.request);
  const madeAt = clock.now();
  const { script, style } = await pageAssets();
  await publisher.put('data/page.js', script);
  await publisher.put('data/style.css', style);
  // it may go to others, with whom nobody has the archive
  const caveats = caveatsOf(reading, { audience: 'recipient' });
  const completeness = completenessOf(caveats);
  const part = partText(options, survey);
  const missing = tallies.gaps.sum + notTaken;
  await publisher.data('gaps', { total: missing, isProven: completeness === 'complete', gaps });
  const lost = survey.view.lost.files;
  const maybeErased = caveats.some(({ kind }) => kind === 'erasures');
  const unlisted = caveats
    .filter(({ kind, severity }) => severity !== 'note' && !LISTED.has(kind))
    .reduce((sum, { kind, count }) => sum + Math.max(0, count - listedIn(kind, survey)), 0);
  const shown = { files: files.count, lost, missing, unlisted, completeness, maybeErased, isCopy };
  const tiles = tilesHtml(tallies, shown);
  const texts = archive.identity.pseudonymised?.texts;
  const elsewhere = whole?.elsewhere ?? NAMED_BESIDE;
  const standing = {
    headline: headlineOf(caveats),
    completeness,
    caveats: caveatCards(caveats, ['missing', 'doubt'], elsewhere),
    further: caveatCards(caveats, ['note'], elsewhere),
  };
  const cards = whole
    ? { notes: notesHtml(whole.notes), requests: '', pictures: '', isForPaper: true }
    : {
        notes: notesHtml([
          ...requestNotes(options.request),
          ...(options.request ? heldNotes(survey) : []),
        ]),
        requests: options.request ? '' : requestsHtml(openRequests(options)),
        pictures: picturesHtml(tallies),
        isForPaper: false,
      };
  const found = survey.found && { match: options.match, in: options.in };
  const pages = { part, tiles, found, texts, ...standing, ...cards };
  const lines = aboutLines(archive, survey, madeAt, options.by);
  const about = {
    ...lines,
    once: [...lines.once, ...(part === undefined ? [] : [part]), standing.headline],
  };
  await publisher.put('index.html', indexHtml({ title, about, ...pages }));
  const list = await publisher.list();
  const mark = {
    format: 1,
    tool,
    made_at: new Date(madeAt).toISOString(),
    archive: archive.identity.id,
    ...(settings === null ? {} : { settings, head: survey.head }),
    ...(list === null ? {} : { files: list }),
  };
  if (!whole) await publisher.put(REPORT_MARK, `${JSON.stringify(mark)}\n`);
  await publisher.finish();
  return {
    status: completeness,
    caveats: caveatsOf(reading),
    title,
    users: survey.users.size,
    sessions: tallies.sessions,
    jobs: tallies.jobs,
    artifacts: files.count,
    commit: survey.head,
    search: survey.found?.facts ?? null,
    request: options.request?.name ?? null,
    digest: list,
    files: publisher.files,
    bytes: publisher.bytes,
    unchanged: { sessions: kept.length, files: publisher.kept },
  };
}

/** What the list of gaps has of what is missing or in doubt. */
const LISTED: ReadonlySet<CaveatKind> = new Set([
  'gap',
  'accepted_gap',
  'doubted',
  'lost_file',
  'left_out',
]);

/** How many of the conversations with gaps or doubts where a search looked are shown: the list has what they lack. */
function listedIn(kind: CaveatKind, { users }: Survey): number {
  if (kind !== 'searched_gap' && kind !== 'searched_doubt') return 0;
  const isDoubt = kind === 'searched_doubt';
  const sessions = [...users.values()].flatMap((user) => user.sessions);
  return sessions.filter(({ gaps }) => gaps.some((gap) => isDoubted(gap) === isDoubt)).length;
}

/** The open requests; of a report that leaves users out, only those that name none of them. */
function openRequests({ archive, users = [], sessions = [] }: ReportOptions): RequestRecord[] {
  const isWhole = users.length + sessions.length === 0;
  return archive.index.requests.filter(
    ({ closed, users: asked }) =>
      closed === null &&
      (isWhole || (asked.length > 0 && asked.every((user) => users.includes(user)))),
  );
}

/** Reads the rows of these sessions, and hands over one after the other. */
async function gatherSessions(
  options: ReportOptions,
  {
    survey,
    sessions,
    longTexts,
    selected,
  }: {
    readonly survey: Survey;
    readonly sessions: readonly SurveyedSession[];
    readonly longTexts: LongTexts;
    /** Default: what the log names now. */
    readonly selected: SelectedRows | undefined;
  },
  take: (session: SurveyedSession, rows: RowsByTable) => Promise<void>,
): Promise<void> {
  const { archive, target, users = [], signal } = options;
  const { selection } = survey.view;
  const all = [...survey.users.values()].reduce((sum, user) => sum + user.sessions.length, 0);
  if (sessions.length === 0) return;
  const isFew = !selected && survey.found === undefined && sessions.length <= all / 4;
  const ids = [...new Set(sessions.map(({ session }) => session))];
  const narrow = isFew
    ? (await Selection.of(archive, { users, sessions: ids }, { signal })).withDecisions(
        selection.decisions,
      )
    : selection;
  const shown = (table: TableSchema, row: Row) => longTexts.shown(table, row);
  const read = withRemarked({ tables: TABLES, omitted: NOT_SHOWN });
  const given = { ...read, target, shown, signal };
  const from = selected ?? (await SelectedRows.of(options, narrow, survey.view.lost));
  const gathered = await GatheredRows.of(from, sessions, given);
  try {
    for await (const { session, rows } of gathered.sessions()) {
      signal?.throwIfAborted();
      await take(session, rows);
    }
  } finally {
    await gathered.discard();
  }
}

/** The name of each dataset, of its newest row; none where datasets were never exported. */
async function datasetNames(options: ReportOptions): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  const everybody = await Selection.of(options.archive, EVERYBODY, { signal: options.signal });
  const selected = await SelectedRows.of(options, everybody);
  for await (const row of selected.rows(datasetsTable)) {
    const [id, name] = [textIn(row, 'dataset_id'), textIn(row, 'name')];
    if (id !== null && name !== null) names.set(id, name);
  }
  return names;
}

/** @param at ISO 8601 */
function msOf(at: string | null): number | null {
  return at === null ? null : Date.parse(at);
}
