/**
 * The report that stands in the place of a new one: what it showed of each session, and its numbers. A session whose
 * print is the same is shown the same: its files are kept. Whatever is odd about the earlier report leaves it aside, and
 * everything is written.
 */
import { sha256Hex } from '../base/digest.js';
import { parseJson } from '../base/text/parse-json.js';
import { sessionKey } from '../model/ids.js';
import type { EarlierDirectory } from '../storage/local/whole-directory.js';
import { getIfThere } from '../storage/small-objects.js';
import type { Remark } from '../archive/reading/caveats/job-remarks.js';
import type { GapLine, PeopleData, SearchPlan, SessionLine } from './page-data.js';
import { type EarlierFiles } from './publisher.js';
import { dataIn, digestsIn, FILES_LIST, REPORT_MARK } from './data-script.js';
import type { KnownNumbers, SurveyedSession } from '../making/survey.js';
import type { KeptCounts } from './first-page/tallies.js';
import type { When } from '../model/times/when.js';

/** What a report keeps of a session beside its pages, for the next one in its place. */
export interface KeptSession {
  readonly print: string;
  /** See `contentPrint`. */
  readonly content: string;
  readonly line: SessionLine;
  readonly userNumber: number;
  /** The number of each job, and a print of all by which it is found. */
  readonly jobs: readonly (readonly [number: number, print: string])[];
  /** When each was asked. */
  readonly asked: readonly When[];
  readonly pieces: number;
  /** Paths in the archive of the tables and images that it shows. */
  readonly shown: readonly string[];
  /** Files of long texts. */
  readonly texts: readonly string[];
  readonly gaps: readonly GapLine[];
  readonly remarks: readonly Remark[];
  readonly counts: KeptCounts;
}

/** A version of a job: its id as rows have it, the number of the version, and the hash of its content. */
export type PrintedJob = readonly [job: string, version: number, hash: string];

/**
 * Equal where a report shows the same of a session, as long as nothing is erased: whoever writes rows of a job or of a
 * session again gives them another version. A later run may note in the log alone what changes nothing of this.
 *
 * @param version of the session
 */
export function contentPrint(
  surveyed: SurveyedSession,
  version: number,
  jobs: readonly PrintedJob[],
): string {
  const { number, userNumber, user, session, history, isDeleted, goneAt, gaps, accepted, holds } =
    surveyed;
  const ids = [number, userNumber, user, session];
  const sorted = jobs.toSorted(([a], [b]) => (a < b ? -1 : 1));
  const kept = [
    surveyed.jobs,
    surveyed.unsettled,
    history,
    isDeleted,
    goneAt,
    gaps,
    accepted,
    holds,
  ];
  return sha256Hex(JSON.stringify([ids, kept, version, sorted]));
}

/** One line of JSON for each session. */
export const SESSIONS_FILE = 'data/jobvault-sessions.jsonl';
/** Whatever shows the same rows otherwise. */
export interface ReportSettings {
  /** `jobvault <version>` */
  readonly tool: string;
  /** Id of the archive. */
  readonly archive: string;
  readonly datasets: ReadonlyMap<string, string>;
}

/** What a report says of itself, as far as the next one in its place reads it. */
interface ReportMark {
  readonly settings?: unknown;
  readonly head?: number;
  /** SHA-256 of the list of its files. */
  readonly files?: string;
}

export function settingsDigest({ datasets, ...settings }: ReportSettings): string {
  const named = [...datasets].sort(([a], [b]) => (a < b ? -1 : 1));
  return sha256Hex(JSON.stringify([settings, named]));
}

export class EarlierReport {
  readonly #sessions: readonly string[];

  private constructor(
    readonly files: EarlierFiles,
    readonly plan: SearchPlan,
    readonly numbers: KnownNumbers,
    /** The commit as of which it is. */
    readonly head: number,
    /** How many jobs it has; numbers of others have left. */
    readonly liveJobs: number,
    sessions: readonly string[],
  ) {
    this.#sessions = sessions;
  }

  /** Undefined where there is none of the same settings, or none that can be read. */
  static async in(
    directory: EarlierDirectory | undefined,
    settings: string,
  ): Promise<EarlierReport | undefined> {
    if (!directory) return undefined;
    try {
      return await EarlierReport.#read(directory, settings);
    } catch {
      return undefined; // a damaged report is made anew
    }
  }

  static async #read(
    directory: EarlierDirectory,
    settings: string,
  ): Promise<EarlierReport | undefined> {
    const { storage } = directory;
    const mark = parseJson(Buffer.from(await storage.get(REPORT_MARK)).toString());
    const { settings: before, head, files: listed } = mark as ReportMark;
    if (before !== settings || head === undefined) return undefined;
    const list = await storage.get(FILES_LIST);
    if (sha256Hex(list) !== listed) return undefined;
    const files = { directory, digests: digestsIn(Buffer.from(list).toString()) };
    const lines = (await textOf(files, SESSIONS_FILE)).split('\n');
    const sessions = lines.filter((line) => line !== '');
    const plan = (await dataOf(files, 'find')) as SearchPlan;
    const people = (await dataOf(files, 'people')) as PeopleData;
    const users = new Map(people.users.map(({ id, number }) => [id, number]));
    const numbers = new Map<string, number>();
    let live = 0;
    for (const line of sessions) {
      const { line: kept, asked } = parseJson(line) as KeptSession;
      numbers.set(sessionKey(kept.user, kept.id), kept.number);
      live += asked.length;
    }
    // numbers of jobs that are not there any more: with too many of them all are given anew
    if (plan.jobs > 2 * live) return undefined;
    const known = {
      users,
      sessions: numbers,
      lastUser: highest(users.values()),
      lastSession: highest(numbers.values()),
    };
    return new EarlierReport(files, plan, known, head, live, sessions);
  }

  *sessions(): Generator<KeptSession> {
    for (const line of this.#sessions) yield parseJson(line) as KeptSession;
  }

  /** What a data file of it hands over. @throws it is missing or damaged */
  async data(key: string): Promise<unknown> {
    return dataOf(this.files, key);
  }
}

async function dataOf(files: EarlierFiles, key: string): Promise<unknown> {
  return dataIn(key, await textOf(files, `data/${key}.js`));
}

/** @throws {SyntaxError} it is not as it was written */
async function textOf({ directory, digests }: EarlierFiles, path: string): Promise<string> {
  const bytes = await getIfThere(directory.storage, path).catch(() => undefined);
  if (!bytes || sha256Hex(bytes) !== digests.get(path)) {
    throw new SyntaxError(`${path} is not as it was written`);
  }
  return Buffer.from(bytes).toString();
}

function highest(numbers: Iterable<number>): number {
  let most = 0;
  for (const number of numbers) most = Math.max(most, number);
  return most;
}
