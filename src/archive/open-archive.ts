/** Opens an archive, or makes one where nothing is; never mixes two services' data in one. */
import { systemClock } from '../base/system-clock.js';
import { systemRandom } from '../base/random.js';
import { ulid } from '../base/ulid.js';
import { UsageError } from '../base/usage-error.js';
import { ObjectNotFoundError } from '../storage/object-not-found-error.js';
import type { Storage } from '../storage/storage.js';
import { archiveOf, type Archive, type ArchiveDependencies } from './archive.js';
import { normaliseBaseUrl } from '../base/http/base-url.js';
import {
  ARCHIVE_FORMATS,
  decodeIdentity,
  encodeIdentity,
  type ArchiveFormat,
  type ArchiveIdentity,
} from './identity.js';
import { isOfFileManager } from './foreign-files.js';
import { IDENTITY_PATH } from './paths.js';

export interface WantedArchive extends ArchiveDependencies {
  readonly baseUrl: string;
  /** A label; null takes the archive's. */
  readonly project: string | null;
  /** Undefined takes the archive's; for a new one `['parquet']`. */
  readonly formats: readonly ArchiveFormat[] | undefined;
  /** `jobvault <version>` */
  readonly tool: string;
}

const DEFAULT_FORMATS: readonly ArchiveFormat[] = ['parquet'];

/**
 * @throws {UsageError} there is none, or it needs a newer version
 * @throws {IntegrityError} its jobvault.json is damaged
 */
export async function openArchive(
  storage: Storage,
  dependencies: ArchiveDependencies = { clock: systemClock, random: systemRandom },
): Promise<Archive> {
  const identity = await readIdentity(storage);
  if (identity) return archiveOf(storage, identity, dependencies);
  throw new UsageError(`${storage.location} is not a jobvault archive: it has no ${IDENTITY_PATH}`);
}

/**
 * For a run that will append to its log.
 *
 * @throws {UsageError} there is something else, or an archive of another service, project or formats,
 *   or one whose log must be signed with another key than the run has
 * @throws {IntegrityError} its jobvault.json or its newest commit is damaged
 */
export async function createOrOpenArchive(
  storage: Storage,
  wanted: WantedArchive,
): Promise<Archive> {
  const made = identityFor(wanted);
  for (;;) {
    const archive = await openArchiveIfThere(storage, wanted);
    if (archive) {
      await archive.log.assertMayAppend();
      return archive;
    }
    // Of two runs that start together one makes it, and the other opens what the first has made.
    if (await storage.putIfAbsent(IDENTITY_PATH, encodeIdentity(made))) {
      return archiveOf(storage, made, wanted);
    }
  }
}

/** @throws {UsageError | IntegrityError} as `decodeIdentity` */
export async function readIdentity(storage: Storage): Promise<ArchiveIdentity | undefined> {
  try {
    return decodeIdentity(storage.location, await storage.get(IDENTITY_PATH));
  } catch (error) {
    if (error instanceof ObjectNotFoundError) return undefined;
    throw error;
  }
}

/**
 * What `createOrOpenArchive` would open; undefined where it would make a new archive. Writes nothing.
 *
 * @throws {UsageError | IntegrityError} as `createOrOpenArchive`
 */
export async function openArchiveIfThere(
  storage: Storage,
  wanted: WantedArchive,
): Promise<Archive | undefined> {
  const identity = await readIdentity(storage);
  if (identity) {
    assertSame(storage.location, identity, wanted);
    return archiveOf(storage, identity, wanted);
  }
  if ((await isForeign(storage)) === 'foreign') throw foreign(storage.location);
  return undefined;
}

function foreign(location: string): UsageError {
  return new UsageError(
    `${location} is not empty and is not a jobvault archive (it has no ${IDENTITY_PATH}): choose a new or an empty place`,
  );
}

async function isForeign(storage: Storage): Promise<'empty' | 'foreign'> {
  for await (const { path } of storage.list('')) {
    if (path === IDENTITY_PATH) return 'empty'; // another run has just made it: look again
    if (isOfFileManager(path)) continue;
    return 'foreign';
  }
  return 'empty';
}

function identityFor({ clock, random, tool, ...wanted }: WantedArchive): ArchiveIdentity {
  return {
    format: 1,
    id: ulid(clock, random),
    made_by: tool,
    created_at: new Date(clock.now()).toISOString(),
    service: { base_url: normaliseBaseUrl(wanted.baseUrl), project: wanted.project },
    formats: normaliseFormats(wanted.formats ?? DEFAULT_FORMATS),
  };
}

/** A workbook is a copy for people, so there is always a format that can be read back beside it. */
function normaliseFormats(formats: readonly ArchiveFormat[]): ArchiveFormat[] {
  const kept = formats.every((format) => format === 'xlsx') ? ['jsonl', ...formats] : formats;
  return ARCHIVE_FORMATS.filter((format) => kept.includes(format));
}

/** @throws {UsageError} it is the archive of another service, project or formats */
export function assertSame(
  location: string,
  { service, formats }: ArchiveIdentity,
  wanted: Pick<WantedArchive, 'baseUrl' | 'project' | 'formats'>,
): void {
  const baseUrl = normaliseBaseUrl(wanted.baseUrl);
  if (service.base_url !== baseUrl) {
    throw new UsageError(
      `${location} is the archive of ${service.base_url}, not of ${baseUrl}; give --base-url ${service.base_url}, or name another archive`,
    );
  }
  if (service.project !== null && wanted.project !== null && service.project !== wanted.project) {
    throw new UsageError(
      `${location} is the archive of project "${service.project}", not of "${wanted.project}"; give --project ${service.project}, or name another archive`,
    );
  }
  const wantedFormats = (wanted.formats ? normaliseFormats(wanted.formats) : formats).join(',');
  if (wantedFormats !== formats.join(',')) {
    throw new UsageError(
      `${location} keeps its tables as ${formats.join(',')}, not as ${wantedFormats}: formats are fixed by the first run`,
    );
  }
}
