/** Checks everything that an export needs. */
import type { ArchiveFormat } from '../formats/formats.js';
import {
  type Clock,
  systemClock,
  systemRandom,
  type Random,
  type Runtime,
  type RuntimeOptions,
} from '../base/runtime.js';
import { messageOf, JobvaultError, failureOf, UsageError } from '../base/error.js';
import { silentLogger } from '../base/logger.js';
import { ENCRYPTED, keyInTheClear, proxyFor, type ProxySettings } from '../base/http/proxy.js';
import { ulid } from '../base/digest.js';
import { VERSION } from '../base/version.js';
import { asUserId } from '../model/ids.js';
import { createServiceClient, SERVICE_DEFAULTS } from '../service/create-service-client.js';
import {
  type PlaceProbe,
  type StorageOptions,
  openStorage,
  probePlace,
} from '../storage/open-storage.js';
import { examineService, failed, ok, type Finding, unknown, warning } from './examine-service.js';
import { openArchiveIfThere, openArchiveIn, readIdentity } from '../archive/open-archive.js';
import { usersOfLate, whyListIsDoubtful } from '../archive/users-list.js';
import { formatByteSize } from '../base/units.js';
import { NIGHTLY_ENVIRONMENT, StorageError, STORAGE_FIXES } from '../storage/storage-errors.js';

/** The options of an export. Each can be missing, which is a finding. */
export interface SetupOptions extends Pick<
  RuntimeOptions,
  'clock' | 'random' | 'logger' | 'terms' | 'signal'
> {
  readonly baseUrl?: string | undefined;
  readonly apiKey?: string | undefined;
  readonly apiKeyHeader?: string | undefined;
  readonly users?: readonly string[] | undefined;
  /** Whether they are a list of everybody, which may have become a web page, or lost users. Default false. */
  readonly isListOfAll?: boolean | undefined;
  /** Default 0.8. */
  readonly minUsers?: number | undefined;
  readonly out?: string | undefined;
  readonly storage?: StorageOptions | undefined;
  readonly project?: string | undefined;
  readonly formats?: readonly ArchiveFormat[] | undefined;
  readonly proxy?: ProxySettings | undefined;
  /** Default 20. */
  readonly rate?: number | undefined;
  /** Default 100. */
  readonly pageSize?: number | undefined;
  /** Default 128 MB. */
  readonly checkpointBytes?: number | undefined;
  /** `process.version`. */
  readonly nodeVersion: string;
}

/** Of a request to a bucket: somebody waits for the answer. A run tries for two minutes. */
const S3_ATTEMPTS = 3;

/** Sends one request to the service, two if the first fails. Removes what it writes. */
export async function checkSetup(options: SetupOptions): Promise<Finding[]> {
  const { out, clock = systemClock, random = systemRandom } = options;
  const checkpointBytes = options.checkpointBytes ?? 128e6;
  const { baseUrl, project, formats } = options;
  const storage = { s3: { ...options.storage?.s3, maxAttempts: S3_ATTEMPTS } };
  const location =
    out === undefined
      ? [failed('write access', 'no archive is named', 'give --out', 'usage')]
      : await examineLocation({
          out,
          storage,
          baseUrl,
          project,
          formats,
          checkpointBytes,
          clock,
          random,
        });
  return [
    ...examineVersions(options.nodeVersion),
    ...(await service(options, clock, random)),
    ...location,
  ];
}

