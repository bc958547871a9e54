/** The lap of a queue: its runs put users on the queue in the order of the lap, and move it when they end. */
import type { Archive } from '../archive/archive.js';
import {
  asOf,
  distance,
  firstLap,
  placeOfUser,
  PLACES,
  readLap,
  userAt,
  writeLap,
  type Lap,
} from '../archive/laps.js';
import { messageOf } from '../base/error.js';
import { LapProgress } from '../export/laps/lap-progress.js';
import { asUserId, type UserId } from '../model/ids.js';
import type { Storage } from '../storage/storage.js';
import type { RunRecord } from './queue-records.js';

const SCOPE = 'queue';
/** Users are sorted in so many parts, because there may be millions. */
const PARTS = 16;

/** Where the lap goes on: at which user. */
export async function placeOfLap(storage: Storage): Promise<number> {
  return userAt((await readLap(storage, SCOPE))?.place ?? 0);
}

/** When the lap began, ISO 8601; undefined where no run of the queue has had a budget. */
export async function lapBeganAt(storage: Storage): Promise<string | undefined> {
  const lap = await readLap(storage, SCOPE);
  return lap && new Date(lap.beganAtMs).toISOString();
}

/** The users in the order of a lap that goes on at the place. */
export function* fromPlace(users: Iterable<string>, from: number): Generator<string> {
  const distances = Float64Array.from(users, (user) => distance(from, placeOfUser(asUserId(user))));
  for (let part = 0; part < PARTS; part++) {
    const inPart: { readonly user: string; readonly at: number }[] = [];
    let index = 0;
    for (const user of users) {
      const at = distances[index++] ?? 0;
      if (Math.floor((at / PLACES) * PARTS) === part) inPart.push({ user, at });
    }
    for (const { user } of inPart.sort((a, b) => a.at - b.at)) yield user;
  }
}

const ALL_READ = { postponed: [], brokenOff: new Set<string>() };

interface EndedRun {
  readonly record: RunRecord;
  /** Undefined of a run whose end another worker has recorded. */
  readonly users: ReadonlySet<string> | undefined;
  /** Users whom the budget has left, and did not list. */
  readonly usersLeft: Iterable<string>;
}

/**
 * The lap at the end of a run: it goes on at the first user of whom the budget has left something; on by one user at least,
 * because the budget of a run may be less than that user takes. Undefined of a run that has no part in it.
 */
export async function lapAtEnd(
  archive: Archive,
  { record, users, usersLeft }: EndedRun,
): Promise<Lap | undefined> {
  if (!record.round || !users) return undefined;
  const { storage, index, clock } = archive;
  const nextBeganAtMs = Date.parse(record.enqueued_at);
  const stored = await readLap(storage, SCOPE);
  const begun = stored ? asOf(stored, clock.now()) : firstLap(nextBeganAtMs);
  const progress = new LapProgress(begun, [...users].map(asUserId), {
    nextBeganAtMs: () => nextBeganAtMs,
  });
  await index.refresh();
  const notDone = new Set<string>([...usersLeft, ...(await partlyRead(archive, record))]);
  const [first] = progress.round;
  for (const user of progress.round) {
    if (user === first || !notDone.has(user)) progress.visited(user, ALL_READ);
  }
  return progress.lap;
}

/** Called when the end of the run is in the log: a worker that dies before that leaves the lap as it was. */
export async function saveLap({ storage, index, logger }: Archive, lap: Lap): Promise<void> {
  try {
    const head = { number: index.through, digest: index.digestOf(index.through) };
    await writeLap(storage, SCOPE, { ...lap, head });
  } catch (error) {
    logger.warn(
      { reason: messageOf(error) },
      'cannot save how far the lap of the queue has come; the next run begins where this one began',
    );
  }
}

/** Users of whom the run has listed sessions that it did not read. */
async function partlyRead({ index }: Archive, { since }: RunRecord): Promise<readonly UserId[]> {
  const users: UserId[] = [];
  for (const [user, { lastOfAll: last }] of await index.listings()) {
    if (!last || last.commit <= since) continue;
    const { listed, sessions } = last.entry;
    const read = sessions.new + sessions.changed + sessions.unchanged + sessions.failed;
    if (read < listed) users.push(user);
  }
  return users;
}
