/** Restores an archive from itself: serves it, exports it from there into a scratch archive, and compares every row and file. */
import { CommitConflictError, RewrittenMeanwhileError } from '../archive/archive-errors.js';
import type { DrillEntry } from '../archive/log/commit.js';
import type { DrillRecord } from '../archive/log/drill-history.js';
import { NamedArtifacts } from '../archive/objects/named-artifacts.js';
import { openArchiveIn } from '../archive/open-archive.js';
import { readConsistently } from '../archive/consistent-read.js';
import { retryOnRewrite } from '../archive/retry-on-rewrite.js';
import type { Archive, ArchiveTask } from '../archive/archive.js';
import { assertNotPseudonymised } from '../archive/identity.js';
import { type Logger, withFields } from '../base/logger.js';
import { formatByteSize } from '../base/byte-size.js';
import { sha256Hex } from '../base/digest.js';
import { ulid } from '../base/ulid.js';
import { messageOf, UsageError } from '../base/error.js';
import { exportToArchive } from '../export/export-to-archive.js';
import { asRunId } from '../model/ids.js';
import { makeTemporaryDirectory } from '../storage/local/temporary-directory.js';
import { openStorage, probePlace } from '../storage/open-storage.js';
import { compareRestored, type ComparedRows, type RestoredDifference } from './compare-restored.js';
import type { ArchivedSessions, ReadingOptions } from './archived-sessions.js';
import { serveArchive } from './serve-archive.js';

export interface DrillOptions extends ArchiveTask {
  /** The share of the sessions that are restored, above 0, up to 1; each drill takes others. Default 1 */
  readonly sample?: number | undefined;
  /** Where the scratch archive is made, and removed again. Default: the system's temporary directory */
  readonly scratch?: string | undefined;
}

export interface DrillReport extends DrillRecord {
  readonly location: string;
  /** The bytes of the restored files, each counted once. */
  readonly bytes: number;
  /** Tables of sessions in which rows differ. */
  readonly differing: readonly RestoredDifference[];
  /** Why the log does not have the drill; null where it has. */
  readonly unrecorded: string | null;
}

/** How much larger records are than the compressed part files, at most. */
const UNPACKED = 8;
const RATE = 1_000_000;

/** What an export of the served sessions has brought, until `close`. */
export interface Restoration {
  readonly served: ArchivedSessions;
  /** The origin of the served files. */
  readonly filesUrl: string;
  readonly restored: Archive;
  close(): Promise<void>;
}

/** Serves the sessions that are wanted, and exports them from there into a scratch archive. */
export type Restore = (wanted: WantedVersions) => Promise<Restoration>;

export type WantedVersions = Required<Pick<ReadingOptions, 'isWanted' | 'age'>> &
  Pick<ReadingOptions, 'through'>;

/**
 * @throws {UsageError} the scratch place has too little space, or there is no session
 * @throws {IntegrityError | FormatError} the archive is damaged
 * @throws {RewrittenMeanwhileError} something was erased during every attempt
 * @throws {JobvaultError} the scratch archive could not be written
 */
export async function drill(options: DrillOptions): Promise<DrillReport> {
  return drillBy(options, (wanted) => restoreOverSockets(options, wanted));
}

/** Drills an archive, however its sessions are restored. */
export async function drillBy(
  options: Omit<DrillOptions, 'scratch'>,
  restore: Restore,
): Promise<DrillReport> {
  const { archive } = options;
  assertNotPseudonymised(archive.storage.location, archive.identity);
  return retryOnRewrite(async () => {
    const { entry, ...restored } = await readConsistently(archive, 'drill', () =>
      restoreAndCompare(options, restore),
    );
    const { at, unrecorded } = await commitDrill(archive, entry);
    const { location } = archive.storage;
    return { at, ...entry, location, ...restored, unrecorded };
  });
}

type Restored = Pick<DrillReport, 'bytes' | 'differing'> & { readonly entry: DrillEntry };

async function restoreAndCompare(options: DrillOptions, restore: Restore): Promise<Restored> {
  const { archive, sample = 1 } = options;
  await archive.index.refresh();
  const chosen = await sessionsOf(options, sample);
  if (chosen.size === 0) {
    throw new UsageError(`${archive.storage.location} has no session to restore`);
  }
  const isWanted = (_user: string, session: string): boolean => chosen.has(session);
  const newest = await restoreVersions(options, restore, { isWanted, age: 0 });
  const { served } = newest;
  const rounds: RestoredVersions[] = [newest];
  // a service sends the newest version alone: older ones are restored as if they were that
  for (let age = 1; age < served.versions; age++) {
    const wanted = { isWanted, age, through: served.through };
    rounds.push(await restoreVersions(options, restore, wanted));
  }
  const differences = rounds.flatMap(({ compared }) => compared.differences);
  const paths = new Set(rounds.flatMap(({ compared }) => [...compared.files]));
  const files = new Map(rounds.flatMap((round) => [...round.files]));
  const entry = {
    commit: served.through,
    sample,
    sessions: served.sessionCount,
    jobs: served.jobCount,
    rows: rounds.reduce((all, { compared }) => all + compared.rows, 0),
    files: paths.size,
    // as gaps are counted: what an older version lacked may have come since
    not_stored: newest.compared.notStored.size,
    differences: differences.length,
  };
  const bytes = [...files.values()].reduce((all, fileBytes) => all + fileBytes, 0);
  return { entry, bytes, differing: differences };
}

interface RestoredVersions {
  readonly served: Pick<ArchivedSessions, 'through' | 'versions' | 'sessionCount' | 'jobCount'>;
  readonly compared: ComparedRows;
  /** The bytes of each, by its path, which is made of its content. */
  readonly files: ReadonlyMap<string, number>;
}

