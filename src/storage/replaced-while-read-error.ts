import { JobvaultError } from '../base/error.js';

/** The object was replaced while it was read; a reader that has used none of its bytes may begin again. */
export class ReplacedWhileReadError extends JobvaultError {
  override readonly name = 'ReplacedWhileReadError';
  readonly code = 'STORAGE_OBJECT_REPLACED';
  readonly disposition = 'retry';
  readonly failure = 'storage';

  constructor(path: string) {
    super(`${path} was replaced while it was read`);
  }
}
