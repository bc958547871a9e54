/** Where DuckDB can open an archive's files: where they lie, or copies where they lie on no disk of this machine. */
import { checkObject, readChecked } from '../archive/parts/checked-read.js';
import type { FileEntry } from '../archive/log/commit.js';
import { concurrently } from '../base/concurrently.js';
import { IntegrityError } from '../archive/verify/integrity-error.js';
import { formatByteSize } from '../base/byte-size.js';
import { UsageError } from '../base/usage-error.js';
import type { TemporaryDirectory } from '../storage/local/temporary-directory.js';
import type { Storage } from '../storage/storage.js';

export interface PlacingOptions {
  readonly storage: Storage;
  readonly temporary: TemporaryDirectory;
  /** Copies may be as large as this, together. */
  readonly maxFetchBytes: number;
  /** Of files on this disk: larger ones, together, are compared with the log by size alone. */
  readonly maxReadBackBytes: number;
  readonly signal?: AbortSignal | undefined;
}

/** Files copied at a time. */
const CONCURRENCY = 8;

export interface PlacedFiles {
  /** On this machine, by the path in the archive. */
  readonly paths: ReadonlyMap<string, string>;
  /** Of how much only the size was compared with the log, not the bytes. */
  readonly unverifiedBytes: number;
}

/**
 * DuckDB gets no credentials: what lies in a store is read by our own storage, and compared with the log
 * on the way. What lies on this disk is compared with it before.
 *
 * @throws {IntegrityError} a file is missing, or is not what the log names
 * @throws {UsageError} the copies would be larger than allowed
 */
export async function placeFiles(
  files: readonly FileEntry[],
  options: PlacingOptions,
): Promise<PlacedFiles> {
  const { storage, temporary, maxFetchBytes } = options;
  const { directory } = storage;
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  if (directory !== undefined) {
    const paths = new Map(files.map(({ path }) => [path, `${directory}/${path}`]));
    const unverifiedBytes = bytes > options.maxReadBackBytes ? bytes : 0;
    const check = unverifiedBytes > 0 ? compareSize : readBack;
    await concurrently(files, CONCURRENCY, (file) => check(file, options));
    return { paths, unverifiedBytes };
  }
  if (bytes > maxFetchBytes) {
    throw new UsageError(
      `the query needs ${formatByteSize(bytes)} of ${storage.location} here; allowed is --max-fetch ${formatByteSize(maxFetchBytes)}`,
    );
  }
  await concurrently(files, CONCURRENCY, (file) => copy(file, options));
  const paths = new Map(files.map(({ path }) => [path, `${temporary.path}/${path}`]));
  return { paths, unverifiedBytes: 0 };
}

async function readBack(file: FileEntry, { storage, signal }: PlacingOptions): Promise<void> {
  await checkObject(storage, file, signal);
}

async function compareSize({ path, bytes }: FileEntry, { storage }: PlacingOptions): Promise<void> {
  const found = await storage.stat(path);
  if (!found) throw new IntegrityError(path, 'missing', 'is missing');
  if (found.bytes === bytes) return;
  throw new IntegrityError(path, 'size', `has ${found.bytes} bytes instead of ${bytes}`);
}

async function copy(
  file: FileEntry,
  { storage, temporary, signal }: PlacingOptions,
): Promise<void> {
  // an earlier attempt has brought it: part files never change
  if (await temporary.storage.stat(file.path)) return;
  const staged = await temporary.storage.stage({ expectedBytes: file.bytes });
  try {
    for await (const chunk of readChecked(storage, file)) {
      signal?.throwIfAborted();
      await staged.write(chunk);
    }
    await staged.close();
    await staged.publish(file.path);
  } finally {
    await staged.discard();
  }
}
