/** Verifies every object that a commit names: presence, size, SHA-256, and the number of rows of part files; object lock and delete markers, in storages that have them. */
import { messageOf, UsageError } from '../../base/error.js';
import { readToEnd } from '../../base/gunzipped.js';
import type { RowFormat } from '../../formats/format.js';
import { ObjectNotFoundError, StorageError } from '../../storage/storage-errors.js';
import { MIN_OBJECTS_FOR_THREADS, type HashThreads } from '../../storage/local/hash-threads.js';
import type { HashedObject } from '../../storage/local/list-files.js';
import type { ObjectInfo, StorageReading } from '../../storage/storage.js';
import type { FileEntry } from '../log/commit.js';
import { concurrently } from '../../base/concurrently.js';
import { isOfFileManager } from '../objects/unnamed-objects.js';
import { IntegrityError } from '../archive-errors.js';
import {
  assertSameContent,
  checkInThread,
  readChecked,
  storedBytes,
} from '../objects/checked-objects.js';
import { readManifest, type ManifestEntry } from '../log/manifest.js';
import type { NamedArtifact, NamedArtifacts } from '../objects/named-artifacts.js';
import {
  commitPath,
  isContent,
  isMisnamedCommit,
  isOwnPath,
  manifestOf,
  sha256OfArtifact,
} from '../paths.js';
import { readProblem } from '../objects/read-problem.js';
import type { ChoosableObject, IsChosen } from './chosen-files.js';
import type { LogFindings } from './verify-log.js';
import { MAY_BE_CUT, type Findings } from './findings.js';

export interface VerifyProgress {
  /** Named objects that were verified. */
  readonly checked: number;
  readonly total: number;
  readonly bytes: number;
}

export interface ObjectsOptions extends StorageReading {
  readonly formats: readonly RowFormat[];
  readonly concurrency: number;
  /** Undefined where objects are no files of this machine. */
  readonly threads: HashThreads | undefined;
  /** The artifacts that rows name, each with the newest commit of a run that has brought such a row. */
  readonly artifacts: NamedArtifacts;
  /** The files and artifacts whose bytes are read back; undefined for all. */
  readonly chosen: IsChosen | undefined;
  /** Whether manifests are chosen, too; otherwise all are read. */
  readonly samplesLog: boolean;
  /** Which named objects to verify. Default: all. */
  readonly isWanted?: ((path: string, mark?: number) => boolean) | undefined;
  readonly onProgress?: ((progress: VerifyProgress) => void) | undefined;
}

export interface ObjectFindings {
  readonly bytes: number;
  /** Distinct artifacts that rows name. */
  readonly artifacts: number;
  /** Objects of which only presence and size were verified. */
  readonly unread: number;
  /** Manifests of which only presence and size were verified. */
  readonly unreadManifests: number;
  /** What rewrites that were no erasures have replaced: kept for readers of an older commit. */
  readonly replaced: { readonly files: number; readonly bytes: number };
  /** Ordered by path. */
  readonly orphans: readonly ObjectInfo[];
  /** Objects that jobvault has not made, anywhere in the archive. Ordered by path. */
  readonly foreign: readonly string[];
}

/** Larger objects are streamed: a thread cannot be interrupted and reports no progress. */
const MAX_BYTES_IN_THREAD = 64 * 1024 * 1024;

export async function verifyObjects(
  options: ObjectsOptions,
  log: LogFindings,
  findings: Findings,
): Promise<ObjectFindings> {
  return new ObjectsCheck(options, log, findings).run();
}

/** What lies in the storage, and what rows name at its path. */
interface Found {
  readonly object: HashedObject | undefined;
  readonly artifact: NamedArtifact | undefined;
}

class ObjectsCheck {
  /** What commits name, without artifacts. */
  readonly #named: ReadonlySet<string>;
  /** What of it is due for a check and was not seen yet. */
  readonly #unseen: Set<string>;
  readonly #replaced = { files: 0, bytes: 0 };
  readonly #orphans: ObjectInfo[] = [];
  readonly #foreign: string[] = [];
  #unread = 0;
  #unreadManifests = 0;
  #artifacts = 0;
  #total = 0;
  #checked = 0;
  #bytes = 0;
  /** Undefined where there are few objects, or they are no files of this machine. */
  #threads: HashThreads | undefined;
  readonly #options: ObjectsOptions;
  readonly #log: LogFindings;
  readonly #findings: Findings;