async function service(options: SetupOptions, clock: Clock, random: Random): Promise<Finding[]> {
  const { baseUrl, apiKey, signal, terms, users = [], logger = silentLogger } = options;
  const [user] = users;
  const missing = [
    ...(baseUrl === undefined
      ? [failed('service', 'no service is named', 'give --base-url', 'usage')]
      : []),
    ...(apiKey === undefined
      ? [failed('API key', 'no key is set', 'set JOBVAULT_API_KEY or give --api-key-file', 'usage')]
      : []),
    ...(user === undefined
      ? [failed('users', 'no user is named', 'give --user or --users-file', 'usage')]
      : [await examineList(options, user)]),
    ...encryptionOf(baseUrl),
  ];
  if (baseUrl === undefined || apiKey === undefined || user === undefined) return missing;
  const rate = options.rate ?? SERVICE_DEFAULTS.rate;
  try {
    const { apiKeyHeader, proxy, pageSize = 100 } = options;
    const client = createServiceClient({
      baseUrl,
      apiKey,
      apiKeyHeader,
      proxy,
      rate,
      clock,
      random,
      logger,
      terms,
      signal,
      traceId: `jobvault-doctor-${ulid(clock, random)}`,
      userAgent: `jobvault/${VERSION}`,
    });
    try {
      const proxyHost = proxyFor(new URL(baseUrl), proxy)?.host;
      const others = options.isListOfAll === true ? users.slice(1).map(asUserId) : [];
      const userId = asUserId(user);
      const request = { baseUrl, proxy: proxyHost, userId, others, pageSize, rate };
      return [
        ...missing,
        ...(await examineService({ ...request, service: client, clock, signal })),
      ];
    } finally {
      await client.close();
    }
  } catch (error) {
    signal?.throwIfAborted();
    const fix = 'jobvault config show shows where a setting comes from';
    return [...missing, failed('service', messageOf(error), fix, 'usage')];
  }
}

/** What an export would say of a list of everybody, as far as the archive can tell. */
async function examineList(
  { users = [], isListOfAll = false, minUsers, out, storage, clock = systemClock }: SetupOptions,
  user: string,
): Promise<Finding> {
  const fine = ok('users', users.length === 1 ? user : `${users.length}; ${user} is checked`);
  if (!isListOfAll) return fine;
  const ofLate = out === undefined ? 0 : await usersOfArchive(out, storage, clock.now());
  const doubt = whyListIsDoubtful({ users, minUsers, ofLate });
  return doubt === undefined ? fine : failed('users', doubt, OTHER_LIST, 'usage');
}

const OTHER_LIST = 'mend that file, or name another one with --users-file';

/** 0 where there is no archive yet; another check says what is wrong with one that cannot be read. */
async function usersOfArchive(
  out: string,
  options: StorageOptions | undefined,
  nowMs: number,
): Promise<number> {
  try {
    const storage = await openStorage(out, { s3: { ...options?.s3, maxAttempts: S3_ATTEMPTS } });
    try {
      if (!(await readIdentity(storage))) return 0;
      const { index } = await openArchiveIn(storage);
      await index.refresh();
      return usersOfLate(index, nowMs);
    } finally {
      await storage.close();
    }
  } catch (error) {
    if (error instanceof JobvaultError) return 0;
    throw error;
  }
}

/** Nothing where the key is safe on its way. */
function encryptionOf(baseUrl = ''): Finding[] {
  const sentence = keyInTheClear(baseUrl);
  return sentence === undefined ? [] : [warning('encryption', sentence, ENCRYPTED)];
}

/** `engines` of package.json. */
const MIN_NODE = [20, 19] as const;

/** @param nodeVersion `v20.19.0` */
function examineVersions(nodeVersion: string): Finding[] {
  const message = `jobvault ${VERSION} on Node.js ${nodeVersion.replace(/^v/, '')}`;
  const [major = 0, minor = 0] = nodeVersion.replace(/^v/, '').split('.').map(Number);
  const [minMajor, minMinor] = MIN_NODE;
  const isRecent = major > minMajor || (major === minMajor && minor >= minMinor);
  if (isRecent) return [ok('versions', message)];
  return [failed('versions', message, `install Node.js ${MIN_NODE.join('.')} or newer`, 'usage')];
}

/** Checks the location of an archive: write access, free space, and an existing archive. */

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

async function examineLocation(options: LocationCheck): Promise<Finding[]> {
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

async function examineArchive(options: LocationCheck): Promise<Finding> {
  const { out, baseUrl, project = null, formats, clock, random } = options;
  if (baseUrl === undefined)
    return unknown('archive', 'not checked: no service is named', 'service');
  const storage = await openStorage(out, options.storage);
  try {
    const expected = { baseUrl, project, formats, clock, random };
    const archive = await openArchiveIfThere(storage, expected);
    if (!archive) return ok('archive', 'none yet: the first export creates it');
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
