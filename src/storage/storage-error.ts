import { JobvaultError } from '../base/error.js';

/** The storage failed, and retries do not help: permission, space, a missing bucket. The message names the place and the action. */
export class StorageError extends JobvaultError {
  override readonly name = 'StorageError';
  readonly code = 'STORAGE_FAILED';
  readonly disposition = 'fatal';
  readonly failure = 'storage';
}
