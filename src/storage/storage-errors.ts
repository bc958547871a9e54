/** What a storage can fail with. */
import { JobvaultError, type ErrorDetails } from '../base/error.js';
import { type StorageTrouble, STORAGE_FIXES } from './storage-fixes.js';

/** The storage failed, and retries do not help: permission, space, a missing bucket. The message names the place and the action. */
export class StorageError extends JobvaultError {
  override readonly name = 'StorageError';
  readonly code = 'STORAGE_FAILED';
  readonly disposition = 'fatal';
  readonly failure = 'storage';
  readonly trouble: StorageTrouble;

  constructor(message: string, details: ErrorDetails & { readonly trouble?: StorageTrouble } = {}) {
    super(message, details);
    this.trouble = details.trouble ?? 'other';
  }

  /** What to do about it: a clause. */
  get fix(): string {
    return STORAGE_FIXES[this.trouble];
  }
}

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

/** There is a symbolic link below an archive's directory, which may lead out of the archive. */
export class SymbolicLinkError extends JobvaultError {
  override readonly name = 'SymbolicLinkError';
  readonly code = 'STORAGE_SYMBOLIC_LINK';
  readonly disposition = 'fatal';
  readonly failure = 'storage';

  /** @param path within the archive, of the link itself */
  constructor(
    readonly path: string,
    location: string,
  ) {
    super(
      `${path} in ${location} is a symbolic link; jobvault follows none inside an archive, because it may lead out of it. Replace it by the directory or file itself`,
    );
  }
}
