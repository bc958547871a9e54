/** What an erasure is told, and what it tells in the end. */
import { Holds } from '../../archive/holds.js';
import type { BegunErasure } from '../../archive/log/commit.js';
import { UsageError } from '../../base/usage-error.js';
import type { RowFormat } from '../../formats/format.js';
import type { RewriteOptions } from '../rewriting.js';
import type { Erasable } from './subject.js';

export interface EraseChoices {
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
  /** Asked with what would go, before anything changes; false: nothing does. Default: go ahead. */
  readonly confirm?: ((erased: BegunErasure['erased']) => Promise<boolean>) | undefined;
}

/**
 * With what is not chosen filled in.
 *
 * @throws {UsageError} nobody is named, or users and sessions are, or an id is empty
 */
export function eraseChoices(choices: EraseChoices): Chosen {
  const { users = [], sessions = [] } = choices;
  if (users.length + sessions.length === 0) {
    throw new UsageError('nothing is named to be erased; give a user or a session');
  }
  // elsewhere the two together mean these sessions of this user; here all of the user would go
  if (users.length > 0 && sessions.length > 0) {
    throw new UsageError(
      'users and sessions are named together; name sessions alone, or users, who go with everything that is theirs',
    );
  }
  if ([...users, ...sessions].includes('')) throw new UsageError('an id is empty');
  return {
    users: [...new Set(users)],
    sessions: [...new Set(sessions)],
    reason: choices.reason ?? null,
    holds: choices.holds ?? Holds.none,
    allowUnknownHolds: choices.allowUnknownHolds ?? false,
    graceMs: choices.graceMs ?? 0,
    dryRun: choices.dryRun ?? false,
    noWait: choices.noWait ?? false,
    confirm: choices.confirm,
  };
}

interface Chosen extends Erasable {
  readonly holds: Holds;
  readonly allowUnknownHolds: boolean;
  readonly reason: string | null;
  readonly graceMs: number;
  readonly noWait: boolean;
  readonly dryRun: boolean;
  readonly confirm?: EraseChoices['confirm'];
}

/** What an erasure needs beside what is chosen. */
export interface ErasingRun extends RewriteOptions {
  /** All that jobvault knows; those of the archive are written. */
  readonly formats: readonly RowFormat[];
}

export interface EraseOptions extends ErasingRun, Chosen {
  /** What the place keeps of deleted objects, as a clause for people; null where nothing. */
  readonly kept: string | null;
  /** Throws where what was to be erased need not go any more; called whenever the erasure is planned. */
  readonly assertStill?: (() => Promise<void>) | undefined;
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
