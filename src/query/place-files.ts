/** Where DuckDB can open an archive's files: where they lie, or copies where they lie on no disk of this machine. */
import type { FileEntry } from '../archive/commit.js';
import { IntegrityError } from '../archive/integrity-error.js';
import { formatByteSize } from '../base/byte-size.js';
import { UsageError } from '../base/usage-error.js';
import type { TemporaryDirectory } from '../storage/temporary-directory.js';
import type { Storage } from '../storage/storage.js';

export interface PlacingOptions {
  readonly storage: Storage;
  readonly temporary: TemporaryDirectory;
  /** Copies may be as large as this, together. */
  readonly maxFetchBytes: number;
  readonly signal?: AbortSignal | undefined;
}

/** Files copied at a time. */
const CONCURRENCY = 8;

/**
 * The path on this machine of every file, by its path in the archive. DuckDB gets no credentials: what
 * lies in a store is read by our own storage, and checked against the log on the way.
 *
 * @throws {ObjectNotFoundError} a file is in the archive no more
 * @throws {UsageError} the copies would be larger than allowed
 */
export async function placeFiles(
  files: readonly FileEntry[],
  options: PlacingOptions,
): Promise<Map<string, string>> {
  const { storage, temporary, maxFetchBytes } = options;
  const { directory } = storage;
  if (directory !== undefined) {
    return new Map(files.map(({ path }) => [path, `${directory}/${path}`]));
  }
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  if (bytes > maxFetchBytes) {
    throw new UsageError(
      `the query needs ${formatByteSize(bytes)} of ${storage.location} here; allowed is --max-fetch ${formatByteSize(maxFetchBytes)}`,
    );
  }
  const waiting = files.values();
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      for (const file of waiting) await copy(file, options);
    }),
  );
  return new Map(files.map(({ path }) => [path, `${temporary.path}/${path}`]));
}

async function copy(
  { path, sha256, bytes }: FileEntry,
  { storage, temporary, signal }: PlacingOptions,
): Promise<void> {
  // an earlier attempt has brought it: part files never change
  if (await temporary.storage.stat(path)) return;
  const staged = await temporary.storage.stage({ expectedBytes: bytes });
  try {
    for await (const chunk of storage.read(path)) {
      signal?.throwIfAborted();
      await staged.write(chunk);
    }
    const found = await staged.close();
    if (found.sha256 !== sha256) {
      throw new IntegrityError(path, 'digest', 'is not what the log says; verify tells more');
    }
    await staged.publish(path);
  } finally {
    await staged.discard();
  }
}
