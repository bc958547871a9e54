import { JobvaultError } from '../base/error.js';

/** There is no object at the path. */
export class ObjectNotFoundError extends JobvaultError {
  override readonly name = 'ObjectNotFoundError';
  readonly code = 'STORAGE_OBJECT_NOT_FOUND';
  readonly disposition = 'fatal';
  readonly failure = 'storage';

  constructor(readonly path: string) {
    super(`${path} is not in the storage`);
  }
}
