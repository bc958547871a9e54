/** Checks everything that an export needs. */
import { type Clock, systemClock, systemRandom, type Random } from '../base/runtime.js';
import { messageOf, JobvaultError } from '../base/error.js';
import { silentLogger } from '../base/logger.js';
import { proxyFor } from '../base/http/proxy.js';
import { NO_PLACE } from '../base/next-step.js';
import { ENCRYPTED, keyInTheClear } from '../base/http/key-in-the-clear.js';
import { ulid } from '../base/ulid.js';
import { VERSION } from '../base/version.js';
import { asUserId } from '../model/ids.js';
import type { ExportToArchiveOptions } from '../export/export-request.js';
import { OtherProjectError, projectOfKey } from '../export/project-of-key.js';
import type { ServiceClient } from '../service/service-client.js';
import { createServiceClient, SERVICE_DEFAULTS } from '../service/create-service-client.js';
import { type StorageOptions, openStorage } from '../storage/open-storage.js';
import { examineService, failed, ok, type Finding, warning } from './examine-service.js';
import { type Archive, fromSnapshot } from '../archive/archive.js';
import { openArchiveIn, readIdentity } from '../archive/open-archive.js';
import { usersOfLate, whyListIsDoubtful } from '../archive/reading/users/users-list.js';
import { examineLocation } from './check-location.js';

type Missing<T> = { readonly [Key in keyof T]?: T[Key] | undefined };

/** The options of an export. Each can be missing, which is a finding. */
export interface SetupOptions extends Missing<ExportToArchiveOptions> {
  /** Where the key is from, as a phrase: what to check where the service refuses it. */
  readonly keyPlace?: string | undefined;
  /** `process.version`. */
  readonly nodeVersion: string;
}

/** The attempts of a request to a bucket: somebody waits for the answer. A run tries for two minutes. */
const S3_ATTEMPTS = 3;

/** Sends one request to the service, two if the first fails. Removes what it writes. */
export async function examineSetup(options: SetupOptions): Promise<Finding[]> {
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
      const { allowUnlisted = false } = options;
      const { keyPlace = NO_PLACE.apiKey } = options;
      const request = { baseUrl, proxy: proxyHost, userId, others, allowUnlisted, pageSize, rate };
      const found = await examineService({ ...request, keyPlace, service: client, clock, signal });
      const isAccepted = found.some(({ check, status }) => check === 'API key' && status === 'ok');
      const project = isAccepted ? await examineProject(options, client) : [];
      return [...missing, ...found, ...project];
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

/** What an export would ask first. Nothing where the archive has no conversations, or where something else fails, of which another check tells. */
async function examineProject(
  { out, storage, pageSize = 100, allowOtherConversations, signal }: SetupOptions,
  service: ServiceClient,
): Promise<Finding[]> {
  if (out === undefined || allowOtherConversations === true) return [];
  try {
    const found = await ofArchive(out, storage, (archive) =>
      projectOfKey({ archive, service, pageSize, signal }),
    );
    return found === 'shown'
      ? [ok('project', 'the service lists conversations that the archive has')]
      : [];
  } catch (error) {
    signal?.throwIfAborted();
    if (!(error instanceof JobvaultError)) throw error;
    if (!(error instanceof OtherProjectError)) return [];
    const fix =
      'use an API key of this project; if all these were deleted at the service, --allow-other-conversations goes on';
    return [failed('project', error.message, fix, error.failure)];
  }
}

/** 0 where there is no archive yet; another check says what is wrong with one that cannot be read. */
async function usersOfArchive(
  out: string,
  options: StorageOptions | undefined,
  nowMs: number,
): Promise<number> {
  try {
    const count = ({ index }: Archive) => usersOfLate(index, nowMs);
    return (await ofArchive(out, options, count)) ?? 0;
  } catch (error) {
    if (error instanceof JobvaultError) return 0;
    throw error;
  }
}

/** @returns undefined where there is no archive yet */
async function ofArchive<T>(
  out: string,
  options: StorageOptions | undefined,
  ask: (archive: Archive) => T | Promise<T>,
): Promise<T | undefined> {
  const storage = await openStorage(out, { s3: { ...options?.s3, maxAttempts: S3_ATTEMPTS } });
  try {
    if (!(await readIdentity(storage))) return undefined;
    const archive = fromSnapshot(await openArchiveIn(storage));
    await archive.index.refresh();
    return await ask(archive);
  } finally {
    await storage.close();
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
