/** Builds the full-text index: words with their jobs, cut into pieces that a page loads one by one. */
import { Spool } from '../../archive/reading/rows/spool.js';
import type { Storage } from '../../storage/storage.js';
import type { EarlierReport } from '../earlier-report.js';
import { filedWords, partitionCount, indexPartitionOf } from '../first-page/index-words.js';
import type { IndexPiece, SearchPlan } from '../page-data.js';
import type { Publisher } from '../publisher.js';

/** Characters of a piece; a word that is in very many jobs may need more. */
const PIECE_CHARACTERS = 48 * 1024;
/** Words of jobs that memory holds: some 10 MB. */
const MAX_WAITING = 500_000;
/** A word's first job takes as much memory as so many others: words that only one job has are most of what is held. */
const FIRST_JOB = 10;

/** The jobs of an earlier report that are still there. */
export interface EarlierJobs {
  readonly report: EarlierReport;
  /** By number: 1 if it is still there. */
  readonly alive: Uint8Array;
  /** Whether one that the earlier report has is not. */
  readonly hasLeft: boolean;
}

export class SearchIndex {
  readonly #spool: Spool;
  /** The jobs of each word, rising. */
  #waiting = new Map<string, number[]>();
  #waitingJobs = 0;

  private constructor(spool: Spool) {
    this.#spool = spool;
  }

  static async open(storage: Storage): Promise<SearchIndex> {
    return new SearchIndex(await Spool.open(storage, partitionCount));
  }

  /** @param number counts the report's jobs, from 0 @param text everything by which the job is to be found */
  async add(number: number, text: string): Promise<void> {
    for (const word of filedWords(text)) {
      const jobs = this.#waiting.get(word);
      if (jobs) jobs.push(number);
      else this.#waiting.set(word, [number]);
      this.#waitingJobs += jobs ? 1 : FIRST_JOB;
    }
    if (this.#waitingJobs > MAX_WAITING) await this.#setAside();
  }

  /** Writes `f/<partition>-<piece>`. Memory holds a partition. */
  async publish(
    publisher: Publisher,
    earlier: EarlierJobs | undefined,
  ): Promise<SearchPlan['partitions']> {
    await this.#setAside();
    await this.#spool.close();
    const partitions: (readonly string[])[] = [];
    for (let partition = 0; partition < this.#spool.size; partition++) {
      const added = await this.#wordsOf(partition);
      const firsts = earlier?.report.plan.partitions[partition] ?? [];
      const keys = firsts.map((_first, piece) => `f/${partition}-${piece}`);
      if (earlier?.hasLeft === false && added.size === 0) {
        if (await publisher.keepAll(keys.map((key) => `data/${key}.js`))) {
          partitions.push(firsts);
          continue;
        }
      }
      const entries = earlier ? await entriesOf(earlier, keys) : new Map<string, string>();
      for (const [word, jobs] of added) {
        const before = entries.get(word);
        entries.set(word, before === undefined ? spelled(jobs) : spelledAfter(before, jobs));
      }
      partitions.push(await publishPartition(publisher, partition, entries));
    }
    return partitions;
  }

  async discard(): Promise<void> {
    await this.#spool.discard();
  }

  async #setAside(): Promise<void> {
    const lines = Array.from({ length: this.#spool.size }, (): string[] => []);
    for (const [word, jobs] of this.#waiting) {
      lines[indexPartitionOf(word)]?.push(`${word} ${jobs.join(' ')}`);
    }
    for (const [partition, some] of lines.entries()) {
      if (some.length > 0) await this.#spool.add(partition, some.join('\n'));
    }
    this.#waiting = new Map();
    this.#waitingJobs = 0;
  }

  async #wordsOf(partition: number): Promise<Map<string, number[]>> {
    const words = new Map<string, number[]>();
    for await (const line of this.#spool.lines(partition)) {
      const [word = '', ...jobs] = line.split(' ');
      const before = words.get(word);
      if (before) for (const job of jobs) before.push(Number(job));
      else words.set(word, jobs.map(Number));
    }
    return words;
  }
}

/** Cut where the words before it fill a piece, so that what was cut before an added word stays as it is. */
async function publishPartition(
  publisher: Publisher,
  partition: number,
  entries: ReadonlyMap<string, string>,
): Promise<string[]> {
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
  for (const [word, entry] of [...entries].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (characters + entry.length > PIECE_CHARACTERS) await cut();
    piece.push([word, entry]);
    characters += word.length + entry.length + 8;
  }
  await cut();
  return firsts;
}

/** The entries of a partition of the earlier report, without the jobs that have left and the words that only these had. */
async function entriesOf(
  { report, alive, hasLeft }: EarlierJobs,
  keys: readonly string[],
): Promise<Map<string, string>> {
  const entries = new Map<string, string>();
  for (const key of keys) {
    for (const [word, entry] of (await report.data(key)) as IndexPiece) {
      if (!hasLeft) {
        entries.set(word, entry);
        continue;
      }
      const all = numbersIn(entry);
      const aliveNumbers = all.filter((number) => alive[number] === 1);
      if (aliveNumbers.length > 0)
        entries.set(word, aliveNumbers.length < all.length ? spelled(aliveNumbers) : entry);
    }
  }
  return entries;
}

/** Steps from one number to the next. @param numbers rising */
function spelled(numbers: readonly number[], last = 0): string {
  let before = last;
  return numbers
    .map((number) => {
      const step = number - before;
      before = number;
      return step.toString(36);
    })
    .join(' ');
}

function spelledAfter(entry: string, numbers: readonly number[]): string {
  return `${entry} ${spelled(numbers, numbersIn(entry).at(-1))}`;
}

function numbersIn(entry: string): number[] {
  let number = 0;
  return entry.split(' ').map((step) => (number += parseInt(step, 36)));
}
