/** Reads back all that the archive has of a session, and proves that it is what the log says. */
import { rowFormatsOf, type ArchiveTask } from '../archive/archive.js';
import type { RowFormat } from '../formats/format.js';
import { type NamedObject, checkObject } from '../archive/checked-objects.js';
import { sessionKey, type JobId } from '../model/ids.js';
import { type ArchivedSession, versionKey } from '../archive/state/user-state.js';
import type { FileEntry } from '../archive/log/commit.js';
import type { LogFacts } from '../archive/state/log-facts.js';
import { refusal, type PruneRefusal, countOf } from './prune-rules.js';
import {
  hasComparedRows,
  SessionRowReader,
  type ArtifactRow,
  type SessionRows,
} from './session-rows.js';
import { IntegrityError } from '../archive/archive-errors.js';
import type { Storage } from '../storage/storage.js';
import { groupBy } from '../base/group-by.js';
import { differingParameters, digestOfFiles } from '../flatten/file-references.js';
import { isAcceptedGap } from '../model/records.js';

export interface ArchiveProofOptions extends ArchiveTask {
  readonly facts: LogFacts;
  /** Sessions that may be asked for, by `sessionKey`. */
  readonly wanted: ReadonlySet<string>;
  /** Kinds of files that need not be stored, as far as they were not fetched. */
  readonly unfetched: ReadonlySet<string>;
}

export class ArchiveProof {
  readonly #files: FileProof;
  readonly #rows: SessionRowReader;

  constructor(readonly options: ArchiveProofOptions) {
    const { storage } = options.archive;
    this.#files = new FileProof(storage);
    this.#rows = new SessionRowReader(storage, options.wanted, options.signal);
  }

  /** Undefined where every file and every row has been read back and is right. @throws {StorageError} */
  async refusalOf(archived: ArchivedSession): Promise<PruneRefusal | undefined> {
    const files = this.options.facts.filesOf(archived);
    const formats = await rowFormatsOf(this.options.archive);
    const unprovable = this.#unprovable(files, formats);
    if (unprovable) return unprovable;
    const rowsBy = new Map<RowFormat, SessionRows>();
    const compared = new Set<FileEntry>();
    try {
      for (const format of formats) {
        const ofFormat = ({ path }: FileEntry) => path.endsWith(`.${format.extension}`);
        const own = files.filter((file) => hasComparedRows(file) && ofFormat(file));
        rowsBy.set(format, await this.#rows.rowsOf(keyOf(archived), own, format));
        for (const file of own) compared.add(file);
      }
    } catch (error) {
      if (!(error instanceof IntegrityError)) throw error;
      return refusal('damaged', error.message);
    }
    const damaged = await this.#damage(files.filter((file) => !compared.has(file)));
    if (damaged) return damaged;
    for (const [format, rows] of rowsBy) {
      const problem = rowsProblem(archived, rows, this.options.unfetched);
      if (problem !== undefined) return refusal('rows', `${format.name}: ${problem}`);
      const lost = await this.#lostFile(rows.artifacts);
      if (lost) return lost;
    }
    return undefined;
  }

  /** What jobvault.json says of the formats decides what is read back: it must agree with the log. */
  #unprovable(
    files: readonly NamedObject[],
    formats: readonly RowFormat[],
  ): PruneRefusal | undefined {
    const { formats: named } = this.options.archive.identity;
    if (formats.length === 0) {
      const kept = named.join(' and ');
      return refusal('rows', `no rows can be read back of what is kept as ${kept} alone`);
    }
    const extensions = [...formats.map(({ extension }) => extension), ...named];
    const foreign = files.find(({ path }) => !extensions.some((one) => path.endsWith(`.${one}`)));
    if (!foreign) return undefined;
    const problem = `${foreign.path} is in none of the formats that jobvault.json names`;
    return refusal('rows', `${problem} (${named.join(', ')})`);
  }

  async #damage(files: readonly NamedObject[]): Promise<PruneRefusal | undefined> {
    for (const file of files) {
      const problem = await this.#files.problemOf(file, this.options.signal);
      if (problem !== undefined) return refusal('damaged', `${file.path} ${problem}`);
    }
    return undefined;
  }

  /** The artifacts of all versions, those of older ones included. */
  async #lostFile(rows: readonly ArtifactRow[]): Promise<PruneRefusal | undefined> {
    const { artifacts } = this.options.archive.index.contents;
    for (const { path, sha256 } of rows.filter(isStored)) {
      const entry = artifacts.get(path);
      if (entry?.sha256 !== sha256) {
        return refusal('damaged', `${path} is not in the log as the row in artifacts names it`);
      }
      const damaged = await this.#damage([entry]);
      if (damaged) return damaged;
    }
    return undefined;
  }
}

