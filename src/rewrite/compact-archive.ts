/** Compaction in one call: opens the archive, merges, and closes it again. */
import type { CommitSigner } from '../archive/log/commit-signer.js';
import { openArchive } from '../archive/open-archive.js';
import type { Clock } from '../base/clock.js';
import { silentLogger, type Logger } from '../base/logger.js';
import { systemRandom, type Random } from '../base/random.js';
import { systemClock } from '../base/system-clock.js';
import { TOOL } from '../base/version.js';
import { rowFormats } from '../formats/formats.js';
import type { ParquetCodec } from '../formats/parquet/parquet-codec.js';
import { openStorage, type StorageOptions } from '../storage/open-storage.js';
import { systemProcesses } from '../base/process-identity.js';
import { compact, type CompactSummary } from './compaction/compact.js';

/** What every rewrite of an archive can be told. */
export interface RewriteArchiveOptions {
  /** A directory, or `s3://bucket/prefix`. */
  readonly archive: string;
  /** How the archive's place is reached. */
  readonly storage?: StorageOptions | undefined;
  /** Default `zstd`. */
  readonly parquetCodec?: ParquetCodec | undefined;
  /** Signs the commits; needed where the log is signed. */
  readonly signer?: CommitSigner | undefined;
  readonly logger?: Logger | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
}

export interface CompactArchiveOptions extends RewriteArchiveOptions {
  /** About how large the new files are. Default 256 MB. */
  readonly targetBytes?: number | undefined;
  /** How long the old files stay readable under `_retired/`. Default 7 days. */
  readonly graceMs?: number | undefined;
}

export const COMPACT_DEFAULTS = { targetBytes: 256e6, graceMs: 7 * 86_400_000 } as const;

/**
 * Merges the small part files of each table and day.
 *
 * @throws {UsageError} there is no archive, or its log is signed and nobody signs
 * @throws {IntegrityError} the log or a part file is damaged
 * @throws {CommitConflictError} other rewrites were quicker again and again
 */
export async function compactArchive(options: CompactArchiveOptions): Promise<CompactSummary> {
  const { clock = systemClock, random = systemRandom, logger = silentLogger, signer } = options;
  const storage = openStorage(options.archive, options.storage);
  try {
    const archive = await openArchive(storage, { clock, random, signer });
    await archive.log.assertMayAppend();
    return await compact({
      archive,
      clock,
      random,
      logger,
      tool: TOOL,
      processes: systemProcesses,
      formats: rowFormats({ parquet: { codec: options.parquetCodec ?? 'zstd' } }),
      targetBytes: options.targetBytes ?? COMPACT_DEFAULTS.targetBytes,
      graceMs: options.graceMs ?? COMPACT_DEFAULTS.graceMs,
      signal: options.signal ?? new AbortController().signal,
    });
  } finally {
    await storage.close();
  }
}
