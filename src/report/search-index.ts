/** Builds the full-text index: words with their jobs, cut into pieces that a page loads one by one. */
import { Spool } from '../archive/reading/spool.js';
import type { Storage } from '../storage/storage.js';
import { filedWords, partitionCount, indexPartitionOf } from './index-words.js';
import type { SearchPlan } from './page-data.js';
import type { Publisher } from './publisher.js';

/** Characters of a piece; a word that is in very many jobs may need more. */
const PIECE_CHARACTERS = 48 * 1024;

export class SearchIndex {
  readonly #spool: Spool;

  private constructor(spool: Spool) {
    this.#spool = spool;
  }

  static async open(storage: Storage): Promise<SearchIndex> {
    return new SearchIndex(await Spool.open(storage, partitionCount));
  }

  /** @param number counts the report's jobs, from 0 @param text everything by which the job is to be found */
  async add(number: number, text: string): Promise<void> {
    for (const word of filedWords(text)) {
      await this.#spool.add(indexPartitionOf(word), `${word} ${number}`);
    }
  }

  /** Writes `f/<partition>-<piece>`. Memory holds a partition. */
  async publish(publisher: Publisher): Promise<SearchPlan['partitions']> {
    await this.#spool.close();
    const partitions: string[][] = [];
    for (let partition = 0; partition < this.#spool.size; partition++) {
      const words = await this.#wordsOf(partition);
      const firsts: string[] = [];
      let piece: [string, string][] = [];
      let characters = 0;
      const cut = async (): Promise<void> => {
        const [first] = piece;
        if (!first) return;
        await publisher.data(`f/${partition}-${firsts.length}`, piece);
        firsts.push(first[0]);
        piece = [];
        characters = 0;
      };
      for (const [word, jobsOfWord] of words) {
        const entry = spelled(jobsOfWord);
        if (characters + entry.length > PIECE_CHARACTERS) await cut();
        piece.push([word, entry]);
        characters += word.length + entry.length + 8;
      }
      await cut();
      partitions.push(firsts);
    }
    return partitions;
  }

  async discard(): Promise<void> {
    await this.#spool.discard();
  }

  async #wordsOf(partition: number): Promise<[string, number[]][]> {
    const words = new Map<string, number[]>();
    for await (const line of this.#spool.lines(partition)) {
      const space = line.indexOf(' ');
      const word = line.slice(0, space);
      const job = Number(line.slice(space + 1));
      const jobs = words.get(word);
      if (jobs) jobs.push(job);
      else words.set(word, [job]);
    }
    return [...words].sort(([a], [b]) => (a < b ? -1 : 1));
  }
}

/** Steps from one number to the next. @param numbers rising */
function spelled(numbers: readonly number[]): string {
  let before = 0;
  return numbers
    .map((number) => {
      const step = number - before;
      before = number;
      return step.toString(36);
    })
    .join(' ');
}