async function restoreVersions(
  { archive, signal }: DrillOptions,
  restore: Restore,
  wanted: WantedVersions,
): Promise<RestoredVersions> {
  const restoration = await restore(wanted);
  try {
    const { served, filesUrl, restored } = restoration;
    const compared = await compareRestored({ archive, restored, served, filesUrl, signal });
    const files = await bytesByPath(restored, signal);
    const { through, versions, sessionCount, jobCount } = served;
    return { served: { through, versions, sessionCount, jobCount }, compared, files };
  } finally {
    await restoration.close();
  }
}

async function bytesByPath(
  archive: Archive,
  signal: AbortSignal | undefined,
): Promise<Map<string, number>> {
  const files = archive.index.contents.files.values();
  await using artifacts = await NamedArtifacts.read(archive, { files, signal });
  const found = new Map<string, number>();
  for await (const { path, bytes } of artifacts) found.set(path, bytes);
  return found;
}

async function restoreOverSockets(
  options: DrillOptions,
  wanted: WantedVersions,
): Promise<Restoration> {
  const { archive, scratch, signal } = options;
  const { clock, random, logger } = archive;
  await assertSpace(options);
  const directory = await makeTemporaryDirectory(scratch);
  const closing: (() => Promise<void>)[] = [() => directory.remove()];
  const close = async (): Promise<void> => {
    for (let next = closing.pop(); next; next = closing.pop()) await next();
  };
  try {
    const serving = { archive, scratch: directory.path, ...wanted, signal };
    const server = await serveArchive(serving);
    closing.push(() => server.close());
    const { sessions: served, baseUrl, filesUrl, apiKey } = server;
    const out = `${directory.path}/restored`;
    const { sessionCount, jobCount } = served;
    logger.info({ sessions: sessionCount, jobs: jobCount }, 'restoring into scratch space');
    const result = await exportToArchive({
      clock,
      random,
      logger: ofScratch(logger),
      signal,
      baseUrl,
      apiKey,
      users: usersWithSessions(served),
      out,
      formats: ['parquet'],
      rate: RATE,
      noDelta: true,
      withDatasets: served.datasets.size > 0,
      onlyThisMachine: true,
    });
    if (result.error !== undefined) {
      throw result.error instanceof Error ? result.error : new Error(messageOf(result.error));
    }
    const place = await openStorage(out);
    closing.push(() => place.close());
    const restored = await openArchiveIn(place, archive);
    return { served, filesUrl, restored, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Its runs and commits are none of the archive's, and would be taken for these. */
function ofScratch(logger: Logger): Logger {
  return {
    ...withFields(logger, { scratch: true }),
    info: (fields, message) => {
      logger.debug({ scratch: true, ...fields }, message);
    },
  };
}

/** Whom a restoration exports: one without sessions where nobody has any, since an export wants a user. */
export function usersWithSessions({ users }: ArchivedSessions): string[] {
  const having = [...users].filter(([, sessions]) => sessions.size > 0);
  return (having.length > 0 ? having : [...users].slice(0, 1)).map(([user]) => user);
}

/** The share of all users' sessions, rounded up, and each time others. */
async function sessionsOf(
  { archive: { index, states, clock, random }, signal }: DrillOptions,
  sample: number,
): Promise<ReadonlySet<string>> {
  const salt = ulid(clock, random);
  const places = new Map<string, string>();
  for (const user of await index.allUsers()) {
    signal.throwIfAborted();
    const { sessions } = await states.loadAsOf(user, index.through);
    for (const session of sessions.keys()) places.set(session, sha256Hex(`${salt} ${session}`));
  }
  const drawn = [...places].toSorted(([, one], [, other]) => (one < other ? -1 : 1));
  const count = Math.ceil(drawn.length * sample);
  return new Set(drawn.slice(0, count).map(([session]) => session));
}

/** @throws {UsageError} the scratch place is too small */
async function assertSpace(options: DrillOptions): Promise<void> {
  const { archive, scratch, sample = 1 } = options;
  const { contents, artifacts } = archive.index;
  const rows = [...contents.files.values()].reduce((sum, { bytes }) => sum + bytes, 0);
  const { bytes: stored } = artifacts;
  const needed = Math.ceil((stored + rows * UNPACKED) * sample);
  const probe = await makeTemporaryDirectory(scratch);
  const { freeBytes } = await probePlace(
    probe.path,
    {},
    ulid(archive.clock, archive.random),
  ).finally(() => probe.remove());
  if (freeBytes >= needed) return;
  const [has, wants] = [formatByteSize(freeBytes), formatByteSize(needed)];
  throw new UsageError(
    `the drill needs about ${wants} of scratch space, and ${scratch ?? "the system's temporary directory"} has ${has}; name another place with --scratch, or restore a part with --sample`,
  );
}

/**
 * A drill is worth something also where the log cannot keep it: who runs it may only be allowed to read.
 *
 * @throws {RewrittenMeanwhileError} what was restored may have been erased meanwhile
 */
async function commitDrill(
  { index, log, storage, clock, random, tool }: Archive,
  drill: DrillEntry,
): Promise<Pick<DrillReport, 'at' | 'unrecorded'>> {
  try {
    const { created_at: at } = await log.append({
      kind: 'drill',
      run: asRunId(ulid(clock, random)),
      checkpoint: 1,
      tool,
      scope: {},
      base: drill.commit,
      drill,
      isOutdatedBy: ({ erasure }) => erasure !== undefined,
    });
    await index.refresh();
    return { at, unrecorded: null };
  } catch (error) {
    if (error instanceof CommitConflictError) {
      throw new RewrittenMeanwhileError(storage.location, 'drill', { cause: error });
    }
    return { at: new Date(clock.now()).toISOString(), unrecorded: messageOf(error) };
  }
}
