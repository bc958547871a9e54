/** Checks the location of an archive: write access, free space, and an existing archive. */
import { openArchiveIfThere } from '../archive/open-archive.js';
import type { ArchiveFormat } from '../archive/identity.js';
import { formatByteSize } from '../base/byte-size.js';
import type { Clock } from '../base/clock.js';
import { JobvaultError, failureOf, messageOf } from '../base/error.js';
import type { Random } from '../base/random.js';
import { ulid } from '../base/ulid.js';
import { TOOL } from '../base/version.js';
import { openStorage, type StorageOptions } from '../storage/open-storage.js';
import { probePlace } from '../storage/probe-place.js';
import { StorageError } from '../storage/storage-errors.js';
import { failed, ok, unknown, warning, type Finding } from './finding.js';

export interface LocationCheck {
  /** A directory or `s3://bucket/prefix`. */
  readonly out: string;
  readonly storage: StorageOptions;
  readonly baseUrl: string | undefined;
  readonly project: string | undefined;
  readonly formats: readonly ArchiveFormat[] | undefined;
  /** Limit of bytes staged before a commit. */
  readonly checkpointBytes: number;
  readonly clock: Clock;
  readonly random: Random;
}

/** Parts, artifacts and sheets of a workbook are staged at the same time. */
const CHECKPOINTS = 4;

export async function examineLocation(options: LocationCheck): Promise<Finding[]> {
  return [...(await examineAccess(options)), await examineArchive(options)];
}

async function examineAccess(options: LocationCheck): Promise<Finding[]> {
  try {
    const name = `doctor-${ulid(options.clock, options.random)}`;
    const { location, freeBytes, unsafe } = await probePlace(options.out, options.storage, name);
    return [
      ok('write access', `${location} is writable`),
      unsafe
        ? failureOfPlace('overwriting', unsafe)
        : ok('overwriting', 'refused where an object is: two runs cannot replace the same commit'),
      freeSpaceOf(freeBytes, options),
    ];
  } catch (error) {
    return [
      failureOfPlace('write access', error),
      unknown('overwriting', 'not checked', 'write access'),
      unknown('free space', 'not checked', 'write access'),
    ];
  }
}

function failureOfPlace(check: string, error: unknown): Finding {
  const fix = error instanceof StorageError ? error.fix : 'name another location with --out';
  return failed(check, messageOf(error), fix, failureOf(error));
}

function freeSpaceOf(freeBytes: number | null, { checkpointBytes }: LocationCheck): Finding {
  if (freeBytes === null) return ok('free space', 'not limited in a bucket');
  const message = `${formatByteSize(freeBytes)} free`;
  const needed = checkpointBytes * CHECKPOINTS;
  if (freeBytes >= needed) return ok('free space', message);
  const fix = `free space, or lower --checkpoint-size: a run stages up to ${formatByteSize(needed)} in addition to the archive`;
  return warning('free space', message, fix);
}

async function examineArchive(options: LocationCheck): Promise<Finding> {
  const { out, baseUrl, project = null, formats, clock, random } = options;
  if (baseUrl === undefined)
    return unknown('archive', 'not checked: no service is named', 'service');
  const storage = openStorage(out, options.storage);
  try {
    const expected = { baseUrl, project, formats, tool: TOOL, clock, random };
    const archive = await openArchiveIfThere(storage, expected);
    if (!archive) return ok('archive', 'none yet: the first export creates it');
    const { format, formats: kept, created_at: created } = archive.identity;
    return ok(
      'archive',
      `of this service, since ${created.slice(0, 10)}, format ${format}, ${kept.join(' and ')}`,
    );
  } catch (error) {
    const failure = error instanceof JobvaultError ? error.failure : 'unexpected';
    const fix =
      'name another location with --out; for a damaged archive, jobvault verify shows more';
    return failed('archive', messageOf(error), fix, failure);
  } finally {
    await storage.close();
  }
}
