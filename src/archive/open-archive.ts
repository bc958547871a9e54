/** Opens an archive, or makes one in an empty place; never mixes the data of two services. */
import { ulid } from '../base/ulid.js';
import { UsageError } from '../base/error.js';
import { type Storage } from '../storage/storage.js';
import { getIfThere } from '../storage/small-objects.js';
import { archiveOf, contextOf, type Archive, type ContextOptions } from './archive.js';
import { normaliseBaseUrl } from '../base/http/base-url.js';
import {
  assertNotPseudonymised,
  decodeIdentity,
  encodeIdentity,
  type ArchiveIdentity,
} from './identity.js';
import { isOfFileManager } from './objects/unnamed-objects.js';
import { IDENTITY_PATH } from './paths.js';
import { DEFAULT_FORMAT, orderedFormats, type ArchiveFormat } from '../formats/formats.js';

export interface ArchiveSettings extends ContextOptions {
  readonly baseUrl: string;
  /** A label; null accepts the archive's. */
  readonly project: string | null;
  /** Undefined accepts the archive's; a new archive gets `['parquet']`. */
  readonly formats: readonly ArchiveFormat[] | undefined;
}

/** In the message about a place that is none. */
export const NO_ARCHIVE = 'is not a jobvault archive';

/**
 * @throws {UsageError} there is no archive, or it needs a newer version
 * @throws {IntegrityError} its jobvault.json is damaged
 */
export async function openArchiveIn(
  storage: Storage,
  options: ContextOptions = {},
): Promise<Archive> {
  const identity = await readIdentity(storage);
  if (identity) return archiveOf(storage, identity, options);
  throw new UsageError(`${storage.location} ${NO_ARCHIVE}: ${await whatIsThere(storage)}`);
}

/** Says how what is there is checked, if it is something else that jobvault makes. */
async function whatIsThere(storage: Storage): Promise<string> {
  if ((await isForeign(storage)) === 'empty') {
    return 'nothing is there, so nothing has been exported to it yet';
  }
  for (const { mark, what } of MADE_OF_ARCHIVES) {
    if (await storage.stat(mark)) return what;
  }
  return `it has no ${IDENTITY_PATH}`;
}

/** By a file that an archive never has. */
const MADE_OF_ARCHIVES = [
  {
    mark: 'tagmanifest-sha256.txt',
    what: 'it is an evidence pack; data/README.txt in it says how it is checked: in its directory, sha256sum -c --quiet --strict manifest-sha256.txt tagmanifest-sha256.txt',
  },
  {
    mark: 'data/jobvault-files.sha256',
    what: 'it is a report; in its directory, sha256sum -c --quiet data/jobvault-files.sha256 checks its files',
  },
] as const;

/**
 * Opens the archive for a run that will append to its log; makes it if there is none.
 *
 * @throws {UsageError} the place has other files, or an archive of another service, project or
 *   formats
 * @throws {SigningKeyError | SigningStartError} its log must be signed with a key that the run does not have, or the
 *   run's key may not begin to sign it
 * @throws {IntegrityError} its jobvault.json or its newest commit is damaged
 */
export function createOrOpenArchive(storage: Storage, wanted: ArchiveSettings): Promise<Archive> {
  return makeOrOpenArchive(storage, wanted, {
    onOpened: ({ log }) => log.assertMayAppend(),
    onMaking: ({ log }) => log.assertMayBegin(),
  });
}

/**
 * Like `createOrOpenArchive`, for a run that appends nothing itself.
 *
 * @param checks.onOpened called with an archive that was there
 * @param checks.onMaking called with one that is about to be made
 * @throws {UsageError | IntegrityError} as `createOrOpenArchive`, but not about signatures
 */
