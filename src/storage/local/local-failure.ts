/** Turns what the file system throws into one sentence that names the object, the place and the action. */
import { JobvaultError } from '../../base/error.js';
import { fileErrorReason } from '../../base/file-error.js';
import { StorageError } from '../storage-error.js';

export type LocalAction = 'write' | 'read' | 'list' | 'delete';

/** A jobvault error comes back as it is; anything else becomes the cause of a `StorageError`. */
export function localFailure(
  action: LocalAction,
  path: string,
  location: string,
  thrown: unknown,
): JobvaultError {
  if (thrown instanceof JobvaultError) return thrown;
  const reason = fileErrorReason(thrown);
  return new StorageError(`cannot ${action} ${path} in ${location}: ${reason}`, { cause: thrown });
}
