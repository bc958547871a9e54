import { JobvaultError } from '../base/error.js';

/** A download failed on the way: reset, cut short, too slow, corrupt. The message names the host, never the query string. */
export class TransferError extends JobvaultError {
  override readonly name = 'TransferError';
  readonly code = 'ARTIFACT_TRANSFER_BROKEN';
  readonly disposition = 'retry';
  readonly failure = 'unreachable';
}
