/** What the archive's operations fail with. */
import { JobvaultError, type ErrorDetails } from '../base/error.js';
import type { ProcessIdentity } from '../base/process-identity.js';
import type { SessionId, UserId, RunId } from '../model/ids.js';

const WAIT =
  'wait until it ends; if its run has died, jobvault compact finishes it (at once on the same machine, after a day on another)';

/** An erasure is running, or its run died. Until it is finished, the log is half redacted. */
export class ErasureUnfinishedError extends JobvaultError {
  override readonly name = 'ErasureUnfinishedError';
  readonly code = 'ARCHIVE_ERASURE_UNFINISHED';
  readonly disposition = 'fatal';
  readonly failure = 'locked';

  /** Whether its plan is lost: no run finishes it. */
  readonly isLost: boolean;

  /** @param lost what is wrong and what to do, if its plan is lost */
  constructor(location: string, lost?: string) {
    super(`an erasure from ${location} is not finished: ${lost ?? WAIT}`);
    this.isLost = lost !== undefined;
  }
}

/** The log must be signed, and this run has no key or the wrong one. */
export class SigningKeyError extends JobvaultError {
  override readonly name = 'SigningKeyError';
  readonly code = 'ARCHIVE_SIGNING_KEY';
  readonly disposition = 'fatal';
  readonly failure = 'usage';
}

/** The log is not signed yet, and this run may not begin that: every later run would need its key. */
export class SigningStartError extends JobvaultError {
  override readonly name = 'SigningStartError';
  readonly code = 'ARCHIVE_SIGNING_START';
  readonly disposition = 'fatal';
  readonly failure = 'usage';

  /** @param isDeclined somebody was asked, and the answer was no */
  constructor(location: string, isDeclined: boolean) {
    super(
      isDeclined
        ? `nothing was written to ${location}, because it is not to be signed; without --signing-key the run is not signed`
        : `nothing was written to ${location}: it has not been signed so far, and from the first signature on, every run that writes to it (exports, workers, holds) needs this key in --signing-key, for good; if that is wanted, pass --start-signing once`,
    );
  }
}

/** A session in the log. Session ids are unique within a project, but runs work user by user. */
export interface SessionKey {
  readonly user: UserId;
  readonly session: SessionId;
}

/** Another run has committed sessions of this checkpoint, or rewritten its files: discard the part files and plan again. */
export class CommitConflictError extends JobvaultError {
  override readonly name = 'CommitConflictError';
  readonly code = 'ARCHIVE_COMMIT_CONFLICT';
  readonly disposition = 'retry';
  readonly failure = 'locked';

  constructor(
    /** In the order in which the other commits name them, each once; empty if files were rewritten. */
    readonly sessions: readonly SessionKey[],
    /** Number of the newest commit that was read: plan again from here. */
    readonly newest: number,
  ) {
    super(
      sessions.length === 0
        ? `another run has rewritten files or sessions of this checkpoint, up to commit ${newest}`
        : `another run has archived ${sessions.length} of the sessions of this checkpoint, up to commit ${newest}`,
    );
  }
}

/** Other runs took every number that this run tried. Nothing of this checkpoint is committed; a later run does it again. */
export class LogCrowdedError extends JobvaultError {
  override readonly name = 'LogCrowdedError';
  readonly code = 'ARCHIVE_LOG_CROWDED';
  readonly disposition = 'retry';
  readonly failure = 'locked';

  constructor(newest: number, tries: number) {
    super(
      `other runs took the last ${tries} numbers of the log, up to commit ${newest}: start fewer runs at a time, or try again later`,
    );
  }
}

/** The log lists this run as abandoned: it may not commit any more. */
export class RunAbandonedError extends JobvaultError {
  override readonly name = 'RunAbandonedError';
  readonly code = 'ARCHIVE_RUN_ABANDONED';
  readonly disposition = 'fatal';
  readonly failure = 'locked';

  constructor(
    readonly run: RunId,
    readonly commit: number,
  ) {
    super(`commit ${commit} has abandoned this run (${run}): another run found it dead`);
  }
}

/** What was made from the archive. */
export type Made =
  | 'pack'
  | 'report'
  | 'workbook'
  | 'copy'
  | 'answer'
  | 'list of checksums'
  | 'list of changes'
  | 'drill';

/** Files have left the archive while they were read. A second attempt reads the archive as it is now. */
export class RewrittenMeanwhileError extends JobvaultError {
  override readonly name = 'RewrittenMeanwhileError';
  readonly code = 'ARCHIVE_REWRITTEN_MEANWHILE';
  readonly disposition = 'retry';
  readonly failure = 'locked';

  constructor(location: string, made: Made, details: ErrorDetails = {}) {
    super(
      `${location} was compacted or erased from while the ${made} was made: try again`,
      details,
    );
  }
}

/** The kinds of problems with an object of an archive. */
export type IntegrityProblem =
  | 'missing'
  | 'hidden'
  | 'size'
  | 'digest'
  | 'rows'
  | 'chain'
  | 'head'
  | 'signature'
  | 'timestamp'
  | 'identity'
  | 'unreadable'
  | 'state'
  | 'delta';

/** The archive does not match its log; the message names the object. */
export class IntegrityError extends JobvaultError {
  override readonly name = 'IntegrityError';
  readonly code = 'ARCHIVE_INTEGRITY';
  readonly disposition = 'fatal';
  readonly failure = 'integrity';

  /** @param detail follows the path in the message: `is missing` */
  constructor(
    readonly path: string,
    readonly problem: IntegrityProblem,
    readonly detail: string,
    details: ErrorDetails = {},
  ) {
    super(`${path} ${detail}`, details);
  }
}

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
    readonly holder: (ProcessIdentity & { readonly run: RunId }) | undefined,
  ) {
    const who = holder ? ` (${holder.run}, process ${holder.pid} on ${holder.host})` : '';
    super(`another run${who} is working on ${subject}`);
  }
}
