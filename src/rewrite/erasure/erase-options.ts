/** What an erasure is told, and what it tells in the end. */
import type { Holds } from '../../archive/holds.js';
import type { BegunErasure } from '../../archive/log/commit.js';
import type { RowFormat } from '../../formats/format.js';
import type { RewriteOptions } from '../rewriting.js';
import type { Erasable } from './subject.js';

export interface EraseOptions extends RewriteOptions, Erasable {
  /** All that jobvault knows; those of the archive are written. */
  readonly formats: readonly RowFormat[];
  /** Of whom nothing is erased. */
  readonly holds: Holds;
  readonly allowUnknownHolds: boolean;
  /** For the receipt; must name none of the erased. */
  readonly reason: string | null;
  /** How long files that held erased rows may still be read, under `_retired/`. */
  readonly graceMs: number;
  /** Give way to a run that is at work on one of the users instead of waiting for it. */
  readonly noWait: boolean;
  /** Only count. */
  readonly dryRun: boolean;
  /** What the place keeps of deleted objects, as a clause for people; null where nothing. */
  readonly kept: string | null;
  /** Asked before anything changes; false: nothing does. Default: go ahead. */
  readonly confirm?: ((erased: BegunErasure['erased']) => Promise<boolean>) | undefined;
}

export interface EraseSummary {
  readonly status: 'erased' | 'planned' | 'declined' | 'nothing';
  readonly archive: string;
  /** The receipt's name; null where nothing was erased. */
  readonly receipt: string | null;
  readonly commits: readonly number[];
  readonly erased: BegunErasure['erased'];
  /** Earlier commits that were redacted. */
  readonly redacted: number;
  /** What the place keeps all the same, as a clause for people; null where nothing. */
  readonly kept: string | null;
  readonly duration_ms: number;
}
