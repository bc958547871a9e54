import { JobvaultError, type ErrorDetails } from '../base/error.js';
import { STORAGE_FIXES, type StorageTrouble } from './storage-trouble.js';

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
