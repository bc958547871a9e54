/**
 * How far the runs of a scope have gone round all users and sessions: a small object for each scope, which has numbers and
 * times alone. A place in the order is 53 bits: 32 of the hash of the user, 21 of that of the session.
 */
import { z } from 'zod';
import { sha256Hex } from '../base/digest.js';
import { readerBy } from '../base/read-by-schema.js';
import { parseJson } from '../base/text/parse-json.js';
import type { UserId } from '../model/ids.js';
import { type Storage } from '../storage/storage.js';
import { getIfThere } from '../storage/small-objects.js';
import type { KnownHead } from './witnesses/known-head.js';
import { lapPath, LAPS_PREFIX, scopeOfLap } from './paths.js';

export interface Lap {
  /** Laps of the scope so far, this one included. */
  readonly number: number;
  readonly beganAtMs: number;
  /** When the lap before began; null for the first. */
  readonly lastBeganAtMs: number | null;
  /** Where the lap goes on. */
  readonly place: number;
}

/** The longest time that a lap may take, unless another is given. */
export const DEFAULT_MAX_STALENESS_MS = 7 * 86_400_000;

export interface StoredLap extends Lap {
  readonly path: string;
  readonly scope: string;
  /** The newest commit that the run knew which wrote this. */
  readonly head: KnownHead;
}

/** Places of the sessions of a user. */
const SESSIONS = 2 ** 21;
/** Places are below it. */
export const PLACES = 2 ** 53;

/** Where the sessions of a user begin. */
export function placeOfUser(user: UserId): number {
  return bits(sha256Hex(user), 0) * SESSIONS;
}

export function placeOfSession(user: UserId, session: string): number {
  return placeOfUser(user) + Math.floor(bits(sha256Hex(session), 0) / 2 ** 11);
}

/** Where the sessions begin of the user at a place. */
export function userAt(place: number): number {
  return place - (place % SESSIONS);
}

/** How far a place is from where the way round begins. */
export function distance(from: number, place: number): number {
  return place >= from ? place - from : place - from + PLACES;
}

/** 32 bits of a hash, as an unsigned number. */
function bits(hex: string, at: number): number {
  return parseInt(hex.slice(at, at + 8), 16);
}

/** The first lap of a scope. */
export function firstLap(nowMs: number): Lap {
  return { number: 1, beganAtMs: nowMs, lastBeganAtMs: null, place: 0 };
}

export function lapAfter({ number, beganAtMs }: Lap, nowMs: number): Lap {
  return { number: number + 1, beganAtMs: nowMs, lastBeganAtMs: beganAtMs, place: 0 };
}

/** A clock that was ahead when the lap began would keep the next one from its turns: what is later than now counts as now. */
export function asOf<Known extends Lap>(lap: Known, nowMs: number): Known {
  const { beganAtMs, lastBeganAtMs } = lap;
  return {
    ...lap,
    beganAtMs: Math.min(beganAtMs, nowMs),
    lastBeganAtMs: lastBeganAtMs === null ? null : Math.min(lastBeganAtMs, nowMs),
  };
}

/** From when until when turns are those of a visit. */
export type TurnPeriod = readonly [afterMs: number, untilMs: number];

/**
 * The turns of a lap are those since the lap before began. A user who was not in that (of another list, of another scope)
 * has those since the last list.
 *
 * @param listedAtMs when the user was last listed; undefined: never
 */
export function turnsOf(
  { beganAtMs, lastBeganAtMs }: Lap,
  listedAtMs: number | undefined,
  nowMs: number,
): TurnPeriod {
  if (listedAtMs === undefined) return [nowMs, nowMs];
  const wasInLast = lastBeganAtMs !== null && listedAtMs > lastBeganAtMs;
  return wasInLast ? [lastBeganAtMs, beganAtMs] : [listedAtMs, nowMs];
}

/** Whether a session has its turn to be read whole: one in each `rereadMs`, at a time that its hash decides. */
export function isTurnOf(
  session: string,
  [afterMs, untilMs]: TurnPeriod,
  rereadMs: number,
): boolean {
  const phase = bits(sha256Hex(session), 8) / 2 ** 32;
  const turnsUntil = (atMs: number): number => Math.floor(atMs / rereadMs + phase);
  return turnsUntil(untilMs) > turnsUntil(afterMs);
}

const instant = z.iso.datetime().transform((text) => Date.parse(text));
const count = z.int().nonnegative();
const lapSchema = z.strictObject({
  format: z.literal(1),
  head: z.tuple([count, z.string().nullable()]),
  lap: z.int().positive(),
  began_at: instant,
  last_began_at: instant.nullable(),
  place: count,
});
const lapIn = readerBy(lapSchema);

/** The laps of all scopes, in the order of their paths. Those that cannot be read are left out. */
export async function storedLaps(storage: Storage): Promise<readonly StoredLap[]> {
  const laps: StoredLap[] = [];
  for await (const { path } of storage.list(LAPS_PREFIX)) {
    const lap = await lapAt(storage, path);
    if (lap) laps.push(lap);
  }
  return laps;
}

/** The laps of the kind (`all`, `queue`, shards of a number) that a run moved last. */
export async function lapsInUse(storage: Storage): Promise<readonly StoredLap[]> {
  const laps = await storedLaps(storage);
  const newest = laps.reduce<StoredLap | undefined>((a, b) => {
    return a && a.head.number >= b.head.number ? a : b;
  }, undefined);
  const kindOf = (scope: string): string => scope.replace(/^[0-9]+-/, '');
  return laps.filter(({ scope }) => newest && kindOf(scope) === kindOf(newest.scope));
}

/** Undefined where there is none, or none that can be read. */
export function readLap(storage: Storage, scope: string): Promise<StoredLap | undefined> {
  return lapAt(storage, lapPath(scope));
}

async function lapAt(storage: Storage, path: string): Promise<StoredLap | undefined> {
  const scope = scopeOfLap(path);
  const bytes = scope === undefined ? undefined : await getIfThere(storage, path);
  if (!bytes || scope === undefined) return undefined;
  try {
    const read = lapIn(parseJson(Buffer.from(bytes).toString('utf8')));
    const [number, digest] = read.head;
    return {
      path,
      scope,
      head: { number, digest },
      number: read.lap,
      beganAtMs: read.began_at,
      lastBeganAtMs: read.last_began_at,
      place: read.place,
    };
  } catch {
    return undefined;
  }
}

/** Whether a lap has come as far as another, or further. */
export function isAsFar(lap: Lap, other: Lap): boolean {
  return lap.number > other.number || (lap.number === other.number && lap.place >= other.place);
}

/** @returns the bytes that it has */
export async function writeLap(
  storage: Storage,
  scope: string,
  { number, beganAtMs, lastBeganAtMs, place, head }: Lap & { readonly head: KnownHead },
): Promise<number> {
  const text = JSON.stringify({
    format: 1,
    head: [head.number, head.digest],
    lap: number,
    began_at: new Date(beganAtMs).toISOString(),
    last_began_at: lastBeganAtMs === null ? null : new Date(lastBeganAtMs).toISOString(),
    place,
  });
  const bytes = Buffer.from(`${text}\n`);
  await storage.put(lapPath(scope), bytes);
  return bytes.byteLength;
}
