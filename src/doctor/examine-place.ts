/** Checks the place of an archive: write access, free space, and the archive that is there. */
import { openArchiveIfThere } from '../archive/open-archive.js';
import type { ArchiveFormat } from '../archive/identity.js';
import { formatByteSize } from '../base/byte-size.js';
import type { Clock } from '../base/clock.js';
import { JobvaultError, messageOf } from '../base/error.js';
import type { Random } from '../base/random.js';
import { ulid } from '../base/ulid.js';
import { TOOL } from '../base/version.js';
import { openStorage, type StorageOptions } from '../storage/open-storage.js';
import { probePlace } from '../storage/probe-place.js';
import { failed, ok, unknown, warning, type Finding } from './finding.js';

export interface PlaceCheck {
  /** A directory or `s3://bucket/prefix`. */
  readonly out: string;
  readonly storage: StorageOptions;
  readonly baseUrl: string | undefined;
  readonly project: string | undefined;
  readonly formats: readonly ArchiveFormat[] | undefined;
  /** The most that is staged before a commit. */
  readonly checkpointBytes: number;
  readonly clock: Clock;
  readonly random: Random;
}

/** Parts, artifacts and sheets of a workbook are staged at the same time. */
const CHECKPOINTS = 4;

export async function examinePlace(place: PlaceCheck): Promise<Finding[]> {
  return [...(await examineAccess(place)), await examineArchive(place)];
}

async function examineAccess(place: PlaceCheck): Promise<Finding[]> {
  try {
    const name = `doctor-${ulid(place.clock, place.random)}`;
    const { location, freeBytes } = await probePlace(place.out, place.storage, name);
    return [ok('write access', `${location} is writable`), freeSpaceOf(freeBytes, place)];
  } catch (error) {
    const mend = 'name another place with --out, or give this user write access';
    const failure = error instanceof JobvaultError ? error.failure : 'unexpected';
    return [
      failed('write access', messageOf(error), mend, failure),
      unknown('free space', 'not checked'),
    ];
  }
}

function freeSpaceOf(freeBytes: number | null, { checkpointBytes }: PlaceCheck): Finding {
  if (freeBytes === null) return ok('free space', 'not limited in a bucket');
  const told = `${formatByteSize(freeBytes)} free`;
  const needed = checkpointBytes * CHECKPOINTS;
  if (freeBytes >= needed) return ok('free space', told);
  const mend = `free space, or lower --checkpoint-size: a run stages up to ${formatByteSize(needed)} beside the archive itself`;
  return warning('free space', told, mend);
}

async function examineArchive(place: PlaceCheck): Promise<Finding> {
  const { out, baseUrl, project = null, formats, clock, random } = place;
  if (baseUrl === undefined) return unknown('archive', 'not checked: no service is named');
  const storage = openStorage(out, place.storage);
  try {
    const wanted = { baseUrl, project, formats, tool: TOOL, clock, random };
    const archive = await openArchiveIfThere(storage, wanted);
    if (!archive) return ok('archive', 'none yet: the first export creates it');
    const { format, formats: kept, created_at: made } = archive.identity;
    return ok(
      'archive',
      `of this service, since ${made.slice(0, 10)}, format ${format}, ${kept.join(' and ')}`,
    );
  } catch (error) {
    const failure = error instanceof JobvaultError ? error.failure : 'unexpected';
    const mend = 'name another place with --out; for a damaged archive, jobvault verify shows more';
    return failed('archive', messageOf(error), mend, failure);
  } finally {
    await storage.close();
  }
}