function keyOf({ user, session }: ArchivedSession): string {
  return sessionKey(user, session);
}

/** Reads archive files back and compares their SHA-256; each file once, however many sessions need it. */

export class FileProof {
  readonly #problems = new Map<string, Promise<string | undefined>>();

  constructor(readonly storage: Pick<Storage, 'read'>) {}

  /** What is wrong with the file, going on where its path ends; undefined where it is as committed. */
  problemOf(file: NamedObject, signal: AbortSignal): Promise<string | undefined> {
    const known = this.#problems.get(file.path);
    if (known) return known;
    const reading = this.#read(file, signal);
    this.#problems.set(file.path, reading);
    // what could not be read to the end proves nothing in either direction
    reading.catch(() => this.#problems.delete(file.path));
    return reading;
  }

  async #read(file: NamedObject, signal: AbortSignal): Promise<string | undefined> {
    try {
      await checkObject(this.storage, file, signal);
      return undefined;
    } catch (error) {
      if (error instanceof IntegrityError) return error.detail;
      throw error;
    }
  }
}

/** Compares the rows of a session with what the log says they must be. Pure. */

/**
 * What is wrong with the rows, as half a sentence; undefined where they are exactly what the log says.
 *
 * @param unfetched kinds of files that need not be stored, as far as they were not fetched
 */
export function rowsProblem(
  archived: ArchivedSession,
  rows: SessionRows,
  unfetched: ReadonlySet<string>,
): string | undefined {
  return (
    versionsProblem(archived, rows.raw, 'raw_jobs') ??
    versionsProblem(archived, rows.jobs, 'jobs') ??
    sessionProblem(archived, rows) ??
    newestProblem(archived, rows, unfetched)
  );
}

/** Its name and settings are in no other table. */
function sessionProblem({ state }: ArchivedSession, { sessions }: SessionRows): string | undefined {
  const newest = sessions.filter((version) => version === state.version).length;
  if (newest === 1) return undefined;
  return `sessions holds the newest version of the session ${newest === 0 ? 'not at all' : 'more than once'}`;
}

interface VersionRow {
  readonly job: JobId;
  readonly version: number;
  readonly hash: string | undefined;
}

/** Every version that the log names is there once, with its hash, and no other. */
function versionsProblem(
  { hashes }: ArchivedSession,
  rows: readonly VersionRow[],
  table: string,
): string | undefined {
  const seen = new Set<string>();
  for (const { job, version, hash } of rows) {
    const key = versionKey(job, version);
    const expected = hashes.get(key);
    const what = `version ${version} of job ${job}`;
    if (expected === undefined) return `${table} holds ${what}, which the log does not know`;
    if (seen.has(key)) return `${table} holds ${what} twice`;
    if (hash !== expected) {
      return `the content of ${what} in ${table} is not what the log says: the hashes differ`;
    }
    seen.add(key);
  }
  if (seen.size === hashes.size) return undefined;
  return `${table} lacks ${countOf(hashes.size - seen.size, 'job version')} that the log names`;
}

/** The newest version of every job is there, and so is every file that it points to, as the log has them. */
function newestProblem(
  { state }: ArchivedSession,
  rows: SessionRows,
  unfetched: ReadonlySet<string>,
): string | undefined {
  const raw = new Map(rows.raw.map((row) => [versionKey(row.job, row.version), row]));
  const artifacts = groupBy(rows.artifacts, (row) => versionKey(row.job, row.version));
  for (const [job, { version, hash, urls, files }] of state.jobs) {
    const key = versionKey(job, version);
    const row = raw.get(key);
    if (row?.hash !== hash) return `raw_jobs lacks the newest version of job ${job}`;
    if (differingParameters(row.urls, urls).length > 0) {
      return `the URLs of job ${job} in raw_jobs are not those that the log has`;
    }
    const own = artifacts.get(key) ?? [];
    const stored = own.filter(isStored);
    const settled = new Set(
      [...stored, ...own.filter((row) => isAcceptedGap(row, unfetched))].map(({ place }) => place),
    );
    const missing = row.filePlaces.find((place) => !settled.has(place));
    if (missing !== undefined) {
      return `the file at ${missing} of job ${job} is not among the artifacts that are stored`;
    }
    const digest = stored.length === 0 ? null : digestOfFiles(stored.map(placeAndHash));
    if (digest !== files) return `the files of job ${job} in artifacts are not those of the log`;
  }
  return undefined;
}

function isStored({ status, sha256, path }: ArtifactRow): boolean {
  return status === 'stored' && sha256 !== '' && path !== '';
}

function placeAndHash({ place, sha256 }: ArtifactRow): readonly [string, string] {
  return [place, sha256];
}
