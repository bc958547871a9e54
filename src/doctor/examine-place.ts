/** Looks at the place where an archive is or is to be: may it be written, is there room, whose is it. */
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

export interface PlaceUnderExamination {
  /** A directory or `s3://bucket/prefix`. */
  readonly out: string;
  readonly storage: StorageOptions;
  readonly baseUrl: string | undefined;
  readonly project: string | undefined;
  readonly formats: readonly ArchiveFormat[] | undefined;
  /** What is staged before a commit, at most. */
  readonly checkpointBytes: number;
  readonly clock: Clock;
  readonly random: Random;
}

/** Parts, artifacts and a workbook's sheets are staged beside each other. */
const CHECKPOINTS = 4;

export async function examinePlace(place: PlaceUnderExamination): Promise<Finding[]> {
  return [...(await examineAccess(place)), await examineArchive(place)];
}

async function examineAccess(place: PlaceUnderExamination): Promise<Finding[]> {
  try {
    const name = `doctor-${ulid(place.clock, place.random)}`;
    const { location, freeBytes } = await probePlace(place.out, place.storage, name);
    return [ok('write access', `${location} is writable`), roomOf(freeBytes, place)];
  } catch (error) {
    const mend = 'name another place with --out, or let this user write there';
    const failure = error instanceof JobvaultError ? error.failure : 'unexpected';
    return [
      failed('write access', messageOf(error), mend, failure),
      unknown('free space', 'not asked'),
    ];
  }
}

function roomOf(freeBytes: number | null, { checkpointBytes }: PlaceUnderExamination): Finding {
  if (freeBytes === null) return ok('free space', 'a bucket has no end');
  const told = `${formatByteSize(freeBytes)} are left`;
  const needed = checkpointBytes * CHECKPOINTS;
  if (freeBytes >= needed) return ok('free space', told);
  const mend = `make room, or lower --checkpoint-size: a run stages up to ${formatByteSize(needed)} beside the archive itself`;
  return warning('free space', told, mend);
}

async function examineArchive(place: PlaceUnderExamination): Promise<Finding> {
  const { out, baseUrl, project = null, formats, clock, random } = place;
  if (baseUrl === undefined) return unknown('archive', 'no service is named that it could be of');
  const storage = openStorage(out, place.storage);
  try {
    const wanted = { baseUrl, project, formats, tool: TOOL, clock, random };
    const archive = await openArchiveIfThere(storage, wanted);
    if (!archive) return ok('archive', 'none yet: the first export makes it');
    const { format, formats: kept, created_at: made } = archive.identity;
    return ok(
      'archive',
      `of this service, since ${made.slice(0, 10)}, format ${format}, ${kept.join(' and ')}`,
    );
  } catch (error) {
    const failure = error instanceof JobvaultError ? error.failure : 'unexpected';
    const mend =
      'name another place with --out; jobvault verify says more of an archive that is damaged';
    return failed('archive', messageOf(error), mend, failure);
  } finally {
    await storage.close();
  }
}
