/** What an object beside the log tells of it: the newest commit that a run knew. A log without that commit was cut. */
import { IntegrityError } from '../archive-errors.js';
import { commitPath } from '../paths.js';
import { MAY_BE_CUT } from '../verify/findings.js';

/** The newest commit that a run knew: a log without it was cut, one with another digest rewritten. */
export interface KnownHead {
  readonly number: number;
  /** Null before the first commit. */
  readonly digest: string | null;
}

/** What the index of the log says of commits and of erasures. */
export interface KnownLog {
  readonly through: number;
  readonly lastErasure: number;
  digestOf(number: number): string | null;
  refresh(): Promise<void>;
}

/** @throws {IntegrityError} the log has lost the commit, or has another in its place */
export async function assertKnown(log: KnownLog, path: string, head: KnownHead): Promise<void> {
  // another run may have appended since the log was read
  if (head.number > log.through) await log.refresh();
  if (head.number > log.through) throw cutBefore(path, head.number);
  if (isAnother(log, head)) throw new IntegrityError(path, 'chain', anotherCommit(head));
}

/** Whether the log has another commit of this number. Those before an erasure may be redacted since. */
export function isAnother(log: KnownLog, { number, digest }: KnownHead): boolean {
  const found = log.digestOf(number);
  return found !== null && number >= log.lastErasure && found !== digest;
}

export function anotherCommit({ number }: KnownHead): string {
  return `was made from another commit ${number} than the one in the log; ${MAY_BE_CUT}`;
}

export function cutBefore(path: string, number: number): IntegrityError {
  const detail = `is missing from the log: ${path} was made after it; ${MAY_BE_CUT}`;
  return new IntegrityError(commitPath(number), 'missing', detail);
}
