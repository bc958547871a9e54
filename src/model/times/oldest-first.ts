/**
 * Sorts the jobs of a conversation as they were asked: by time where the ids of all tell one, else by number. Numbers
 * are those of when each job was first archived.
 */
import { boundsBeside, isOneOrder, NO_BOUNDS, type NumberedJob, orderOf } from './time-bounds.js';
import type { CellValue, Row } from '../table-schema.js';

/** @param jobs rows of the table jobs, one per job */
export function oldestFirst(jobs: readonly Row[]): Row[] {
  const times = jobs.map(timeOf);
  return jobs.toSorted(times.includes(undefined) ? byNumber : byTime);
}

export interface KnownOfHistory {
  /** Whether no job of the conversation lacks: where some do, the rows may know better. */
  readonly isWhole: boolean;
  /** Whether the rows are of a pseudonymised copy, and have the bounds that its archive knew. */
  readonly isOfCopy: boolean;
}

/**
 * The same jobs with bounds from their neighbours of now, where ids tell no time: a row has those of when it was
 * written.
 *
 * @param history oldest first
 */
export function besideNeighbours(
  history: readonly Row[],
  { isWhole, isOfCopy }: KnownOfHistory,
): Row[] {
  if (isOfCopy) return [...history];
  const bounds = boundsBeside(history.map(numberedJob));
  return history.map((job, at) => {
    if (timeOf(job) !== undefined) return job;
    const { after, before } = bounds[at] ?? NO_BOUNDS;
    if (isWhole) return { ...job, created_after: after, created_before: before };
    return {
      ...job,
      created_after: closer(after, job['created_after'], (a, b) => a > b),
      created_before: closer(before, job['created_before'], (a, b) => a < b),
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
  const jobs = history.map(numberedJob);
  return orderOf(jobs.map(({ time }) => time)) === 'oldest-first' && isOneOrder(jobs);
}

function numberedJob(job: Row): NumberedJob {
  const [id, number] = [String(job['job_id']), Number(job['job_index'])];
  return { id, number, time: timeOf(job) ?? null };
}

function closer(
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
