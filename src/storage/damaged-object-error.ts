import { JobvaultError } from '../base/error.js';

/** What the store gives back is not what it took in, by its own checksum. */
export class DamagedObjectError extends JobvaultError {
  override readonly name = 'DamagedObjectError';
  readonly code = 'STORAGE_OBJECT_DAMAGED';
  readonly disposition = 'fatal';
  readonly failure = 'integrity';

  constructor(
    readonly path: string,
    location: string,
  ) {
    super(`${path} in ${location} is damaged: the store's own checksum is not that of its bytes`);
  }
}
