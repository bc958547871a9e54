import { JobvaultError } from '../base/error.js';

/** The bytes of an object do not match the checksum of the store. */
export class DamagedObjectError extends JobvaultError {
  override readonly name = 'DamagedObjectError';
  readonly code = 'STORAGE_OBJECT_DAMAGED';
  readonly disposition = 'fatal';
  readonly failure = 'integrity';

  constructor(
    readonly path: string,
    location: string,
  ) {
    super(`${path} in ${location} is damaged: its bytes do not match the store's checksum`);
  }
}
