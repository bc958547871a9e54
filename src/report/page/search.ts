/** Looks words up in the index; of the index only the pieces are loaded where they can be. */
import {
  JOBS_PER_DIRECTORY,
  type FoundJob,
  type IndexPiece,
  type JobDirectory,
  type SearchPlan,
} from '../page-data.js';
import { partitionOf, queryWords } from '../words.js';
import { load } from './data.js';

export interface Hits {
  /** Numbers of the jobs that have every word: those with all in the question first, then newest last archived first. */
  readonly jobs: readonly number[];
  /** Nothing to look up was in the query. */
  readonly isEmpty: boolean;
}

export async function hitsOf(query: string): Promise<Hits> {
  const words = queryWords(query);
  if (words.length === 0) return { jobs: [], isEmpty: true };
  const plan = await load<SearchPlan>('find');
  const found = await Promise.all(words.map(({ word, isStart }) => jobsWith(plan, word, isStart)));
  const [first, ...others] = found.sort((a, b) => a.size - b.size);
  const asked: number[] = [];
  const told: number[] = [];
  for (const [job, inQuestion] of first ?? []) {
    if (!others.every((jobs) => jobs.has(job))) continue;
    (inQuestion && others.every((jobs) => jobs.get(job)) ? asked : told).push(job);
  }
  const descending = (a: number, b: number): number => b - a;
  return { jobs: [...asked.sort(descending), ...told.sort(descending)], isEmpty: false };
}

export async function foundJob(number: number): Promise<FoundJob | undefined> {
  const piece = await load<JobDirectory>(`j/${Math.floor(number / JOBS_PER_DIRECTORY)}`);
  return piece.jobs[number % JOBS_PER_DIRECTORY];
}

/** With true where the question has the word. */
async function jobsWith(
  { partitions }: SearchPlan,
  word: string,
  isStart: boolean,
): Promise<Map<number, boolean>> {
  const partition = partitionOf(word);
  const firsts = partitions[partition] ?? [];
  const jobs = new Map<number, boolean>();
  const matches = (other: string): boolean => (isStart ? other.startsWith(word) : other === word);
  const pieces = firsts.flatMap((first, index) => {
    const next = firsts[index + 1];
    const beginsInTime = first <= word || matches(first);
    const endsInTime = next === undefined || next > word || matches(next);
    return beginsInTime && endsInTime ? [load<IndexPiece>(`f/${partition}-${index}`)] : [];
  });
  for (const piece of await Promise.all(pieces)) {
    for (const [other, steps] of piece) {
      if (!matches(other)) continue;
      let number = 0;
      for (const step of steps.split(' ')) {
        number += parseInt(step, 36);
        const job = number >> 1;
        jobs.set(job, (number & 1) === 1 || jobs.get(job) === true);
      }
    }
  }
  return jobs;
}
