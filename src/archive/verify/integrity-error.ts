import { JobvaultError, type ErrorDetails } from '../../base/error.js';

/** The kinds of problems with an object of an archive. */
export type IntegrityProblem =
  | 'missing'
  | 'hidden'
  | 'size'
  | 'digest'
  | 'rows'
  | 'chain'
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
