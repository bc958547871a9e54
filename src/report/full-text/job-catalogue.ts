/** Numbers the report's jobs, lists them in pieces with their times, and files each under its words. */
import { sha256Hex } from '../../base/digest.js';
import type { EarlierReport, KeptSession } from '../earlier-report.js';
import { JOBS_PER_DIRECTORY, type FoundJob, type JobDirectory } from '../page-data.js';
import { TimesByJob, type TimesOfSession } from './times-by-job.js';
import type { Publisher } from '../publisher.js';
import type { EarlierJobs, SearchIndex } from './search-index.js';
import type { SurveyedSession } from '../../making/survey.js';
import type { When } from '../../model/times/when.js';

/** A piece of times ends with the session that reaches this. */
const JOBS_PER_TIMES = 10_000;

/** Jobs of changed sessions that keep their numbers, at most: their lines are in memory. */
const MAX_RETAINED = 20_000;

/** A job's number, and a print of all by which it is found. */
export type FiledJob = KeptSession['jobs'][number];

type ListedJob = JobDirectory['jobs'][number];

export class JobCatalogue {
  #waiting: ListedJob[] = [];
  #count = 0;
  /** Where jobs of an earlier report keep their numbers. */
  #earlier: RetainedJobs | undefined;
  readonly #times = new TimesByJob();
  readonly #publisher: Publisher;
  readonly #index: SearchIndex;

  constructor(publisher: Publisher, index: SearchIndex) {
    this.#publisher = publisher;
    this.#index = index;
  }

  /**
   * Before any job is added: the jobs of the kept sessions keep their numbers, and so do those of changed ones that are
   * found as before. No other job gets those that are left over.
   */
  keep(report: EarlierReport, kept: readonly KeptSession[], changed: readonly KeptSession[]): void {
    this.#earlier = new RetainedJobs(report, kept, changed);
    for (const { line, userNumber, jobs, asked } of kept) {
      this.endSession({ number: line.number, userNumber }, jobs, asked);
    }
    this.#count = report.plan.jobs;
  }

  /** @param text everything by which it is to be found */
  async add(job: FoundJob, text: string): Promise<FiledJob> {
    const print = sha256Hex(text).slice(0, PRINT_CHARACTERS);
    const before = this.#earlier?.take(job, print);
    if (before !== undefined) return [before, print];
    const number = this.#count++;
    await this.#index.add(number, text);
    if (this.#earlier?.append(number, job) === true) return [number, print];
    this.#waiting.push(job);
    if (this.#count % JOBS_PER_DIRECTORY === 0) await this.#flush();
    return [number, print];
  }

  /** After its jobs. @param jobs in the order of `asked` */
  endSession(
    { number, userNumber }: Pick<SurveyedSession, 'number' | 'userNumber'>,
    jobs: readonly FiledJob[],
    asked: readonly When[],
  ): void {
    for (const [at, [job]] of jobs.entries()) {
      this.#times.add(job, { session: number, user: userNumber, asked: asked[at] ?? null });
    }
    this.#times.endSession();
  }

  async finish(): Promise<void> {
    if (this.#waiting.length > 0) await this.#flush();
    await this.#earlier?.publish(this.#publisher);
    const times = await this.#publishTimes();
    const partitions = await this.#index.publish(this.#publisher, this.#earlier?.jobs);
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
    const take = async (times: TimesOfSession): Promise<void> => {
      if (next - (firsts.at(-1) ?? 0) >= JOBS_PER_TIMES) {
        await cut();
        firsts.push(next);
      }
      sessions.push(times);
      next += times[2].length;
    };
    for (const { firstJob, times } of this.#times.runs()) {
      if (firstJob > next) await take(nobodys(firstJob - next));
      await take(times);
    }
    if (this.#count > next) await take(nobodys(this.#count - next));
    await cut();
    return firsts;
  }
}

/** The jobs of an earlier report that keep their numbers, and the pieces that list them. */
class RetainedJobs {
  readonly #report: EarlierReport;
  /** By number: 1 if it is still there. */
  readonly #alive: Uint8Array;
  /** The jobs of changed sessions, by number of the session and print. */
  readonly #known = new Map<number, Map<string, number>>();
  /** Lines of these, by number of the job: they may stand in another piece of the session now. */
  readonly #lines = new Map<number, FoundJob>();
  /** New jobs in the last piece that the earlier report has begun. */
  readonly #appended: FoundJob[] = [];

  constructor(
    report: EarlierReport,
    kept: readonly KeptSession[],
    changed: readonly KeptSession[],
  ) {
    this.#report = report;
    this.#alive = new Uint8Array(report.plan.jobs);
    for (const { jobs } of kept) for (const [number] of jobs) this.#alive[number] = 1;
    let remaining = MAX_RETAINED;
    for (const { line, jobs } of changed) {
      remaining -= jobs.length;
      if (remaining < 0) break;
      this.#known.set(line.number, new Map(jobs.map(([number, print]) => [print, number])));
    }
  }

  /** @returns its number, if it is found by the same as before */
  take(job: FoundJob, print: string): number | undefined {
    const known = this.#known.get(job.session);
    const number = known?.get(print);
    if (number === undefined) return undefined;
    known?.delete(print);
    this.#alive[number] = 1;
    this.#lines.set(number, job);
    return number;
  }

  /** @returns false: it stands in a piece that the earlier report has not begun */
  append(number: number, job: FoundJob): boolean {
    const { jobs } = this.#report.plan;
    if (number >= Math.ceil(jobs / JOBS_PER_DIRECTORY) * JOBS_PER_DIRECTORY) return false;
    this.#appended.push(job);
    return true;
  }

  /** After all jobs. */
  get jobs(): EarlierJobs {
    const aliveCount = this.#alive.reduce((sum, flag) => sum + flag, 0);
    const hasLeft = aliveCount < this.#report.liveJobs;
    return { report: this.#report, alive: this.#alive, hasLeft };
  }

  /** Writes the pieces that the earlier report has begun. @throws one of them is damaged */
  async publish(publisher: Publisher): Promise<void> {
    const { jobs } = this.#report.plan;
    const moved = new Set(Array.from(this.#lines.keys(), pieceOf));
    for (let from = 0; from < jobs; from += JOBS_PER_DIRECTORY) {
      const key = `j/${pieceOf(from)}`;
      const isWhole = this.#alive
        .subarray(from, from + JOBS_PER_DIRECTORY)
        .every((flag) => flag === 1);
      const isFull = from + JOBS_PER_DIRECTORY <= jobs;
      const isSame = isWhole && isFull && !moved.has(pieceOf(from));
      if (isSame && (await publisher.keep(`data/${key}.js`))) continue;
      const before = (await this.#report.data(key)) as JobDirectory;
      const listed = before.jobs.map((job, at): ListedJob =>
        this.#alive[from + at] === 1 ? (this.#lines.get(from + at) ?? job) : null,
      );
      await publisher.data(key, { jobs: isFull ? listed : [...listed, ...this.#appended] });
    }
  }
}

/** The characters of a digest that a print has. */
const PRINT_CHARACTERS = 24;

function pieceOf(job: number): number {
  return Math.floor(job / JOBS_PER_DIRECTORY);
}

/** Numbers of jobs that have left. */
function nobodys(count: number): TimesOfSession {
  return [0, 0, Array.from({ length: count }, () => null)];
}