  constructor(options: ObjectsOptions, log: LogFindings, findings: Findings) {
    this.#options = options;
    this.#log = log;
    this.#findings = findings;

    const { manifests } = log;
    const { contents } = log.index;
    this.#named = new Set([...contents.files.keys(), ...manifests.keys()]);
    this.#unseen = new Set([...this.#named].filter((path) => this.#isWanted(path)));
  }

  async run(): Promise<ObjectFindings> {
    const { concurrency, threads, artifacts, signal } = this.#options;
    const { count } = await artifacts.counts(({ path, mark }) => this.#isWanted(path, mark));
    this.#total = this.#unseen.size + count;
    this.#threads = this.#hasMany ? threads : undefined;
    await concurrently(this.#found(), concurrency, async ({ object, artifact }) => {
      signal?.throwIfAborted();
      if (object) await this.#check(object, artifact);
      else if (artifact) this.#checkMissing(artifact);
    });
    for (const path of this.#unseen) this.#add(path, 'missing', 'is missing');
    const orphans = this.#orphans.sort((a, b) => (a.path < b.path ? -1 : 1));
    return {
      bytes: this.#bytes,
      artifacts: this.#artifacts,
      unread: this.#unread,
      unreadManifests: this.#unreadManifests,
      replaced: this.#replaced,
      orphans,
      foreign: this.#foreign.sort(),
    };
  }

  #isWanted(path: string, mark?: number): boolean {
    return this.#options.isWanted?.(path, mark) ?? true;
  }

