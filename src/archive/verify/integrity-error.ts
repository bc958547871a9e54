import { JobvaultError, type ErrorDetails } from '../../base/error.js';

/** What can be wrong with an object of an archive. */
export type IntegrityProblem =
  | 'missing'
  | 'hidden'
  | 'size'
  | 'digest'
  | 'rows'
  | 'chain'
  | 'signature'
  | 'identity'
  | 'unreadable'
  | 'state';

/** The archive is not what its log says; the message names the object. */
export class IntegrityError extends JobvaultError {
  override readonly name = 'IntegrityError';
  readonly code = 'ARCHIVE_INTEGRITY';
  readonly disposition = 'fatal';
  readonly failure = 'integrity';

  /** @param detail goes on where the path ends: `is missing` */
  constructor(
    readonly path: string,
    readonly problem: IntegrityProblem,
    readonly detail: string,
    details: ErrorDetails = {},
  ) {
    super(`${path} ${detail}`, details);
  }
}
