/** Finds the local paths of archives' files for DuckDB; downloads those of a bucket. */
import { checkInThread, checkObject, copyChecked } from '../archive/objects/checked-objects.js';
import type { FileEntry } from '../archive/log/commit.js';
import { concurrently } from '../base/concurrently.js';
import { IntegrityError } from '../archive/archive-errors.js';
import { formatByteSize } from '../base/byte-size.js';
import { UsageError } from '../base/error.js';
import { hashThreadsOf, type HashThreads } from '../storage/local/hash-threads.js';
import type { TemporaryDirectory } from '../storage/local/temporary-directory.js';
import type { Storage } from '../storage/storage.js';

/** What a query needs of an archive. */
export interface WantedFiles {
  readonly storage: Storage;
  readonly files: readonly FileEntry[];
}

export interface LocateOptions {
  readonly temporary: TemporaryDirectory;
  /** The most to download, in all. */
  readonly maxFetchBytes: number;
  /** The most to read back of files on this disk; with more, only sizes are compared with the log. */
  readonly maxReadBackBytes: number;
  readonly signal?: AbortSignal | undefined;
}

/** Files downloaded or read back at a time. */
const CONCURRENCY = 8;
/** With less to read, starting threads would take longer than they save. */
const MIN_BYTES_FOR_THREADS = 16 * 1024 * 1024;

export interface LocatedFiles {
  /** The local path of each file by its path in the archive, for each archive. */
  readonly paths: readonly ReadonlyMap<string, string>[];
  /** The bytes of files of which only the size was compared with the log. */
  readonly unverifiedBytes: number;
}

/**
 * DuckDB gets no credentials: jobvault downloads the files of a bucket and compares them with the log on the
 * way. Files on this disk are compared before the query. The limits are for all archives together.
 *
 * @throws {IntegrityError} a file is missing, or differs from the log
 * @throws {UsageError} the download would be larger than allowed
 */
export async function locateFiles(
  wanted: readonly WantedFiles[],
  options: LocateOptions,
): Promise<LocatedFiles> {
  const { maxFetchBytes, maxReadBackBytes } = options;
  const local = bytesOf(wanted.filter(({ storage }) => storage.directory !== undefined));
  const remote = wanted.filter(({ storage }) => storage.directory === undefined);
  const fetched = bytesOf(remote);
  if (fetched > maxFetchBytes) {
    const others = remote.length > 1 ? ` and ${remote.length - 1} more` : '';
    throw new UsageError(
      `the query needs to download ${formatByteSize(fetched)} of ${remote[0]?.storage.location ?? ''}${others}; allowed is --max-fetch ${formatByteSize(maxFetchBytes)}`,
    );
  }
  const check =
    local > maxReadBackBytes
      ? compareSize
      : local < MIN_BYTES_FOR_THREADS
        ? readBack
        : readInThread;
  const paths: Map<string, string>[] = [];
  for (const [at, { storage, files }] of wanted.entries()) {
    const { directory } = storage;
    await using threads = check === readInThread ? hashThreadsOf(storage) : undefined;
    // two archives may have files of the same path
    const folder = `archive-${at}`;
    await concurrently(files, CONCURRENCY, (file) =>
      directory === undefined
        ? copy({ storage, file, to: `${folder}/${file.path}` }, options)
        : check(file, storage, { threads, signal: options.signal }),
    );
    const root = directory ?? `${options.temporary.path}/${folder}`;
    paths.push(new Map(files.map(({ path }) => [path, `${root}/${path}`])));
  }
  return { paths, unverifiedBytes: local > maxReadBackBytes ? local : 0 };
}

function bytesOf(wanted: readonly WantedFiles[]): number {
  return wanted.flatMap(({ files }) => files).reduce((sum, { bytes }) => sum + bytes, 0);
}

interface CheckContext {
  readonly threads: HashThreads | undefined;
  readonly signal: AbortSignal | undefined;
}

async function readBack(
  file: FileEntry,
  storage: Storage,
  { signal }: CheckContext,
): Promise<void> {
  await checkObject(storage, file, signal);
}

async function readInThread(
  file: FileEntry,
  storage: Storage,
  context: CheckContext,
): Promise<void> {
  context.signal?.throwIfAborted();
  if (!(await checkInThread(context.threads, file))) await readBack(file, storage, context);
}

async function compareSize({ path, bytes }: FileEntry, storage: Storage): Promise<void> {
  const found = await storage.stat(path);
  if (!found) throw new IntegrityError(path, 'missing', 'is missing');
  if (found.bytes === bytes) return;
  throw new IntegrityError(path, 'size', `has ${found.bytes} bytes instead of ${bytes}`);
}

async function copy(
  {
    storage,
    file,
    to,
  }: { readonly storage: Storage; readonly file: FileEntry; readonly to: string },
  { temporary, signal }: LocateOptions,
): Promise<void> {
  // downloaded by an earlier attempt: part files never change
  if (await temporary.storage.stat(to)) return;
  const staged = await temporary.storage.stage({ expectedBytes: file.bytes });
  try {
    await copyChecked(storage, file, staged, signal);
    await staged.publish(to);
  } finally {
    await staged.discard();
  }
}
