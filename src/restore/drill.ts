/** Restores an archive from itself: serves it, exports it from there into a scratch archive, and compares every row and file. */
import { addDrill, type DrillRecord } from '../archive/drills.js';
import { openArchive } from '../archive/open-archive.js';
import { RewrittenMeanwhileError } from '../archive/parts/rewritten-meanwhile-error.js';
import type { Archive } from '../archive/archive.js';
import { formatByteSize } from '../base/byte-size.js';
import { sha256Hex } from '../base/digest.js';
import { messageOf } from '../base/error.js';
import type { Runtime } from '../base/runtime.js';
import { ulid } from '../base/ulid.js';
import { UsageError } from '../base/usage-error.js';
import { exportToArchive } from '../export/export-to-archive.js';
import type { RowFormat } from '../formats/format.js';
import { makeTemporaryDirectory } from '../storage/local/temporary-directory.js';
import { openStorage } from '../storage/open-storage.js';
import { probePlace } from '../storage/probe-place.js';
import type { ArchivedSessions } from './archived-sessions.js';
import { compareRestored, type RestoredDifference } from './compare-restored.js';
import { serveArchive } from './serve-archive.js';

export interface DrillOptions extends Runtime {
  readonly archive: Archive;
  readonly formats: readonly RowFormat[];
  /** The share of the sessions that are restored, above 0, up to 1; each drill takes others. Default 1 */
  readonly sample?: number | undefined;
  /** Where the scratch archive is made, and removed again. Default: the system's temporary directory */
  readonly scratch?: string | undefined;
}

export interface DrillReport extends DrillRecord {
  readonly location: string;
  /** Of the restored files, each counted once. */
  readonly bytes: number;
  /** Tables of sessions in which rows differ. Older versions, which no service would send, are not compared. */
  readonly differing: readonly RestoredDifference[];
  /** Why the record of drills could not be written; null where it was. */
  readonly unrecorded: string | null;
}

/** How much larger records are than the compressed part files, at most. */
const UNPACKED = 8;
const RATE = 1_000_000;

/**
 * @throws {UsageError} the scratch place has too little space, or there is no session
 * @throws {IntegrityError | FormatError} the archive is damaged
 * @throws {RewrittenMeanwhileError} something was erased meanwhile: begin again
 * @throws {JobvaultError} the scratch archive could not be written
 */
export async function drill(options: DrillOptions): Promise<DrillReport> {
  const { archive, formats, sample = 1, scratch, clock, random, signal } = options;
  await archive.index.refresh();
  await assertSpace(options);
  const directory = await makeTemporaryDirectory(scratch);
  try {
    const chosen = await sessionsOf(options, sample);
    if (chosen.size === 0) {
      throw new UsageError(`${archive.storage.location} has no session to restore`);
    }
    const isWanted = (_user: string, session: string) => chosen.has(session);
    const served = await serveArchive({
      archive,
      formats,
      scratch: directory.path,
      isWanted,
      signal,
    });
    try {
      const { sessions, baseUrl, filesUrl, apiKey } = served;
      const users = [...sessions.users].filter(([, own]) => own.size > 0).map(([user]) => user);
      const out = `${directory.path}/restored`;
      const result = await exportToArchive({
        ...options,
        baseUrl,
        apiKey,
        users,
        out,
        formats: ['parquet'],
        rate: RATE,
        withDatasets: sessions.datasets.size > 0,
        onlyThisMachine: true,
      });
      await assertNothingErased(archive, sessions);
      if (result.error !== undefined) {
        throw result.error instanceof Error ? result.error : new Error(messageOf(result.error));
      }
      const restoredPlace = openStorage(out);
      try {
        const restored = await openArchive(restoredPlace, { clock, random });
        const compared = await compareRestored({
          archive,
          restored,
          formats,
          served: sessions,
          filesUrl,
          signal,
        });
        await assertNothingErased(archive, sessions);
        const artifacts = [...restored.index.contents.artifacts.values()];
        const record: DrillRecord = {
          at: new Date(clock.now()).toISOString(),
          commit: sessions.through,
          sample,
          sessions: sessions.sessionCount,
          jobs: sessions.jobCount,
          rows: compared.rows,
          files: compared.files,
          known_gaps: compared.knownGaps,
          differences: compared.differences.length,
        };
        return {
          ...record,
          location: archive.storage.location,
          bytes: artifacts.reduce((sum, { bytes }) => sum + bytes, 0),
          differing: compared.differences,
          unrecorded: await recorded(archive, record),
        };
      } finally {
        await restoredPlace.close();
      }
    } finally {
      await served.close();
    }
  } finally {
    await directory.remove();
  }
}

/** @throws {RewrittenMeanwhileError} what is missing may have been erased */
async function assertNothingErased(archive: Archive, sessions: ArchivedSessions): Promise<void> {
  await archive.index.refresh();
  if (!sessions.isOutlivedIn(archive)) return;
  throw new RewrittenMeanwhileError(archive.storage.location, 'drill');
}

/** Of all users; at least one, and each time others. */
async function sessionsOf(
  { archive: { index, states }, clock, random, signal }: DrillOptions,
  sample: number,
): Promise<ReadonlySet<string>> {
  const salt = ulid(clock, random);
  const chosen = new Set<string>();
  let first = { session: '', at: Infinity };
  for (const user of await index.allUsers()) {
    signal.throwIfAborted();
    const { sessions } = await states.loadAsOf(user, index.through);
    for (const session of sessions.keys()) {
      const at = parseInt(sha256Hex(`${salt} ${session}`).slice(0, 12), 16) / 2 ** 48;
      if (at < sample) chosen.add(session);
      if (at < first.at) first = { session, at };
    }
  }
  if (chosen.size === 0 && first.at < Infinity) chosen.add(first.session);
  return chosen;
}

/** @throws {UsageError} the scratch place is too small */
async function assertSpace(options: DrillOptions): Promise<void> {
  const { archive, scratch, sample = 1, clock, random } = options;
  const { files, artifacts } = archive.index.contents;
  const rows = [...files.values()].reduce((sum, { bytes }) => sum + bytes, 0);
  const stored = [...artifacts.values()].reduce((sum, { bytes }) => sum + bytes, 0);
  const needed = Math.ceil((stored + rows * UNPACKED) * sample);
  const probe = await makeTemporaryDirectory(scratch);
  const { freeBytes } = await probePlace(probe.path, {}, ulid(clock, random)).finally(() =>
    probe.remove(),
  );
  if (freeBytes === null || freeBytes >= needed) return;
  const [has, wants] = [formatByteSize(freeBytes), formatByteSize(needed)];
  throw new UsageError(
    `the drill needs about ${wants} of scratch space, and ${scratch ?? "the system's temporary directory"} has ${has}; name another place with --scratch, or restore a part with --sample`,
  );
}

/** A drill is worth something also where its record cannot be kept: who runs it may only be allowed to read. */
async function recorded({ storage }: Archive, record: DrillRecord): Promise<string | null> {
  try {
    await addDrill(storage, record);
    return null;
  } catch (error) {
    return messageOf(error);
  }
}
