/** Finds the local path of an archive's files for DuckDB; downloads those of a bucket. */
import { checkInThread, checkObject, copyChecked } from '../archive/parts/checked-read.js';
import type { FileEntry } from '../archive/log/commit.js';
import { concurrently } from '../base/concurrently.js';
import { IntegrityError } from '../archive/archive-errors.js';
import { formatByteSize } from '../base/units.js';
import { UsageError } from '../base/error.js';
import type { TemporaryDirectory } from '../storage/local/whole-directory.js';
import type { Storage } from '../storage/storage.js';

export interface LocateOptions {
  readonly storage: Storage;
  readonly temporary: TemporaryDirectory;
  /** The most to download, in all. */
  readonly maxFetchBytes: number;
  /** The most to read back of files on this disk; with more, only sizes are compared with the log. */
  readonly maxReadBackBytes: number;
  readonly signal?: AbortSignal | undefined;
}

/** Files downloaded or read back at a time. */
const CONCURRENCY = 8;
/** With less to read, starting the storage's threads would take longer than they save. */
const MIN_BYTES_FOR_THREADS = 16 * 1024 * 1024;

export interface LocatedFiles {
  /** The local path by the path in the archive. */
  readonly paths: ReadonlyMap<string, string>;
  /** The bytes of files of which only the size was compared with the log. */
  readonly unverifiedBytes: number;
}

/**
 * DuckDB gets no credentials: jobvault downloads the files of a bucket and compares them with the log on the
 * way. Files on this disk are compared before the query.
 *
 * @throws {IntegrityError} a file is missing, or differs from the log
 * @throws {UsageError} the download would be larger than allowed
 */
export async function locateFiles(
  files: readonly FileEntry[],
  options: LocateOptions,
): Promise<LocatedFiles> {
  const { storage, temporary, maxFetchBytes } = options;
  const { directory } = storage;
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  if (directory !== undefined) {
    const paths = new Map(files.map(({ path }) => [path, `${directory}/${path}`]));
    const unverifiedBytes = bytes > options.maxReadBackBytes ? bytes : 0;
    const check =
      unverifiedBytes > 0 ? compareSize : bytes < MIN_BYTES_FOR_THREADS ? readBack : readInThread;
    await concurrently(files, CONCURRENCY, (file) => check(file, options));
    return { paths, unverifiedBytes };
  }
  if (bytes > maxFetchBytes) {
    throw new UsageError(
      `the query needs to download ${formatByteSize(bytes)} of ${storage.location}; allowed is --max-fetch ${formatByteSize(maxFetchBytes)}`,
    );
  }
  await concurrently(files, CONCURRENCY, (file) => copy(file, options));
  const paths = new Map(files.map(({ path }) => [path, `${temporary.path}/${path}`]));
  return { paths, unverifiedBytes: 0 };
}

async function readBack(file: FileEntry, { storage, signal }: LocateOptions): Promise<void> {
  await checkObject(storage, file, signal);
}

async function readInThread(file: FileEntry, options: LocateOptions): Promise<void> {
  options.signal?.throwIfAborted();
  if (!(await checkInThread(options.storage, file))) await readBack(file, options);
}

async function compareSize({ path, bytes }: FileEntry, { storage }: LocateOptions): Promise<void> {
  const found = await storage.stat(path);
  if (!found) throw new IntegrityError(path, 'missing', 'is missing');
  if (found.bytes === bytes) return;
  throw new IntegrityError(path, 'size', `has ${found.bytes} bytes instead of ${bytes}`);
}

async function copy(file: FileEntry, { storage, temporary, signal }: LocateOptions): Promise<void> {
  // downloaded by an earlier attempt: part files never change
  if (await temporary.storage.stat(file.path)) return;
  const staged = await temporary.storage.stage({ expectedBytes: file.bytes });
  try {
    await copyChecked(storage, file, staged, signal);
    await staged.publish(file.path);
  } finally {
    await staged.discard();
  }
}
