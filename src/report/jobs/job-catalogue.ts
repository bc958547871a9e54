/** Numbers the report's jobs, lists them in pieces with their times, and files each under its words. */
import { JOBS_PER_DIRECTORY, type FoundJob, type TimesPiece } from '../page-data.js';
import type { Publisher } from '../publisher.js';
import type { SearchIndex } from '../search-index.js';
import type { SurveyedSession } from '../survey.js';
import type { When } from '../when.js';

/** A piece of times ends with the session that reaches this. */
const JOBS_PER_TIMES = 10_000;

export class JobCatalogue {
  #waiting: FoundJob[] = [];
  #count = 0;
  #times: TimesPiece['sessions'][number][] = [];
  /** The first job of each piece of times; the last one is not written yet. */
  readonly #firsts = [0];
  readonly #publisher: Publisher;
  readonly #index: SearchIndex;

  constructor(publisher: Publisher, index: SearchIndex) {
    this.#publisher = publisher;
    this.#index = index;
  }

  /** @param text everything by which it is to be found */
  async add(job: FoundJob, text: string): Promise<void> {
    await this.#index.add(this.#count, text);
    this.#waiting.push(job);
    this.#count++;
    if (this.#waiting.length === JOBS_PER_DIRECTORY) await this.#flush();
  }

  /** After its jobs. */
  async endSession({ number, userNumber }: SurveyedSession, asked: readonly When[]): Promise<void> {
    this.#times.push([number, userNumber, asked]);
    if (this.#count - (this.#firsts.at(-1) ?? 0) < JOBS_PER_TIMES) return;
    await this.#flushTimes();
    this.#firsts.push(this.#count);
  }

  async finish(): Promise<void> {
    if (this.#waiting.length > 0) await this.#flush();
    await this.#flushTimes();
    const partitions = await this.#index.publish(this.#publisher);
    await this.#publisher.data('find', { partitions, jobs: this.#count, times: this.#firsts });
  }

  async #flush(): Promise<void> {
    const piece = Math.floor((this.#count - 1) / JOBS_PER_DIRECTORY);
    await this.#publisher.data(`j/${piece}`, { jobs: this.#waiting });
    this.#waiting = [];
  }

  async #flushTimes(): Promise<void> {
    await this.#publisher.data(`c/${this.#firsts.length - 1}`, { sessions: this.#times });
    this.#times = [];
  }
}