export async function makeOrOpenArchive(
  storage: Storage,
  wanted: ArchiveSettings,
  checks: {
    readonly onOpened?: (archive: Archive) => Promise<void>;
    readonly onMaking?: (archive: Archive) => Promise<void>;
  } = {},
): Promise<Archive> {
  const made = identityFor(wanted);
  for (;;) {
    const archive = await openArchiveIfThere(storage, wanted);
    if (archive) {
      await checks.onOpened?.(archive);
      return archive;
    }
    const making = archiveOf(storage, made, wanted);
    await checks.onMaking?.(making);
    // If two runs start together, one makes the archive and the other opens it.
    if (await storage.putIfAbsent(IDENTITY_PATH, encodeIdentity(made))) {
      return making;
    }
  }
}

/** @throws {UsageError | IntegrityError} as `decodeIdentity` */
export async function readIdentity(storage: Storage): Promise<ArchiveIdentity | undefined> {
  const bytes = await getIfThere(storage, IDENTITY_PATH);
  return bytes && decodeIdentity(storage.location, bytes);
}

/**
 * The archive that `createOrOpenArchive` would open; undefined if it would make a new one. Writes nothing.
 *
 * @throws {UsageError | IntegrityError} as `createOrOpenArchive`
 */
export async function openArchiveIfThere(
  storage: Storage,
  wanted: ArchiveSettings,
): Promise<Archive | undefined> {
  const identity = (await readIdentity(storage)) ?? (await madeMeanwhile(storage));
  if (!identity) return undefined;
  assertSameIdentity(storage.location, identity, wanted);
  return archiveOf(storage, identity, wanted);
}

/** Another run that has made the archive since wrote its identity before anything else: it is read once more. */
async function madeMeanwhile(storage: Storage): Promise<ArchiveIdentity | undefined> {
  if ((await isForeign(storage)) === 'empty') return undefined;
  const identity = await readIdentity(storage);
  if (!identity) throw foreign(storage.location);
  return identity;
}

function foreign(location: string): UsageError {
  return new UsageError(
    `${location} is not empty and is not a jobvault archive (it has no ${IDENTITY_PATH}): choose an empty place`,
  );
}

async function isForeign(storage: Storage): Promise<'empty' | 'foreign'> {
  for await (const { path } of storage.list('')) {
    if (path === IDENTITY_PATH) return 'empty'; // another run has just made it: read it again
    if (isOfFileManager(path)) continue;
    return 'foreign';
  }
  return 'empty';
}

function identityFor(wanted: ArchiveSettings): ArchiveIdentity {
  const { clock, random, tool } = contextOf(wanted);
  return {
    format: 1,
    id: ulid(clock, random),
    made_by: tool,
    created_at: new Date(clock.now()).toISOString(),
    service: { base_url: normaliseBaseUrl(wanted.baseUrl), project: wanted.project },
    formats: orderedFormats(wanted.formats ?? [DEFAULT_FORMAT]),
  };
}

/** @throws {UsageError} it is the archive of another service, project or formats, or a pseudonymised copy */
export function assertSameIdentity(
  location: string,
  identity: ArchiveIdentity,
  wanted: ArchiveSettings,
): void {
  assertNotPseudonymised(location, identity);
  const { service, formats } = identity;
  const baseUrl = normaliseBaseUrl(wanted.baseUrl);
  if (service.base_url !== baseUrl) {
    throw new UsageError(
      `${location} is the archive of ${service.base_url}, not of ${baseUrl}; give --base-url ${service.base_url}, or, if the service has moved, keep that address for it (DNS, a proxy), or begin a new archive: one belongs to one address`,
    );
  }
  if (service.project !== null && wanted.project !== null && service.project !== wanted.project) {
    throw new UsageError(
      `${location} is the archive of project "${service.project}", not of "${wanted.project}"; give --project ${service.project}, or name another archive`,
    );
  }
  if (!wanted.formats) return;
  if (orderedFormats(wanted.formats).join(',') !== formats.join(',')) {
    const forPeople = wanted.formats.includes('xlsx')
      ? `; for a workbook of one person: jobvault workbook ${location} --user USER --out FILE.xlsx`
      : '';
    throw new UsageError(
      `${location} keeps its tables as ${formats.join(',')}, not as ${wanted.formats.join(',')}: the first run fixes the formats${forPeople}`,
    );
  }
}
