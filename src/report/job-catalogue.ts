/** Numbers the report's jobs, lists them in pieces, and files each under its words. */
import { JOBS_PER_DIRECTORY, type FoundJob } from './page-data.js';
import type { Publisher } from './publisher.js';
import type { SearchIndex } from './search-index.js';

export class JobCatalogue {
  #waiting: FoundJob[] = [];
  #count = 0;
  readonly #publisher: Publisher;
  readonly #index: SearchIndex;

  constructor(publisher: Publisher, index: SearchIndex) {
    this.#publisher = publisher;
    this.#index = index;
  }

  async add(job: FoundJob, question: string, rest: string): Promise<void> {
    await this.#index.add({ number: this.#count, question, rest });
    this.#waiting.push(job);
    this.#count++;
    if (this.#waiting.length === JOBS_PER_DIRECTORY) await this.#flush();
  }

  async finish(): Promise<void> {
    if (this.#waiting.length > 0) await this.#flush();
    await this.#publisher.data('find', await this.#index.publish(this.#publisher, this.#count));
  }

  async #flush(): Promise<void> {
    const piece = Math.floor((this.#count - 1) / JOBS_PER_DIRECTORY);
    await this.#publisher.data(`j/${piece}`, { jobs: this.#waiting });
    this.#waiting = [];
  }
}
