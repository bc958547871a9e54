import { JobvaultError } from '../base/error.js';

/** Somebody has written the object anew while it was read; whoever holds none of its bytes may begin again. */
export class ReplacedWhileReadError extends JobvaultError {
  override readonly name = 'ReplacedWhileReadError';
  readonly code = 'STORAGE_OBJECT_REPLACED';
  readonly disposition = 'retry';
  readonly failure = 'storage';

  constructor(path: string) {
    super(`${path} was written anew while it was read`);
  }
}
