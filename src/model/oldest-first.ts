/**
 * Jobs in the order in which they were asked. Some ids tell a time and some do not, and a history runs
 * either way: a job without a time stands where its neighbours in the history say.
 */
import { groupBy } from '../base/group-by.js';
import type { Row } from './table-schema.js';

interface Placed {
  readonly job: Row;
  /** Microseconds since 1970. */
  readonly time: bigint;
  /** Within its run's history, oldest first. */
  readonly place: number;
}

/** @param jobs rows of the table jobs, one a job */
export function oldestFirst(jobs: readonly Row[]): Row[] {
  // an index is a place in the history as one run has seen it
  const runs = groupBy(jobs, (job) => job['run_id']);
  return [...runs.values()]
    .flatMap(placed)
    .sort((a, b) => (a.time === b.time ? a.place - b.place : a.time < b.time ? -1 : 1))
    .map(({ job }) => job);
}

function placed(jobs: readonly Row[]): Placed[] {
  const history = jobs.toSorted((a, b) => Number(a['job_index']) - Number(b['job_index']));
  if (isNewestFirst(history)) history.reverse();
  const firstTold = history.map(timeOf).find((time) => time !== undefined);
  let time = firstTold ?? exportTimeOf(history[0]);
  return history.map((job, place) => {
    time = timeOf(job) ?? time;
    return { job, time, place };
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

/** Of a run in which no id tells a time: what it found was asked before. */
function exportTimeOf(job: Row | undefined): bigint {
  const time = job?.['exported_at'];
  return typeof time === 'bigint' ? time : 0n;
}
