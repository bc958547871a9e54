import { JobvaultError, type ErrorDetails } from '../base/error.js';

/** A file or a row does not match its format or its table. */
export class FormatError extends JobvaultError {
  override readonly name = 'FormatError';
  /** `FORMAT_NEWER`: the file has columns that this version does not know. */
  readonly code: 'FORMAT_UNREADABLE' | 'FORMAT_NEWER';
  readonly disposition = 'fatal';
  readonly failure = 'integrity';

  constructor(
    message: string,
    details: ErrorDetails = {},
    code: FormatError['code'] = 'FORMAT_UNREADABLE',
  ) {
    super(message, details);
    this.code = code;
  }
}

/** @param columns the columns that this version of jobvault does not know */
export function newerFileError(table: string, columns: readonly string[]): FormatError {
  const message = `A newer version of jobvault wrote the rows of ${table}: this version does not know the column ${columns.join(', ')}`;
  return new FormatError(message, {}, 'FORMAT_NEWER');
}
