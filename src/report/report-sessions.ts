/** Writes the conversations of a report: those that have changed anew, the others as an earlier report has them. */
import type { Archive } from '../archive/archive.js';
import { SelectedRows } from '../archive/reading/rows/selected-rows.js';
import { Selection } from '../archive/reading/selection.js';
import { jobPlaces } from '../archive/state/job-order.js';
import { rowId } from '../model/ids.js';
import { Conversations } from '../making/conversations.js';
import {
  artifactsTable,
  blocksTable,
  jobsTable,
  sessionsTable,
  sourcesTable,
} from '../model/tables.js';
import { ArtifactFiles } from './artifact-files.js';
import { SESSIONS_FILE, type KeptSession } from './earlier-report.js';
import { GapList, undatedJobs, unlistedUsers } from './gap-list.js';
import { JobCatalogue } from './full-text/job-catalogue.js';
import { keepUnchanged } from './keep-unchanged.js';
import { LongTexts } from './long-texts.js';
import type { GapLine } from './page-data.js';
import type { LinesFile } from './publisher.js';
import type { OpenReport, Written } from './report-options.js';
import { SessionWriter } from './session-writer.js';
import type { Survey, SurveyedSession } from '../making/survey.js';
import { Tallies } from './first-page/tallies.js';

const TABLES = [sessionsTable, jobsTable, artifactsTable, blocksTable, sourcesTable];

/** Columns of which pages show nothing: of jobs they show the blocks, and of sources, too; these are counted. */
const NOT_SHOWN = {
  [jobsTable.name]: ['question_text', 'answer_text', 'run_id'],
  [blocksTable.name]: ['artifact_sha256', 'run_id', 'exported_at'],
  [artifactsTable.name]: ['url', 'expires_at', 'sha256', 'run_id', 'exported_at'],
  [sourcesTable.name]: [
    ...['content', 'extra_json', 'external_id', 'page_no', 'source_entry_id'],
    ...['run_id', 'exported_at'],
  ],
};

export interface WrittenSessions {
  readonly tallies: Tallies;
  readonly gaps: readonly GapLine[];
  /** The tables and images that it shows. */
  readonly files: ArtifactFiles;
  readonly catalogue: JobCatalogue;
  /** Sessions that an earlier report had, and that were left as they are. */
  readonly kept: number;
}

/** All in one order, whatever is kept: what names only the first of many names those that a new report names. */
export async function writeSessions(
  report: OpenReport,
  written: Written,
): Promise<WrittenSessions> {
  const { options, survey, earlier, whole } = report;
  const { publisher, index } = written;
  const { archive } = options;
  const files = new ArtifactFiles({ archive, publisher, placeOf: whole?.placeOf });
  const catalogue = new JobCatalogue(publisher, index);
  const find = survey.finder();
  const numberOf = (user: string, session: string) => find(user, session)?.number ?? 0;
  const longTexts = new LongTexts(publisher, numberOf);
  const writer = new SessionWriter({
    storage: archive.storage,
    publisher,
    files,
    catalogue,
    datasets: report.datasets,
    longTexts,
    textOf: whole?.textOf,
    isCopy: archive.identity.pseudonymised !== undefined,
    placesOf: whole?.placesOf ?? placesIn(archive, survey),
  });
  const taken = await TakenSessions.begin(report, written);
  const { kept, changed } = await keepUnchanged(earlier, archive, survey, { publisher, files });
  if (earlier) catalogue.keep(earlier, kept, changed);
  const unchanged = new Map(kept.map((session) => [session.line.number, session]));
  const all = [...survey.sessions()];
  const sessions = all.filter(({ number }) => !unchanged.has(number));
  let next = 0;
  const takeUnchanged = async (before?: SurveyedSession): Promise<void> => {
    for (let surveyed = all[next++]; surveyed && surveyed !== before; surveyed = all[next++]) {
      const session = unchanged.get(surveyed.number);
      if (session) await taken.add(session);
    }
  };
  if (sessions.length > 0) {
    const conversations = await conversationsOf(report, sessions, longTexts);
    try {
      for await (const conversation of conversations.read()) {
        await takeUnchanged(conversation.session);
        await taken.add(await writer.write(conversation));
      }
    } finally {
      await conversations.discard();
    }
  }
  await takeUnchanged();
  const { tallies, gaps } = await taken.finish();
  return { tallies, gaps, files, catalogue, kept: kept.length };
}

