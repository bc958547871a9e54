/** The lap of a queue: its runs put users on the queue in the order of the lap, and move it when they end. */
import type { Archive } from '../archive/archive.js';
import {
  distance,
  firstLap,
  placeOfUser,
  PLACES,
  readLap,
  userAt,
  writeLap,
  type Lap,
} from '../archive/laps.js';
import { LapProgress } from '../export/laps/lap-progress.js';
import { asUserId, type UserId } from '../model/ids.js';
import type { Storage } from '../storage/storage.js';
import type { RunRecord } from './queue-records.js';

const SCOPE = 'queue';
/** Users are sorted in so many parts, because there may be millions. */
const PARTS = 16;

/** Where the lap goes on: at which user. */
export async function placeOfLap(storage: Pick<Storage, 'get'>): Promise<number> {
  return userAt((await readLap(storage, SCOPE))?.place ?? 0);
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

interface EndedRun {
  readonly record: RunRecord;
  /** Undefined of a run whose end another worker has recorded. */
  readonly users: ReadonlySet<string> | undefined;
  /** Users whom the budget has left, and did not list. */
  readonly left: Iterable<string>;
}

/**
 * Moves the lap to the first user of whom the budget has left something; on by one user at least, because the budget of a
 * run may be less than that user takes.
 */
export async function moveLap(
  { storage, index }: Pick<Archive, 'storage' | 'index'>,
  { record, users, left }: EndedRun,
): Promise<Lap | undefined> {
  if (!record.round || !users) return undefined;
  const nextBeganAtMs = Date.parse(record.enqueued_at);
  const progress = new LapProgress(
    (await readLap(storage, SCOPE)) ?? firstLap(nextBeganAtMs),
    [...users].map(asUserId),
    () => nextBeganAtMs,
  );
  await index.refresh();
  const notDone = new Set<string>([...left, ...(await partlyRead({ index }, record))]);
  const [first] = progress.round;
  for (const user of progress.round) {
    if (user === first || !notDone.has(user))
      progress.visited(user, { left: [], hasLeftFirst: false });
  }
  const { lap } = progress;
  const head = { number: index.through, digest: index.digestOf(index.through) };
  await writeLap(storage, SCOPE, { ...lap, head });
  return lap;
}

/** Users of whom the run has listed sessions that it did not read. */
async function partlyRead(
  { index }: Pick<Archive, 'index'>,
  { since }: RunRecord,
): Promise<readonly UserId[]> {
  const users: UserId[] = [];
  for (const [user, { last }] of await index.listings()) {
    if (last.commit <= since) continue;
    const { listed, sessions } = last.entry;
    const read = sessions.new + sessions.changed + sessions.unchanged + sessions.failed;
    if (read < listed) users.push(user);
  }
  return users;
}
