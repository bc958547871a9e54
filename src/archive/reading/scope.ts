/** What is asked for: users, sessions, a period. */
import { UsageError } from '../../base/error.js';
import { absolutePeriod, PERIOD_LIMITS, parseFrom, parseTo } from '../../model/times/period.js';
import { type Period } from '../../model/times/time-bounds.js';
import type { Undated } from './chosen-jobs.js';

/** What a report, a pack, a search or a list is about. */
export interface Scope {
  /** Empty: all users. */
  readonly users: readonly string[];
  /** Empty: all sessions of the users. */
  readonly sessions: readonly string[];
  /** Only jobs that were asked in it. Default: all. */
  readonly period?: Period | undefined;
  readonly undated?: Undated | undefined;
  readonly erased?: ErasedOfScope | undefined;
}

/** Of those that a request names, how many were erased since: it does not say any more who they are. */
export interface ErasedOfScope {
  readonly users: number;
  readonly sessions: number;
}

/** A period as somebody gives it. */
export interface GivenPeriod {
  /** A year, month, day or time (UTC), or relative to now (`last-month`, `30d`): what was asked before it is left out. */
  readonly from?: string | undefined;
  /** The last that is not left out: a day counts to its end, a time is the first one beyond. */
  readonly to?: string | undefined;
  /** Jobs of which nothing tells whether they are in the period. Default: left out, and what is made is not complete. */
  readonly undated?: Undated | undefined;
}

/** A scope as somebody gives it. */
export interface GivenScope extends GivenPeriod {
  /** Default: everybody. */
  readonly users?: readonly string[] | undefined;
  /** Default: every session of the users. */
  readonly sessions?: readonly string[] | undefined;
  /** Of a request. Default: none. */
  readonly erased?: ErasedOfScope | undefined;
}

/** Nothing is left out. */
export const EVERYBODY: Scope = { users: [], sessions: [] };

/**
 * @param nowMs what relative limits are relative to; undefined: they are absolute already
 * @throws {UsageError} a limit is no day, the period ends before it begins, or there is none for `undated`
 */
export function parsedScope(given: GivenScope, nowMs?: number): Scope {
  const { users = [], sessions = [], undated, erased } = given;
  const { from, to } = nowMs === undefined ? given : absolutePeriod(given, nowMs);
  if (from === undefined && to === undefined) {
    if (undated === undefined) return { users, sessions, erased };
    throw new UsageError('--undated is about jobs that a period cannot judge; give --from or --to');
  }
  const begin = from === undefined ? undefined : (parseFrom(from) ?? refuse('from', from));
  const end = to === undefined ? undefined : (parseTo(to) ?? refuse('to', to));
  if (begin !== undefined && end !== undefined && begin >= end) {
    throw new UsageError(`the period from ${from ?? ''} to ${to ?? ''} ends before it begins`);
  }
  return { users, sessions, erased, period: { from: begin, to: end }, undated };
}

function refuse(name: string, given: string): never {
  throw new UsageError(`${name} is ${JSON.stringify(given)}; allowed is ${PERIOD_LIMITS}`);
}
