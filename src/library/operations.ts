/** Opening archives, exports, and the fleet. The code of each operation is loaded when it is called. */
import { runtimeOf } from '../base/runtime.js';
import type * as Doctor from '../doctor/examine-setup.js';
import type * as Export from '../export/export-to-archive.js';
import type * as Plan from '../export/plan-export.js';
import type * as Enqueue from '../fleet/enqueue-run.js';
import { rowFormats } from '../formats/formats.js';
import type * as Fleet from '../fleet/fleet-status.js';
import type * as Wait from '../fleet/wait-for-run.js';
import type * as Worker from '../fleet/run-worker.js';
import type { CallContext, OpenOptions } from './call-context.js';
import type { OpenArchive } from './open-archive.js';
import type { OpenArchives } from './open-archives.js';

/**
 * Opens an existing archive.
 *
 * @param location a directory, or `s3://bucket/prefix`
 * @throws {UsageError} there is no archive, or it needs a newer version
 * @throws {IntegrityError} its jobvault.json is damaged
 */
export async function openArchive(
  location: string,
  options: OpenOptions = {},
): Promise<OpenArchive> {
  const { OpenArchive } = await import('./open-archive.js');
  return new OpenArchive(await contextOf(location, options));
}

/**
 * Opens several existing archives, such as those of a fleet that are made by shards of the users. One that cannot be
 * opened is told by `status`, and refused by every other call.
 *
 * @param locations directories, or `s3://bucket/prefix`
 * @throws {UsageError} none is named, or two are the same archive
 */
export async function openArchives(
  locations: readonly string[],
  options: OpenOptions = {},
): Promise<OpenArchives> {
  const { OpenArchives } = await import('./open-archives.js');
  return OpenArchives.of(locations, (location) => contextOf(location, options));
}

async function contextOf(location: string, options: OpenOptions): Promise<CallContext> {
  const { openArchiveIn } = await import('../archive/open-archive.js');
  const { openStorage } = await import('../storage/open-storage.js');
  const { CallContext } = await import('./call-context.js');
  const storage = await openStorage(location, options.storage, options.logger);
  try {
    const { parquetCodec: codec = 'zstd' } = options;
    const knownFormats = () => rowFormats({ parquet: { codec } });
    const archive = await openArchiveIn(storage, { ...options, knownFormats });
    return new CallContext(archive, runtimeOf(options).signal, options);
  } catch (error) {
    await storage.close();
    throw error;
  }
}

/** Exports users to an archive, which is created if there is none. */
export const exportToArchive: typeof Export.exportToArchive = async (options) =>
  (await import('../export/export-to-archive.js')).exportToArchive(options);

/** A dry run: counts what an export would find. */
export const planExport: typeof Plan.planExport = async (options) =>
  (await import('../export/plan-export.js')).planExport(options);

/** Puts the users of a run into a queue in Redis. */
export const enqueueRun: typeof Enqueue.enqueueRun = async (options) =>
  (await import('../fleet/enqueue-run.js')).enqueueRun(options);

/** Exports users from that queue until it has been idle for a time, or is stopped. */
export const runWorker: typeof Worker.runWorker = async (options) =>
  (await import('../fleet/run-worker.js')).runWorker(options);

/** Waits until all users of a run are done. */
export const waitForRun: typeof Wait.waitForRun = async (options) =>
  (await import('../fleet/wait-for-run.js')).waitForRun(options);

/** Reads the status of the queue, its workers, and the last runs. */
export const fleetStatus: typeof Fleet.fleetStatus = async (place, runs) =>
  (await import('../fleet/fleet-status.js')).fleetStatus(place, runs);

/** Checks whether key, service, location and clock are as an export needs them. */
export const examineSetup: typeof Doctor.examineSetup = async (options) =>
  (await import('../doctor/examine-setup.js')).examineSetup(options);
