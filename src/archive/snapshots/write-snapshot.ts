/** Writes a snapshot at the end of a run, where readers would have much to read since the last one. */
import type { Clock, Random } from '../../base/runtime.js';
import { messageOf } from '../../base/error.js';
import type { Logger } from '../../base/logger.js';
import { readAhead } from '../../base/concurrently.js';
import { ulid } from '../../base/digest.js';
import type { RunId } from '../../model/ids.js';
import type { Archive } from '../archive.js';
import type { SnapshotEntry } from '../log/commit.js';
import type { LogIndex } from '../log/log-index.js';
import type { UserInLog } from '../log/log-view.js';
import { writeGzipLines } from '../log/manifest.js';
import { snapshotPath } from '../paths.js';
import { isRefused } from '../runs/plan-again.js';
import { checkSummary } from '../state/check-status.js';
import { loadChecks } from '../state/user-checks.js';
import { firstLine, userLine, type LogSnapshot, type SnapshotUser } from './snapshot-codec.js';
import { SessionMarks, sessionFacts, usersIn } from './snapshot-fold.js';
import { SnapshotReader, storedSnapshots } from './snapshot-reader.js';

/** How much readers may have to read beside the last snapshot. */
export interface SnapshotPace {
  /** Default 32. */
  readonly commits: number;
  /** Sessions, deletions, artifacts and listings of users in these commits; default 1000. */
  readonly entries: number;
}

export interface SnapshotOptions {
  readonly archive: Archive;
  readonly run: RunId;
  /** Name and version, for the commit. */
  readonly tool: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly pace?: SnapshotPace | undefined;
}

const DEFAULT_PACE: SnapshotPace = { commits: 32, entries: 1000 };
/** Likewise as a share of the users and artifacts of the archive: the larger a snapshot, the more seldom it is written. */
const SHARE_AFTER = 1 / 4;
/** Users whose states and checks are read at a time. */
const READ_AHEAD = 8;
/** Those that a reader may be about to read. */
const KEPT = 2;

/**
 * A failure is logged: readers then read more commits.
 *
 * @returns the number of the commit that names the snapshot; undefined if none was due or none could be made
 */
export async function writeSnapshotIfDue(options: SnapshotOptions): Promise<number | undefined> {
  const { archive, logger, pace = DEFAULT_PACE } = options;
  try {
    await archive.index.refresh();
    return isDue(archive.index, pace) ? await writeSnapshot(options) : undefined;
  } catch (error) {
    logger.warn({ reason: messageOf(error) }, 'no snapshot of the log could be made');
    return undefined;
  }
}

function isDue({ view, openErasures }: LogIndex, pace: SnapshotPace): boolean {
  if (openErasures.size > 0) return false;
  let [commits, entries] = [0, 0];
  for (const { number, kind, entries: more } of view.commits.values()) {
    if (number <= view.snapshotThrough || kind === 'snapshot') continue;
    commits++;
    entries += more;
  }
  const known = view.users.size + view.contents.artifacts.size;
  return commits >= pace.commits || entries >= Math.max(pace.entries, known * SHARE_AFTER);
}

/** @throws {IntegrityError | StorageError} */
async function writeSnapshot(options: SnapshotOptions): Promise<number | undefined> {
  const { archive, clock, random, run, tool } = options;
  const { storage, log, index } = archive;
  const { through, lastErasure } = index;
  const before = await new SnapshotReader(storage, log).newest(through, lastErasure);
  const salt = Buffer.from(random.bytes(16)).toString('hex');
  const path = snapshotPath(through, ulid(clock, random));
  const staged = await storage.stage({ path });
  let snapshot: SnapshotEntry;
  try {
    await writeGzipLines(linesOf(archive, salt, before), staged);
    const { bytes, sha256 } = await staged.close();
    snapshot = { path, bytes, sha256, through };
    await staged.publish(path);
  } finally {
    await staged.discard();
  }
  const checkpoint = [...index.commits].filter((commit) => commit.run === run).length + 1;
  const draft = { kind: 'snapshot', base: through, run, checkpoint, tool, scope: {} } as const;
  try {
    const { number } = await log.append({ ...draft, snapshot });
    await sweepSnapshots(archive);
    return number;
  } catch (error) {
    if (isRefused(error)) await storage.delete(path);
    throw error;
  }
}

/** As of the index's newest commit. @param before read of what has not changed since */
async function* linesOf(
  { storage, index, states }: Archive,
  salt: string,
  before: LogSnapshot | undefined,
): AsyncGenerator<string> {
  const { through, view } = index;
  const users = usersIn(view, await index.listings());
  const marks = new SessionMarks(before);
  for await (const commit of index.walk({ from: (before?.head.number ?? 0) + 1, through })) {
    marks.add(commit);
  }
  yield firstLine(view, salt);
  yield* readAhead(users, READ_AHEAD, async (user) => {
    const known = before?.users.get(user.user);
    return userLine(isSame(known, user) ? known : await userAsOf(user, known));
  });

  async function userAsOf(user: UserInLog, known: SnapshotUser | undefined): Promise<SnapshotUser> {
    const isChanged = known?.commits.length !== user.commits.length;
    const sessions = isChanged
      ? sessionFacts(await states.loadAsOf(user.user, through), marks)
      : known.sessions;
    const summaries = [...sessions].map(([session, { summary }]) => [session, summary] as const);
    const checks = checkSummary(new Map(summaries), await loadChecks(storage, user.user));
    return { ...user, sessions, checks };
  }
}

function isSame(known: SnapshotUser | undefined, user: UserInLog): known is SnapshotUser {
  return (
    known?.commits.length === user.commits.length &&
    known.listings?.last.commit === user.listings?.last.commit
  );
}

/**
 * Deletes the snapshots that nobody needs: all but the newest, and those from before an erasure, which may have what was
 * erased. A run that was killed may have left one where an erasure has looked already.
 */
export async function sweepSnapshots({ storage, index }: Archive): Promise<number> {
  const stored = await storedSnapshots(storage);
  await index.refresh();
  const { lastErasure } = index;
  const useless = stored.filter(({ through }, at) => at >= KEPT || through < lastErasure);
  for (const { path } of useless) await storage.delete(path);
  return useless.length;
}
