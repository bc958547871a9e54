/**
 * Sorts jobs by the time at which they were asked. Some ids contain no time, and a history may be in either
 * order: a job without a time keeps its position between its neighbours in the history.
 */
import { groupBy } from '../base/group-by.js';
import { orderOf, timeBounds } from './period.js';
import type { CellValue, Row } from './table-schema.js';

interface TimedJob {
  readonly job: Row;
  /** Microseconds since 1970. */
  readonly time: bigint;
  /** Position in its run's history, oldest first. */
  readonly position: number;
}

/** @param jobs rows of the table jobs, one per job */
export function oldestFirst(jobs: readonly Row[]): Row[] {
  const history = jobs.toSorted(byIndex);
  if (isOneHistory(history)) return isNewestFirst(history) ? history.reverse() : history;
  // then `job_index` is a position in the history as one run has read it
  const runs = groupBy(jobs, (job) => job['run_id']);
  return [...runs.values()]
    .flatMap(timedJobs)
    .sort((a, b) => (a.time === b.time ? a.position - b.position : a.time < b.time ? -1 : 1))
    .map(({ job }) => job);
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
  return orderOf(times) === 'oldest-first' && isOneHistory(history.toSorted(byIndex));
}

function chosen(
  estimated: bigint | null,
  written: CellValue | undefined,
  isCloser: (a: bigint, b: bigint) => boolean,
): bigint | null {
  if (typeof written !== 'bigint') return estimated;
  return estimated !== null && isCloser(estimated, written) ? estimated : written;
}

/** Whether runs that read it one after the other have counted from the same end: a job that was read again keeps its place. */
function isOneHistory(history: readonly Row[]): boolean {
  const places = new Set(history.map((job) => job['job_index']));
  const times = history.map((job) => timeOf(job) ?? null);
  const differ = new Set(times.filter((time) => time !== null)).size > 1;
  return places.size === history.length && (!differ || orderOf(times) !== undefined);
}

function byIndex(a: Row, b: Row): number {
  return Number(a['job_index']) - Number(b['job_index']);
}

function timedJobs(jobs: readonly Row[]): TimedJob[] {
  const history = jobs.toSorted(byIndex);
  if (isNewestFirst(history)) history.reverse();
  const firstKnown = history.map(timeOf).find((time) => time !== undefined);
  let time = firstKnown ?? exportTimeOf(history[0]);
  return history.map((job, position) => {
    time = timeOf(job) ?? time;
    return { job, time, position };
  });
}

function isNewestFirst(history: readonly Row[]): boolean {
  const times = history.map(timeOf).filter((time) => time !== undefined);
  const pairs = times.slice(1).map((time, index) => ({ before: times[index] ?? time, time }));
  const falling = pairs.filter(({ before, time }) => time < before).length;
  return falling > pairs.length / 2;
}

function timeOf(job: Row): bigint | undefined {
  const time = job['created_at'];
  return typeof time === 'bigint' ? time : undefined;
}

/** The time for a run without any time in its ids: all its jobs were asked before the export. */
function exportTimeOf(job: Row | undefined): bigint {
  const time = job?.['exported_at'];
  return typeof time === 'bigint' ? time : 0n;
}
