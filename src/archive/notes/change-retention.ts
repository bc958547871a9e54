/** How long the archive keeps everything at least: the floor below which nothing expires. */
import { UsageError } from '../../base/error.js';
import type { Archive } from '../archive.js';
import type { RetentionFloor } from '../log/retention-floor.js';
import { appendNote } from '../runs/note.js';

/** Options of `setMinRetention` of an open archive. */
export interface RetentionChoices {
  /** Nothing expires before; 0 ends the floor. */
  readonly minMs: number;
  /** Why: a law, a policy. */
  readonly reason: string;
  /** The person who sets it. */
  readonly by: string;
}

/** A floor that was set, and the one that it replaces; null of the first. */
export interface RetentionChange extends RetentionFloor {
  readonly replaced: RetentionFloor | null;
}

/**
 * @throws {UsageError} the time is none, or a text is empty
 * @throws {SigningKeyError | SigningStartError} the log is signed, and this run has no key or another one; or is not, and its key may not begin
 */
export async function setMinRetention(
  archive: Archive,
  { minMs, reason, by }: RetentionChoices,
): Promise<RetentionChange> {
  if (!Number.isSafeInteger(minMs) || minMs < 0) {
    throw new UsageError(`minMs is ${minMs}; allowed is a whole number from 0`);
  }
  if (reason.trim() === '') throw new UsageError('a retention needs a reason, and it is empty');
  if (by.trim() === '') {
    throw new UsageError('a retention needs the name of a person, and it is empty');
  }
  const entry = { min_ms: minMs, reason, by };
  const plan = () => {
    const replaced = archive.index.retention ?? null;
    return {
      note: { kind: 'retention' as const, retention: entry },
      told: ({ number, created_at: since }: { number: number; created_at: string }) => {
        return { ...entry, since, commit: number, replaced };
      },
    };
  };
  return appendNote(archive, { namesPeople: false, plan });
}
