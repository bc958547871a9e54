/** Reads back every object that a commit names: present, its size, its hash, and of part files the rows. */
import { messageOf } from '../../base/error.js';
import { readToEnd } from '../../base/read-to-end.js';
import type { RowFormat } from '../../formats/format.js';
import { DamagedObjectError } from '../../storage/damaged-object-error.js';
import { ObjectNotFoundError } from '../../storage/object-not-found-error.js';
import { StorageError } from '../../storage/storage-error.js';
import type { ObjectInfo, Storage } from '../../storage/storage.js';
import type { ArtifactEntry, FileEntry, JobsEntry } from '../log/commit.js';
import { concurrently } from '../../base/concurrently.js';
import { IntegrityError } from './integrity-error.js';
import { checkInThread, readChecked, storedBytes } from '../parts/checked-read.js';
import { readJobs } from '../log/jobs-manifest.js';
import { manifestNumberOf, isContent, isOwnPath } from '../paths.js';
import { sampledPaths } from './sample.js';
import type { LogFindings } from './verify-log.js';
import type { Findings } from './findings.js';
import type { VerifyProgress } from './verify-report.js';

export interface ObjectsOptions {
  readonly storage: Storage;
  readonly formats: readonly RowFormat[];
  readonly concurrency: number;
  /** The share of files and artifacts whose bytes are read back; undefined for all. */
  readonly sample: number | undefined;
  /** Whether an object that is named is to be looked at. Default: all are. */
  readonly isWanted?: ((path: string) => boolean) | undefined;
  readonly onProgress?: ((progress: VerifyProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface ObjectFindings {
  readonly bytes: number;
  /** How many were looked at from outside only. */
  readonly unread: number;
  /** Ordered by path. */
  readonly orphans: readonly ObjectInfo[];
  /** Not made by jobvault, anywhere in the archive. Ordered by path. */
  readonly foreign: readonly string[];
}

/** With fewer objects, the storage's threads would take longer to start than they spare. */
const MANY = 200;
/** Larger ones are streamed: a thread cannot be stopped half way, nor tell how far it is. */
const MOST_BYTES_IN_THREAD = 64 * 1024 * 1024;

export async function verifyObjects(
  options: ObjectsOptions,
  log: LogFindings,
  findings: Findings,
): Promise<ObjectFindings> {
  return new ObjectsCheck(options, log, findings).run();
}

class ObjectsCheck {
  readonly #named: ReadonlySet<string>;
  readonly #unseen: Set<string>;
  readonly #orphans: ObjectInfo[] = [];
  readonly #foreign: string[] = [];
  readonly #sampled: ReadonlySet<string> | undefined;
  #unread = 0;
  readonly #total: number;
  #checked = 0;
  #bytes = 0;
  readonly #options: ObjectsOptions;
  readonly #log: LogFindings;
  readonly #findings: Findings;

  constructor(options: ObjectsOptions, log: LogFindings, findings: Findings) {
    this.#options = options;
    this.#log = log;
    this.#findings = findings;

    const { manifests } = log;
    const { contents } = log.index;
    this.#named = new Set([
      ...contents.files.keys(),
      ...contents.artifacts.keys(),
      ...manifests.keys(),
    ]);
    this.#unseen = new Set([...this.#named].filter(options.isWanted ?? (() => true)));
    this.#total = this.#unseen.size;
    this.#sampled = sampledPaths(options.sample, log);
  }

  async run(): Promise<ObjectFindings> {
    const { concurrency, signal } = this.#options;
    await concurrently(this.#listed(), concurrency, async (object) => {
      signal?.throwIfAborted();
      await this.#look(object);
    });
    for (const path of this.#unseen) this.#add(path, 'missing', 'is missing');
    const orphans = this.#orphans.sort((a, b) => (a.path < b.path ? -1 : 1));
    return { bytes: this.#bytes, unread: this.#unread, orphans, foreign: this.#foreign.sort() };
  }

  async *#listed(): AsyncGenerator<ObjectInfo> {
    for await (const object of this.#options.storage.list('')) {
      const { path } = object;
      if (!isOwnPath(path)) this.#foreign.push(path);
      else if (isContent(path) || manifestNumberOf(path) !== undefined) yield object;
    }
  }

  async #look(object: ObjectInfo): Promise<void> {
    const { path } = object;
    if (!this.#named.has(path)) this.#orphans.push(object);
    if (!this.#unseen.delete(path)) return;
    const { manifests } = this.#log;
    const { contents } = this.#log.index;
    const file = contents.files.get(path);
    const artifact = contents.artifacts.get(path);
    const manifest = manifests.get(path);
    try {
      if (manifest) await this.#lookAtManifest(manifest);
      else if (file) await this.#lookAtFile(object, file);
      else if (artifact) await this.#lookAtContent(object, artifact);
    } catch (error) {
      if (error instanceof ObjectNotFoundError) {
        this.#add(path, 'missing', 'has gone while it was being verified');
      } else if (error instanceof DamagedObjectError) {
        this.#add(path, 'digest', "is damaged: the store's own checksum is not that of its bytes");
      } else throw error;
    }
    this.#checked++;
    this.#options.onProgress?.({ checked: this.#checked, total: this.#total, bytes: this.#bytes });
  }

  async #lookAtManifest(entry: JobsEntry): Promise<void> {
    try {
      await readToEnd(readJobs(this.#options.storage, entry), this.#options.signal);
    } catch (error) {
      if (!(error instanceof IntegrityError)) throw error;
      this.#findings.add(error);
    }
  }

  async #lookAtFile(object: ObjectInfo, file: FileEntry): Promise<void> {
    if (!(await this.#lookAtContent(object, file)) || file.schema === null) return;
    const { storage, formats } = this.#options;
    const format = formats.find(({ extension }) => file.path.endsWith(`.${extension}`));
    if (!format) {
      this.#add(file.path, 'unreadable', 'is of a format that this version does not read');
      return;
    }
    try {
      const rows = await format.countRows(storedBytes(storage, file));
      if (rows !== file.rows)
        this.#add(file.path, 'rows', `has ${rows} rows instead of ${file.rows}`);
    } catch (error) {
      if (error instanceof StorageError || error instanceof ObjectNotFoundError) throw error;
      this.#add(file.path, 'unreadable', `does not read as ${format.name}: ${messageOf(error)}`);
    }
  }

  /** Whether the bytes were read, and are those that were committed. */
  async #lookAtContent(object: ObjectInfo, named: FileEntry | ArtifactEntry): Promise<boolean> {
    const { path, bytes } = named;
    if (object.bytes !== bytes) {
      this.#add(path, 'size', `has ${object.bytes} bytes instead of ${bytes}`);
      return false;
    }
    if (this.#sampled?.has(path) === false) {
      this.#unread++;
      return false;
    }
    try {
      await this.#readBack(named);
      return true;
    } catch (error) {
      if (!(error instanceof IntegrityError)) throw error;
      if (error.problem === 'missing') throw error.cause;
      this.#findings.add(error);
      return false;
    }
  }

  /** @throws {IntegrityError} */
  async #readBack(named: FileEntry | ArtifactEntry): Promise<void> {
    const { storage, signal } = this.#options;
    const mayUseThread = this.#total >= MANY && named.bytes <= MOST_BYTES_IN_THREAD;
    if (mayUseThread && (await checkInThread(storage, named))) {
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
    problem: 'missing' | 'size' | 'digest' | 'rows' | 'unreadable',
    detail: string,
  ): void {
    this.#findings.add({ path, problem, detail });
  }
}
