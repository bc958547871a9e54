/** Checks the location of an archive: write access, free space, and an existing archive. */
import type { ArchiveFormat } from '../formats/formats.js';
import { type Runtime } from '../base/runtime.js';
import { messageOf, JobvaultError, failureOf, UsageError } from '../base/error.js';
import { ulid } from '../base/ulid.js';
import {
  type PlaceProbe,
  type StorageOptions,
  openStorage,
  probePlace,
} from '../storage/open-storage.js';
import { failed, ok, type Finding, unknown, warning } from './examine-service.js';
import { assertNotCut, lostCommit } from '../archive/witnesses/cut-log.js';
import type { Archive } from '../archive/archive.js';
import { openArchiveIfThere } from '../archive/open-archive.js';
import { formatByteSize } from '../base/byte-size.js';
import { StorageError } from '../storage/storage-errors.js';
import { NIGHTLY_ENVIRONMENT, STORAGE_FIXES } from '../storage/storage-fixes.js';

export interface LocationCheck extends Pick<Runtime, 'clock' | 'random'> {
  /** A directory or `s3://bucket/prefix`. */
  readonly out: string;
  readonly storage: StorageOptions;
  readonly baseUrl: string | undefined;
  readonly project: string | undefined;
  readonly formats: readonly ArchiveFormat[] | undefined;
  /** Limit of bytes staged before a commit. */
  readonly checkpointBytes: number;
}

/** Parts, artifacts and sheets of a workbook are staged at the same time. */
const CHECKPOINTS = 4;
/** With less, no run gets anywhere. */
const LEAST_BYTES = 50e6;

export async function examineLocation(options: LocationCheck): Promise<Finding[]> {
  const access = await examineAccess(options);
  const archive = await examineArchive(options);
  // a place that cannot be reached fails for reading as it does for writing: one line for one cause
  const isSame = access.some(({ status, fix }) => status === 'failed' && fix === archive.fix);
  return [...access, isSame ? unknown('archive', 'not checked', 'write access') : archive];
}

async function examineAccess(options: LocationCheck): Promise<Finding[]> {
  try {
    const name = `doctor-${ulid(options.clock, options.random)}`;
    const { unsafe, ...place } = await probePlace(options.out, options.storage, name);
    return [
      ok('write access', `${place.location} is writable`),
      unsafe
        ? failureOfPlace('overwriting', unsafe)
        : ok('overwriting', 'refused where an object is: two runs cannot replace the same commit'),
      freeSpaceOf(place, options),
    ];
  } catch (error) {
    return [
      failureOfPlace('write access', error),
      unknown('overwriting', 'not checked', 'write access'),
      unknown('free space', 'not checked', 'write access'),
    ];
  }
}

const OTHER_PLACE = 'name another location with --out';

function failureOfPlace(check: string, error: unknown): Finding {
  const fix = fixOf(error, OTHER_PLACE);
  return failed(check, messageOf(error), fix, failureOf(error));
}

/** @param otherwise for a place that cannot be an archive */
function fixOf(error: unknown, otherwise: string): string {
  if (messageOf(error).includes('AWS_REGION'))
    return `${STORAGE_FIXES.region}; ${NIGHTLY_ENVIRONMENT}`;
  if (!(error instanceof StorageError)) return otherwise;
  return error.trouble === 'credentials' ? `${error.fix}; ${NIGHTLY_ENVIRONMENT}` : error.fix;
}

function freeSpaceOf(
  { location, freeBytes, waitingIn }: Omit<PlaceProbe, 'unsafe'>,
  { checkpointBytes }: LocationCheck,
): Finding {
  const isElsewhere = waitingIn !== location;
  const where = isElsewhere ? ` in ${waitingIn} (TMPDIR), where uploads wait` : '';
  const message = `${formatByteSize(freeBytes)} free${where}`;
  const needed = checkpointBytes * CHECKPOINTS;
  if (freeBytes >= needed) return ok('free space', message);
  const each = formatByteSize(checkpointBytes);
  const place = isElsewhere ? waitingIn : 'beside the archive';
  const fix = `free space, ${isElsewhere ? 'set TMPDIR, ' : ''}or lower --checkpoint-size: before a commit a run keeps up to ${formatByteSize(needed)} ${place}, ${CHECKPOINTS} times --checkpoint-size (${each}): rows, tables, images and sheets`;
  return freeBytes < Math.min(needed, LEAST_BYTES)
    ? failed('free space', message, fix, 'storage')
    : warning('free space', message, fix);
}

const VERIFY_FIX = `${OTHER_PLACE}; for a damaged archive, jobvault verify shows more`;

/** The refusal of another service's archive says what to give; a place that is not the archive wanted is not damaged. */
function failureOfArchive(error: unknown): Finding {
  const failure = error instanceof JobvaultError ? error.failure : 'unexpected';
  const [, said, advice] = /^(.*?); (give .*)$/s.exec(messageOf(error)) ?? [];
  if (error instanceof UsageError && said !== undefined && advice !== undefined)
    return failed('archive', said, advice, failure);
  const fix = fixOf(error, error instanceof UsageError ? OTHER_PLACE : VERIFY_FIX);
  return failed('archive', messageOf(error), fix, failure);
}

/** Reads what every run reads first, and looks whether each commit is there. @throws {IntegrityError} */
async function assertWhole(archive: Archive): Promise<void> {
  await archive.index.refresh();
  const lost = await lostCommit(archive);
  if (lost) throw lost;
  await assertNotCut(archive).catch((error: unknown) => {
    // without the permission to list versions, nobody knows what is hidden: a run goes on, too
    if (!(error instanceof StorageError && error.trouble === 'permission')) throw error;
  });
}

async function examineArchive(options: LocationCheck): Promise<Finding> {
  const { out, baseUrl, project = null, formats, clock, random } = options;
  if (baseUrl === undefined)
    return unknown('archive', 'not checked: no service is named', 'service');
  const storage = await openStorage(out, options.storage);
  try {
    const expected = { baseUrl, project, formats, clock, random };
    const archive = await openArchiveIfThere(storage, expected);
    if (!archive) return ok('archive', 'none yet: the first export creates it');
    await assertWhole(archive);
    const { format, formats: kept, created_at: created } = archive.identity;
    return ok(
      'archive',
      `of this service, since ${created.slice(0, 10)}, format ${format}, ${kept.join(' and ')}`,
    );
  } catch (error) {
    return failureOfArchive(error);
  } finally {
    await storage.close();
  }
}
