/**
 * The artifacts of an archive: those that rows name. The log has the digests of the part files of the table `artifacts`, and
 * these have path, size and SHA-256 of each file (I-24 in FORMAT.md). All rows are read once, and what they name is set
 * aside in buckets on disk in the order of the paths, so that memory holds one bucket.
 */
import { messageOf } from '../../base/error.js';
import { FormatError, type RowFormat } from '../../formats/format.js';
import type { Row } from '../../model/table-schema.js';
import { artifactsTable } from '../../model/tables.js';
import {
  makeTemporaryDirectory,
  type TemporaryDirectory,
} from '../../storage/local/temporary-directory.js';
import { StorageError } from '../../storage/storage-errors.js';
import { rowFormatsOf, type Archive } from '../archive.js';
import { IntegrityError } from '../archive-errors.js';
import { artifactOf } from './artifact-rows.js';
import type { NamedObject } from './checked-objects.js';
import type { ArtifactCounts, FileEntry } from '../log/commit.js';
import {
  ARTIFACTS_PREFIX,
  erasureKnownTo,
  isArtifactPath,
  partitionOf,
  sha256OfArtifact,
} from '../paths.js';
import { columnsBut, readPart } from '../parts/read-part.js';
import { readProblem } from './read-problem.js';
import { Spool } from '../reading/rows/spool.js';

export interface NamedArtifact extends NamedObject {
  /** The highest mark of the rows that name it. */
  readonly mark: number;
}

interface NamingRows {
  /** Part files that the log names, of any table. */
  readonly files: Iterable<FileEntry>;
  /** What is to be known of the rows of each artifact. Default: 0 of each. */
  readonly markOf?: (row: Row) => number;
  /** Columns that `markOf` needs. Default: none. */
  readonly marked?: readonly string[];
  /** Artifacts that are kept in memory before any are set aside on disk. */
  readonly mostInMemory?: number;
  readonly signal?: AbortSignal | undefined;
}

const NOT_READ = 'has a format that this version cannot read';
const MOST_IN_MEMORY = 50_000;
/** So that a bucket has 50,000 of 3,000,000 artifacts. */
const BUCKETS = 64;

/** The artifacts in the order of their paths. Its files on disk go when it is disposed of. */
export class NamedArtifacts implements AsyncDisposable {
  readonly #mostInMemory: number;
  #gathered = new Map<string, NamedArtifact>();
  #spool: Spool | undefined;
  #directory: TemporaryDirectory | undefined;
  #isWhole = false;
  #problems: readonly IntegrityError[] = [];

  private constructor(mostInMemory: number) {
    this.#mostInMemory = mostInMemory;
  }

