import { JobvaultError } from '../base/error.js';

/** A download broke off: reset, cut short, too slow, garbled. The message names the host, never the query string. */
export class TransferError extends JobvaultError {
  override readonly name = 'TransferError';
  readonly code = 'ARTIFACT_TRANSFER_BROKEN';
  readonly disposition = 'retry';
  readonly failure = 'unreachable';
}