  async *#found(): AsyncGenerator<Found> {
    for await (const found of this.#options.artifacts.beside(this.#listed())) {
      if (found.artifact) this.#artifacts++;
      yield found;
    }
  }

  async *#listed(): AsyncGenerator<HashedObject> {
    const hashed = this.#threads?.list((path) => this.#isReadBack(path));
    for await (const object of hashed ?? this.#options.storage.list('')) {
      const { path } = object;
      if (isMisnamedCommit(path) && !isOfFileManager(path))
        this.#add(path, 'chain', 'is not a name of a commit');
      else if (!isOwnPath(path)) this.#foreign.push(path);
      else if (isContent(path) || manifestOf(path) !== undefined) yield object;
    }
  }

  get #hasMany(): boolean {
    return this.#total >= MIN_OBJECTS_FOR_THREADS;
  }

  #isReadBack(path: string): boolean {
    const file = this.#log.index.contents.files.get(path);
    const sha256 = file?.sha256 ?? sha256OfArtifact(path);
    if (sha256 === undefined || !(file ? this.#unseen.has(path) : this.#isWanted(path)))
      return false;
    return this.#isChosen({ path, sha256 });
  }

  #isChosen(object: ChoosableObject): boolean {
    return this.#options.chosen?.(object) ?? true;
  }

  #checkMissing({ path, mark }: NamedArtifact): void {
    if (this.#isWanted(path, mark)) this.#add(path, 'missing', 'is missing');
  }

  /** While rows cannot be read, nobody knows whether they name it: its name has the SHA-256 of its bytes. */
  #perhapsNamed({ path, bytes }: HashedObject): NamedArtifact | undefined {
    const sha256 = sha256OfArtifact(path);
    const { isWhole } = this.#options.artifacts;
    return isWhole || sha256 === undefined ? undefined : { path, bytes, sha256, mark: Infinity };
  }

  async #check(object: HashedObject, named: NamedArtifact | undefined): Promise<void> {
    const { path } = object;
    const artifact = named ?? this.#perhapsNamed(object);
    if (this.#log.replaced.has(path)) {
      this.#replaced.files++;
      this.#replaced.bytes += object.bytes;
    } else if (!artifact && !this.#named.has(path)) {
      this.#orphans.push(object);
      await this.#checkNumber(path);
    }
    const isDue = artifact ? this.#isWanted(path, artifact.mark) : this.#unseen.delete(path);
    if (!isDue) return;
    const file = this.#log.index.contents.files.get(path);
    const manifest = this.#log.manifests.get(path);
    try {
      if (artifact) await this.#checkContent(object, artifact);
      else if (manifest) await this.#checkManifest(object, manifest);
      else if (file) await this.#checkFile(object, file);
    } catch (error) {
      const problem = readProblem(path, error);
      if (!problem) throw error;
      this.#findings.add(problem);
    }
    this.#checked++;
    this.#options.onProgress?.({ checked: this.#checked, total: this.#total, bytes: this.#bytes });
  }

  /**
   * Checks a manifest that no commit names. A crash leaves that of the commit which would have been next, and none after.
   */
  async #checkNumber(path: string): Promise<void> {
    const before = (manifestOf(path)?.number ?? 0) - 1;
    if (before <= this.#log.newest) return;
    // a run may have put the commit since the log was read
    if (await this.#options.storage.stat(commitPath(before))) return;
    this.#add(path, 'chain', `was made after commit ${before}, which is missing; ${MAY_BE_CUT}`);
  }

  async #checkManifest({ bytes }: HashedObject, entry: ManifestEntry): Promise<void> {
    const { path, sha256 } = entry;
    const { number: mark = 0 } = manifestOf(path) ?? {};
    if (this.#options.samplesLog && !this.#isChosen({ path, sha256, mark })) {
      this.#unreadManifests++;
      const detail = `has ${bytes} bytes instead of ${entry.bytes}`;
      if (bytes !== entry.bytes) this.#add(path, 'size', detail);
      return;
    }
    try {
      const { storage, signal } = this.#options;
      const lines: AsyncIterable<unknown> =
        'complete' in entry
          ? readManifest(storage, 'users', entry)
          : readManifest(storage, 'jobs', entry);
      await readToEnd(lines, signal);
    } catch (error) {
      if (!(error instanceof IntegrityError)) throw error;
      this.#findings.add(error);
    }
  }

  async #checkFile(object: HashedObject, file: FileEntry): Promise<void> {
    if (!(await this.#checkContent(object, file))) return;
    const { storage, formats } = this.#options;
    const format = formats.find(({ extension }) => file.path.endsWith(`.${extension}`));
    if (!format) {
      this.#add(file.path, 'unreadable', 'has a format that this version cannot read');
      return;
    }
    try {
      const rows = await format.countRows(storedBytes(storage, file));
      if (rows !== file.rows)
        this.#add(file.path, 'rows', `has ${rows} rows instead of ${file.rows}`);
    } catch (error) {
      if (error instanceof StorageError || error instanceof ObjectNotFoundError) throw error;
      if (error instanceof UsageError) throw error; // what reads it is not installed
      this.#add(file.path, 'unreadable', `is not valid ${format.name}: ${messageOf(error)}`);
    }
  }

  /** Whether the bytes were read, and are those that were committed. */
  async #checkContent(object: HashedObject, named: FileEntry | NamedArtifact): Promise<boolean> {
    const { path, bytes } = named;
    if (object.bytes !== bytes) {
      this.#add(path, 'size', `has ${object.bytes} bytes instead of ${bytes}`);
      return false;
    }
    if (!this.#isChosen(named)) {
      this.#unread++;
      return false;
    }
    try {
      await this.#readBack(object, named);
      return true;
    } catch (error) {
      if (!(error instanceof IntegrityError)) throw error;
      if (error.problem === 'missing') throw error.cause;
      this.#findings.add(error);
      return false;
    }
  }

  /** @throws {IntegrityError} */
  async #readBack(
    { bytes, sha256 }: HashedObject,
    named: FileEntry | NamedArtifact,
  ): Promise<void> {
    if (sha256 !== undefined) {
      assertSameContent(named, { bytes, sha256 });
      this.#bytes += bytes;
      return;
    }
    const { storage, signal } = this.#options;
    const mayUseThread = named.bytes <= MAX_BYTES_IN_THREAD;
    if (mayUseThread && (await checkInThread(this.#threads, named))) {
      this.#bytes += named.bytes;
      return;
    }
    for await (const chunk of readChecked(storage, named)) {
      signal?.throwIfAborted();
      this.#bytes += chunk.byteLength;
    }
  }

  #add(
    path: string,
    problem: 'missing' | 'size' | 'digest' | 'rows' | 'unreadable' | 'chain',
    detail: string,
  ): void {
    this.#findings.add({ path, problem, detail });
  }
}