  /**
   * Reads the rows in one format of the archive; where a part file is damaged, also those of the next format, which has the
   * same rows (I-27).
   */
  static async read(
    archive: Archive,
    { mostInMemory = MOST_IN_MEMORY, ...naming }: NamingRows,
  ): Promise<NamedArtifacts> {
    const named = new NamedArtifacts(mostInMemory);
    try {
      const files = [...naming.files].filter(({ table }) => table === artifactsTable.name);
      const formats = await rowFormatsOf(archive);
      const unknown = ofUnknownFormat(files, formats);
      let isWhole = files.length === 0;
      for (const format of formats) {
        if (isWhole) break;
        const problems = await named.#readAll(archive, { ...naming, files }, format);
        isWhole = problems.length === 0;
        named.#problems = [...named.#problems, ...problems];
      }
      named.#isWhole = isWhole && unknown.length === 0;
      named.#problems = [...named.#problems, ...unknown];
      if (named.#spool) await named.#setAside();
      await named.#spool?.close();
      return named;
    } catch (error) {
      await named[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** What is wrong with part files. */
  get problems(): readonly IntegrityError[] {
    return this.#problems;
  }

  /** Whether none can be missing here. While this is false, nothing may be removed because it is not here. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** @throws {IntegrityError} some may be missing here */
  assertWhole(): void {
    const [problem] = this.#problems;
    if (!this.#isWhole && problem) throw problem;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<NamedArtifact> {
    if (!this.#spool) {
      yield* inOrder(this.#gathered);
      return;
    }
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      const named = new Map<string, NamedArtifact>();
      for await (const line of this.#spool.lines(bucket)) addTo(named, artifactIn(line));
      yield* inOrder(named);
    }
  }

  /** How many there are, or how many of them count. */
  async counts(
    isCounted: (artifact: NamedArtifact) => boolean = () => true,
  ): Promise<ArtifactCounts> {
    let [count, sum] = [0, 0];
    for await (const artifact of this) {
      if (!isCounted(artifact)) continue;
      count++;
      sum += artifact.bytes;
    }
    return { count, bytes: sum };
  }

  /**
   * Each of them beside the object at its path.
   *
   * @param listed in the order of the paths, also of other objects
   * @throws {StorageError} it is not in this order
   */
  async *beside<T extends { readonly path: string }>(
    listed: AsyncIterable<T>,
  ): AsyncGenerator<{
    readonly artifact: NamedArtifact | undefined;
    readonly object: T | undefined;
  }> {
    const named = this[Symbol.asyncIterator]();
    let next = await named.next();
    let before = '';
    for await (const object of listed) {
      // otherwise what is there would count as missing, and what is named as left over
      if (object.path < before) throw outOfOrder(object.path, before);
      before = object.path;
      while (!next.done && next.value.path < object.path) {
        yield { artifact: next.value, object: undefined };
        next = await named.next();
      }
      const artifact = !next.done && next.value.path === object.path ? next.value : undefined;
      yield { artifact, object };
      if (artifact) next = await named.next();
    }
    for (; !next.done; next = await named.next()) {
      yield { artifact: next.value, object: undefined };
    }
  }

  /**
   * Those of the listed artifacts that no row names and none can name any more: their writers had not read the commit about
   * an erasure (I-23). What others have put, a living run may be about to name.
   *
   * @param listed as `beside`
   */
  async *unnamedBefore(
    erasure: number,
    listed: AsyncIterable<{ readonly path: string }>,
  ): AsyncGenerator<string> {
    for await (const { artifact, object } of this.beside(listed)) {
      if (artifact || !object || !isArtifactPath(object.path)) continue;
      if (erasureKnownTo(object.path) < erasure) yield object.path;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#spool?.discard();
    await this.#directory?.remove();
  }

  /** @returns what is wrong with those that are damaged; the others are read all the same */
  async #readAll(
    archive: Archive,
    { files, markOf = () => 0, marked = [], signal }: NamingRows,
    format: RowFormat,
  ): Promise<IntegrityError[]> {
    const omitted = columnsBut(artifactsTable, ['path', 'sha256', 'bytes', ...marked]);
    const reading = { table: artifactsTable, format, omitted, signal };
    const problems: IntegrityError[] = [];
    for (const file of files) {
      if (!file.path.endsWith(`.${format.extension}`)) continue;
      try {
        for await (const rows of readPart(archive, file, reading)) {
          for (const row of rows) {
            const artifact = artifactOf(row);
            if (artifact) addTo(this.#gathered, { mark: markOf(row), ...artifact });
          }
          if (this.#gathered.size > this.#mostInMemory) await this.#setAside();
        }
      } catch (error) {
        const problem = readProblem(file.path, error) ?? notOfFormat(file, format, error);
        if (!problem) throw error;
        problems.push(problem);
      }
    }
    return problems;
  }

  async #setAside(): Promise<void> {
    this.#directory ??= await makeTemporaryDirectory();
    this.#spool ??= await Spool.open(this.#directory.storage, BUCKETS);
    for (const { path, bytes, mark } of this.#gathered.values()) {
      await this.#spool.add(bucketOf(path), `${path} ${bytes} ${mark}`);
    }
    this.#gathered = new Map();
  }
}

function outOfOrder(path: string, before: string): StorageError {
  return new StorageError(
    `the objects are not listed in the order of their paths: ${path} comes after ${before}`,
  );
}

function ofUnknownFormat(
  files: readonly FileEntry[],
  formats: readonly RowFormat[],
): IntegrityError[] {
  const known = new Set<string | undefined>(formats.map(({ extension }) => extension));
  return files
    .filter(({ path }) => !known.has(partitionOf(path)?.extension))
    .map(({ path }) => new IntegrityError(path, 'unreadable', NOT_READ));
}

function notOfFormat(
  { path }: FileEntry,
  { name }: RowFormat,
  error: unknown,
): IntegrityError | undefined {
  if (!(error instanceof FormatError)) return undefined;
  const detail = `is not valid ${name}: ${messageOf(error)}`;
  return new IntegrityError(path, 'unreadable', detail, { cause: error });
}

function addTo(named: Map<string, NamedArtifact>, artifact: NamedArtifact): void {
  const before = named.get(artifact.path);
  if (!before || before.mark < artifact.mark) named.set(artifact.path, artifact);
}

function bucketOf(path: string): number {
  return parseInt(path.slice(ARTIFACTS_PREFIX.length, ARTIFACTS_PREFIX.length + 2), 16) >> 2;
}

function artifactIn(line: string): NamedArtifact {
  const [path = '', bytes, mark] = line.split(' ');
  return { path, bytes: Number(bytes), mark: Number(mark), sha256: sha256OfArtifact(path) ?? '' };
}

function* inOrder(named: ReadonlyMap<string, NamedArtifact>): Generator<NamedArtifact> {
  for (const path of [...named.keys()].sort()) {
    const artifact = named.get(path);
    if (artifact) yield artifact;
  }
}
