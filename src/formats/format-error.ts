import { JobvaultError } from '../base/error.js';

/** A file's bytes are not what its format or its table says. */
export class FormatError extends JobvaultError {
  override readonly name = 'FormatError';
  readonly code = 'FORMAT_UNREADABLE';
  readonly disposition = 'fatal';
  readonly failure = 'integrity';
}
