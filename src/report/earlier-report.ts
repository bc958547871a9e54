/**
 * The report that stands in the place of a new one: what it showed of each session, and its numbers. A session whose
 * print is the same is shown the same: its files are kept. Whatever is odd about the earlier report leaves it aside, and
 * everything is written.
 */
import { sha256Hex } from '../base/digest.js';
import { parseJson } from '../base/text/parse-json.js';
import { sessionKey } from '../model/ids.js';
import type { EarlierDirectory } from '../storage/local/whole-directory.js';
import { getIfThere } from '../storage/storage.js';
import type { GapLine, PeopleData, SearchPlan, SessionLine } from './page-data.js';
import { dataIn, REPORT_MARK } from './publisher.js';
import type { KnownNumbers } from './survey.js';
import type { KeptCounts } from './tallies.js';
import type { When } from './when.js';

/** What a report keeps of a session beside its pages, for the next one in its place. */
export interface KeptSession {
  readonly print: string;
  readonly line: SessionLine;
  readonly userNumber: number;
  /** The number of its first job; the others follow. */
  readonly firstJob: number;
  /** When each was asked. */
  readonly asked: readonly When[];
  readonly pieces: number;
  /** Paths in the archive of the tables and images that it shows. */
  readonly shown: readonly string[];
  /** Files of long texts. */
  readonly texts: readonly string[];
  readonly gaps: readonly GapLine[];
  readonly counts: KeptCounts;
}

/** One line of JSON for each session. */
export const SESSIONS_FILE = 'data/jobvault-sessions.jsonl';
/** Whatever shows the same rows otherwise. */
export interface ReportSettings {
  /** `jobvault <version>` */
  readonly tool: string;
  /** Id of the archive. */
  readonly archive: string;
  readonly linkBase: string | undefined;
  readonly datasets: ReadonlyMap<string, string>;
}

export function settingsDigest({ datasets, ...settings }: ReportSettings): string {
  const named = [...datasets].sort(([a], [b]) => (a < b ? -1 : 1));
  return sha256Hex(JSON.stringify([settings, named]));
}

export class EarlierReport {
  readonly #sessions: readonly string[];

  private constructor(
    readonly directory: EarlierDirectory,
    readonly plan: SearchPlan,
    readonly numbers: KnownNumbers,
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
    if ((mark as { readonly settings?: unknown } | null)?.settings !== settings) return undefined;
    const lines = Buffer.from(await storage.get(SESSIONS_FILE))
      .toString()
      .split('\n');
    const sessions = lines.filter((line) => line !== '');
    const plan = (await dataOf(directory, 'find')) as SearchPlan;
    const people = (await dataOf(directory, 'people')) as PeopleData;
    const users = new Map(people.users.map(({ id, number }) => [id, number]));
    const numbers = new Map<string, number>();
    let live = 0;
    for (const line of sessions) {
      const { line: told, asked } = parseJson(line) as KeptSession;
      numbers.set(sessionKey(told.user, told.id), told.number);
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
    return new EarlierReport(directory, plan, known, live, sessions);
  }

  *sessions(): Generator<KeptSession> {
    for (const line of this.#sessions) yield parseJson(line) as KeptSession;
  }

  /** What a data file of it hands over. @throws it is missing or damaged */
  async data(key: string): Promise<unknown> {
    return dataOf(this.directory, key);
  }
}

async function dataOf({ storage }: EarlierDirectory, key: string): Promise<unknown> {
  const bytes = await getIfThere(storage, `data/${key}.js`).catch(() => undefined);
  return dataIn(key, Buffer.from(bytes ?? '').toString());
}

function highest(numbers: Iterable<number>): number {
  let most = 0;
  for (const number of numbers) most = Math.max(most, number);
  return most;
}
