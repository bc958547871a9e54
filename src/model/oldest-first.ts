/**
 * Sorts the jobs of a conversation as they were asked: by time where the ids of all tell one, else by number. Numbers
 * are those of when each job was first archived.
 */
import { orderOf, timeBounds } from './time-bounds.js';
import type { CellValue, Row } from './table-schema.js';

/** @param jobs rows of the table jobs, one per job */
export function oldestFirst(jobs: readonly Row[]): Row[] {
  const times = jobs.map(timeOf);
  return jobs.toSorted(times.includes(undefined) ? byNumber : byTime);
}

/**
 * The same jobs with bounds from their neighbours of now, where ids tell no time: a row has those of when it was
 * written.
 *
 * @param history oldest first; it may lack jobs, whose times the rows then know better
 */
export function besideNeighbours(history: readonly Row[]): Row[] {
  if (!showsOrder(history)) return [...history];
  const times = history.map((job) => timeOf(job) ?? null);
  const bounds = timeBounds(times);
  return history.map((job, at) => {
    const { after = null, before = null } = bounds[at] ?? {};
    if (times[at] !== null) return job;
    return {
      ...job,
      created_after: chosen(after, job['created_after'], (a, b) => a > b),
      created_before: chosen(before, job['created_before'], (a, b) => a < b),
    };
  });
}

/** Whether the jobs of a whole conversation are known to stand as they were asked. @param history as `oldestFirst` has it */
export function isOrderKnown(history: readonly Row[]): boolean {
  const isDated = history.every((job) => timeOf(job) !== undefined);
  return history.length < 2 || isDated || showsOrder(history);
}

/** Two times show which way it runs; of numbers that are there twice nobody knows whose neighbours are meant. */
function showsOrder(history: readonly Row[]): boolean {
  const times = history.map((job) => timeOf(job) ?? null);
  const numbers = new Set(history.map((job) => job['job_index']));
  return orderOf(times) === 'oldest-first' && numbers.size === history.length;
}

function chosen(
  estimated: bigint | null,
  written: CellValue | undefined,
  isCloser: (a: bigint, b: bigint) => boolean,
): bigint | null {
  if (typeof written !== 'bigint') return estimated;
  return estimated !== null && isCloser(estimated, written) ? estimated : written;
}

function byTime(a: Row, b: Row): number {
  const [first = 0n, second = 0n] = [timeOf(a), timeOf(b)];
  return Number(first - second) || byNumber(a, b);
}

function byNumber(a: Row, b: Row): number {
  const difference = Number(a['job_index']) - Number(b['job_index']);
  return difference || (String(a['job_id']) < String(b['job_id']) ? -1 : 1);
}

function timeOf(job: Row): bigint | undefined {
  const time = job['created_at'];
  return typeof time === 'bigint' ? time : undefined;
}
