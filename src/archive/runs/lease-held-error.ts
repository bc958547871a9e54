import { JobvaultError } from '../../base/error.js';
import type { LeaseNote } from './lease-note.js';

/** Another run holds a lease, and the caller does not want to wait. */
export class LeaseHeldError extends JobvaultError {
  override readonly name = 'LeaseHeldError';
  readonly code = 'ARCHIVE_LEASE_HELD';
  readonly disposition = 'fatal';
  readonly failure = 'locked';

  constructor(
    /** What the lease is for: `user ada`. */
    readonly subject: string,
    /** Undefined if the lease is unreadable. */
    readonly holder: LeaseNote | undefined,
  ) {
    const who = holder ? ` (${holder.run}, process ${holder.pid} on ${holder.host})` : '';
    super(`another run${who} is working on ${subject}`);
  }
}
