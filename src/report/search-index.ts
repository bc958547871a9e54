/** Builds the full-text index: words with their jobs, cut into pieces that a page loads one by one. */
import type { Storage } from '../storage/storage.js';
import type { SearchPlan } from './page-data.js';
import type { Publisher } from './publisher.js';
import { Spool } from '../archive/parts/spool.js';
import { partitionCount, partitionOf, wordsOf } from './words.js';

/** Characters of a piece; a word that is in very many jobs may need more. */
const PIECE_CHARACTERS = 48 * 1024;

export interface IndexedJob {
  /** Counts the report's jobs, from 0. */
  readonly number: number;
  readonly question: string;
  /** Everything else by which it is to be found. */
  readonly rest: string;
}

export class SearchIndex {
  readonly #spool: Spool;

  private constructor(spool: Spool) {
    this.#spool = spool;
  }

  static async open(storage: Storage): Promise<SearchIndex> {
    return new SearchIndex(await Spool.open(storage, partitionCount));
  }

  async add({ number, question, rest }: IndexedJob): Promise<void> {
    const asked = wordsOf(question);
    for (const word of new Set([...asked, ...wordsOf(rest)])) {
      // the lowest bit tells that the question has it: those are shown first
      await this.#spool.add(partitionOf(word), `${word} ${number * 2 + (asked.has(word) ? 1 : 0)}`);
    }
  }

  /** Writes `f/<partition>-<piece>`. Memory holds a partition. */
  async publish(publisher: Publisher, jobs: number): Promise<SearchPlan> {
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
    return { partitions, jobs };
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
