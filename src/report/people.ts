/** The users' data files: who there is, the sessions of each, and the sessions of all with the newest first. */
import {
  SESSIONS_PER_DIRECTORY,
  type SessionLine,
  type UserLine,
  JOBS_PER_DIRECTORY,
  type FoundJob,
  type JobDirectory,
  type TimesPiece,
} from './page-data.js';
import type { EarlierReport, KeptSession } from './earlier-report.js';
import type { Publisher } from './publisher.js';
import type { Survey, SurveyedSession } from './survey.js';
import { newerFirst, type When } from './when.js';
import type { EarlierJobs, SearchIndex } from './search-index.js';
import { groupBy } from '../base/group-by.js';
import { UNDATED_GAP } from '../search/search-choice.js';

export class People {
  readonly #lines = new Map<string, SessionLine[]>();

  add(line: SessionLine): void {
    const lines = this.#lines.get(line.user);
    if (lines) lines.push(line);
    else this.#lines.set(line.user, [line]);
  }

  /** Writes `people`, `u/<number>`, `l/<piece>` and `latest`. */
  async publish(publisher: Publisher, { users }: Survey): Promise<void> {
    const lines: UserLine[] = [];
    for (const { number, user: id, problem, isInDoubt, holds } of users.values()) {
      const sessions = (this.#lines.get(id) ?? []).sort(newestFirst);
      await publisher.data(`u/${number}`, { id, problem, isInDoubt, holds, sessions });
      lines.push({
        number,
        id,
        sessions: sessions.length,
        jobs: sum(sessions.map(({ jobs }) => jobs)),
        gaps: sum(sessions.map(({ gaps }) => gaps)) + (problem === null ? 0 : 1),
        newest: sessions[0]?.newest ?? null,
        isHeld: holds.length > 0,
        isInDoubt,
      });
    }
    await publisher.data('people', { users: lines });
    await this.#publishSessions(publisher);
  }

  async #publishSessions(publisher: Publisher): Promise<void> {
    const all = [...this.#lines.values()].flat();
    const latest = all.sort(newestFirst).slice(0, SESSIONS_PER_DIRECTORY);
    await publisher.data('latest', { sessions: latest, total: all.length });
    const pieces = groupBy(
      all.sort((a, b) => a.number - b.number),
      ({ number }) => Math.floor((number - 1) / SESSIONS_PER_DIRECTORY),
    );
    for (const [piece, sessions] of pieces) await publisher.data(`l/${piece}`, { sessions });
  }
}

function newestFirst(a: SessionLine, b: SessionLine): number {
  return newerFirst(a.newest, b.newest) || a.number - b.number;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

/** Numbers the report's jobs, lists them in pieces with their times, and files each under its words. */

/** A piece of times ends with the session that reaches this. */
const JOBS_PER_TIMES = 10_000;

export class JobCatalogue {
  #waiting: JobDirectory['jobs'][number][] = [];
  #count = 0;
  #earlier: EarlierJobs | undefined;
  readonly #times: { readonly firstJob: number; readonly of: TimesOfSession }[] = [];
  readonly #publisher: Publisher;
  readonly #index: SearchIndex;

  constructor(publisher: Publisher, index: SearchIndex) {
    this.#publisher = publisher;
    this.#index = index;
  }

  /** The number that the next job gets. */
  get next(): number {
    return this.#count;
  }

  /** Before any job is added: the jobs of the kept sessions keep their numbers, and no other job gets those of the others. */
  async keep(report: EarlierReport, kept: readonly KeptTimes[]): Promise<void> {
    const { jobs } = report.plan;
    const alive = new Uint8Array(jobs);
    for (const { line, userNumber, firstJob, asked } of kept) {
      alive.fill(1, firstJob, firstJob + asked.length);
      this.#times.push({ firstJob, of: [line.number, userNumber, asked] });
    }
    const left = alive.reduce((sum, one) => sum + one, 0);
    this.#earlier = { report, alive, hasLeft: left < report.liveJobs };
    for (let from = 0; from < jobs; from += JOBS_PER_DIRECTORY) {
      const key = `j/${from / JOBS_PER_DIRECTORY}`;
      const isWhole = alive.subarray(from, from + JOBS_PER_DIRECTORY).every((one) => one === 1);
      const isFull = from + JOBS_PER_DIRECTORY <= jobs;
      if (isWhole && isFull && (await this.#publisher.keep(`data/${key}.js`))) continue;
      const before = (await report.data(key)) as JobDirectory;
      const jobsLeft = before.jobs.map((job, at) => (alive[from + at] === 1 ? job : null));
      if (isFull) await this.#publisher.data(key, { jobs: jobsLeft });
      else this.#waiting = jobsLeft;
    }
    this.#count = jobs;
  }

  /** @param text everything by which it is to be found */
  async add(job: FoundJob, text: string): Promise<void> {
    await this.#index.add(this.#count, text);
    this.#waiting.push(job);
    this.#count++;
    if (this.#waiting.length === JOBS_PER_DIRECTORY) await this.#flush();
  }

  /** After its jobs. */
  endSession({ number, userNumber }: SurveyedSession, asked: readonly When[]): void {
    this.#times.push({ firstJob: this.#count - asked.length, of: [number, userNumber, asked] });
  }

  async finish(): Promise<void> {
    if (this.#waiting.length > 0) await this.#flush();
    const times = await this.#publishTimes();
    const partitions = await this.#index.publish(this.#publisher, this.#earlier);
    await this.#publisher.data('find', { partitions, jobs: this.#count, times });
  }

  async #flush(): Promise<void> {
    const piece = Math.floor((this.#count - 1) / JOBS_PER_DIRECTORY);
    await this.#publisher.data(`j/${piece}`, { jobs: this.#waiting });
    this.#waiting = [];
  }

  /** @returns the first job of each piece */
  async #publishTimes(): Promise<number[]> {
    const firsts = [0];
    let sessions: TimesOfSession[] = [];
    let next = 0;
    const cut = async (): Promise<void> => {
      await this.#publisher.data(`c/${firsts.length - 1}`, { sessions });
      sessions = [];
    };
    const take = async (of: TimesOfSession): Promise<void> => {
      if (next - (firsts.at(-1) ?? 0) >= JOBS_PER_TIMES) {
        await cut();
        firsts.push(next);
      }
      sessions.push(of);
      next += of[2].length;
    };
    for (const { firstJob, of } of this.#times.sort((a, b) => a.firstJob - b.firstJob)) {
      if (firstJob > next) await take(nobodys(firstJob - next));
      await take(of);
    }
    if (this.#count > next) await take(nobodys(this.#count - next));
    await cut();
    return firsts;
  }
}

type TimesOfSession = TimesPiece['sessions'][number];
type KeptTimes = Pick<KeptSession, 'line' | 'userNumber' | 'firstJob' | 'asked'>;

/** Numbers of jobs that have left. */
function nobodys(count: number): TimesOfSession {
  return [0, 0, Array.from({ length: count }, () => null)];
}

/** What a reader of the report can do about a gap. */

const AGAIN = 'run jobvault export --retry-gaps';

/** By the status of the gap; for others a general word. */
const ADVICE: ReadonlyMap<string, string> = new Map([
  ['expired', `The file's URL had expired: ${AGAIN}, which reads a new URL first.`],
  ['missing', `The file host no longer has the file: ${AGAIN}; if it stays missing, it is lost.`],
  ['rejected', `Something came that was not the file: read the reason, then ${AGAIN}.`],
  ['unresolved', 'The record names no URL: see whether export needs --storage-base-url.'],
  ['failed', `The service or the file host failed: ${AGAIN}.`],
  ['not_fetched', 'jobvault does not fetch files of this kind: fetch it from its address by hand.'],
  [
    'doubtful',
    'The stored file could not be compared with the service: run jobvault export again.',
  ],
  ['refused', 'The service refused this: see whether the API key may read it, then export again.'],
  ['incomplete', 'Run jobvault export again: it goes on where the last run ended.'],
  [
    UNDATED_GAP.status,
    'Make this again with --undated include, or exclude if they may be left out.',
  ],
  [
    'user not listed',
    'Run jobvault export again; if it fails again, see whether the user id is right.',
  ],
]);

export function adviceOn(status: string): string {
  return ADVICE.get(status) ?? 'Run jobvault export again, and look at the reason.';
}
