/** An erasure in one call: opens the archive, erases, and closes it again. */
import { Holds } from '../archive/holds.js';
import { openArchive } from '../archive/open-archive.js';
import type { BegunErasure } from '../archive/log/commit.js';
import { silentLogger } from '../base/logger.js';
import { systemRandom } from '../base/random.js';
import { systemClock } from '../base/system-clock.js';
import { UsageError } from '../base/usage-error.js';
import { TOOL } from '../base/version.js';
import { rowFormats } from '../formats/formats.js';
import { openStorage } from '../storage/open-storage.js';
import { systemProcesses } from '../base/process-identity.js';
import type { RewriteArchiveOptions } from './compact-archive.js';
import type { EraseSummary } from './erasure/erase-options.js';
import { erase } from './erasure/erase.js';
import { assertErasable } from './erasure/erasable-place.js';

export interface EraseFromArchiveOptions extends RewriteArchiveOptions {
  /** With everything that is theirs. */
  readonly users?: readonly string[] | undefined;
  /** Whoever has them. */
  readonly sessions?: readonly string[] | undefined;
  /** Stands in the receipt, and so must name none of the erased. */
  readonly reason?: string | undefined;
  /** Of whom nothing is erased: an erasure that meets one is refused as a whole. Default: nobody. */
  readonly holds?: Holds | undefined;
  /** Whether a hold may match nothing in the archive. Default false. */
  readonly allowUnknownHolds?: boolean | undefined;
  /** How long files that held erased rows may still be read, under `_retired/`. Default: not at all. */
  readonly graceMs?: number | undefined;
  /** Only count what would go. Default false. */
  readonly dryRun?: boolean | undefined;
  /** End rather than wait where a run is at work on one of the users. Default false. */
  readonly noWait?: boolean | undefined;
  /** Asked with what would go, before anything changes. Default: go ahead. */
  readonly confirm?: ((erased: BegunErasure['erased']) => Promise<boolean>) | undefined;
}

/**
 * Removes users or sessions from an archive for good: rows, records, files that nobody else has, and
 * what the log tells of them.
 *
 * @throws {UsageError} nobody is named, or the archive has nothing of one that is; its log is signed and
 *   nobody signs; its place keeps what is deleted
 * @throws {ErasureHeldError} one of them is on hold
 * @throws {IntegrityError} the log or a file is damaged
 */
export async function eraseFromArchive(options: EraseFromArchiveOptions): Promise<EraseSummary> {
  const { clock = systemClock, random = systemRandom, logger = silentLogger, signer } = options;
  const { users = [], sessions = [], reason, graceMs, dryRun, noWait, confirm } = options;
  if (users.length + sessions.length === 0) {
    throw new UsageError('nothing is named to be erased; give a user or a session');
  }
  if ([...users, ...sessions].includes('')) throw new UsageError('an id is empty');
  const storage = openStorage(options.archive, options.storage);
  try {
    const archive = await openArchive(storage, { clock, random, signer });
    await archive.log.assertMayAppend();
    const kept = await assertErasable(storage);
    return await erase({
      archive,
      clock,
      random,
      logger,
      tool: TOOL,
      processes: systemProcesses,
      confirm,
      formats: rowFormats({ parquet: { codec: options.parquetCodec ?? 'zstd' } }),
      kept,
      holds: options.holds ?? Holds.none,
      allowUnknownHolds: options.allowUnknownHolds ?? false,
      users: [...new Set(users)],
      sessions: [...new Set(sessions)],
      reason: reason ?? null,
      graceMs: graceMs ?? 0,
      dryRun: dryRun ?? false,
      noWait: noWait ?? false,
      signal: options.signal ?? new AbortController().signal,
    });
  } finally {
    await storage.close();
  }
}