/** What stands of each session beside its own files: in the lists of people and gaps, in the counts and the caveats. */
class TakenSessions {
  readonly #tallies = new Tallies();
  readonly #gaps = new GapList();
  readonly #report: OpenReport;
  readonly #written: Written;
  /** For a later report; none where this is a part of something larger. */
  readonly #notes: LinesFile | undefined;

  private constructor(report: OpenReport, written: Written, notes: LinesFile | undefined) {
    this.#report = report;
    this.#written = written;
    this.#notes = notes;
  }

  static async begin(report: OpenReport, written: Written): Promise<TakenSessions> {
    const notes = report.whole ? undefined : await written.publisher.lines(SESSIONS_FILE);
    return new TakenSessions(report, written, notes);
  }

  async add(session: KeptSession): Promise<void> {
    const { user, id, name } = session.line;
    await this.#written.people.add(session.line);
    this.#gaps.add(session.gaps);
    const { remarks } = session;
    this.#report.survey.making.tell({ user, session: id }, { name, remarks });
    this.#tallies.merge(session.counts);
    await this.#notes?.write(JSON.stringify(session));
  }

  /** Also names the users and jobs that have no session to stand in. */
  async finish(): Promise<Pick<WrittenSessions, 'tallies' | 'gaps'>> {
    await this.#notes?.finish();
    const { options, survey } = this.#report;
    const isCopy = options.archive.identity.pseudonymised !== undefined;
    const unlisted = unlistedUsers(survey, isCopy);
    for (const gap of unlisted) this.#tallies.gap(gap);
    this.#gaps.add(unlisted);
    this.#gaps.add(undatedJobs(survey));
    return { tallies: this.#tallies, gaps: this.#gaps.lines };
  }
}

/** Reads the rows of these sessions: of few among many, only from the files that may have them. */
async function conversationsOf(
  { options, survey, whole }: OpenReport,
  sessions: readonly SurveyedSession[],
  longTexts: LongTexts,
): Promise<Conversations<SurveyedSession>> {
  const { archive, target, users = [], signal } = options;
  const { selection, view, found, rows: all } = survey.making;
  const isFew = !whole && found === undefined && sessions.length <= survey.sessionCount / 4;
  const ids = [...new Set(sessions.map(({ session }) => session))];
  const narrow = isFew && (await Selection.of(archive, { users, sessions: ids }, { signal }));
  const rows = narrow
    ? await SelectedRows.of(options, narrow.withDecisions(selection.decisions), view.lost)
    : all;
  const shown: LongTexts['shown'] = (table, row) => longTexts.shown(table, row);
  const given = { rows, tables: TABLES, omitted: NOT_SHOWN, target, shown };
  return Conversations.of(survey.making, sessions, given);
}

/** Where all jobs are shown, each stands in its place. */
function placesIn({ states }: Archive, survey: Survey) {
  const { found, view, selection } = survey.making;
  if (!found && selection.decisions.isEmpty) return () => Promise.resolve(undefined);
  const bySession = new Map(
    Array.from(survey.sessions(), (session) => [session.number, session] as const),
  );
  const owners = new Map(Array.from(selection.users, (id) => [rowId(id), id]));
  return async (session: number): Promise<ReadonlyMap<string, number | null> | undefined> => {
    const surveyed = bySession.get(session);
    const user = surveyed && owners.get(surveyed.user);
    if (!surveyed || user === undefined) return undefined;
    const { sessions } = await states.loadAsOf(user, view.head?.number ?? 0);
    const state = [...sessions].find(([id]) => rowId(id) === surveyed.session)?.[1];
    return state && jobPlaces(state);
  };
}
