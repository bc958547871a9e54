/** What it says of an object that it cannot be read: damage is told with everything else that is wrong, other failures end a reading. */
import {
  DamagedObjectError,
  ObjectNotFoundError,
  StorageError,
} from '../../storage/storage-errors.js';
import { IntegrityError } from '../archive-errors.js';

/** Undefined if the failure says nothing of the object, as when a store does not answer. */
export function readProblem(path: string, error: unknown): IntegrityError | undefined {
  if (error instanceof IntegrityError) return error;
  const cause = { cause: error };
  if (error instanceof ObjectNotFoundError) {
    return new IntegrityError(
      path,
      'missing',
      'has disappeared while it was being verified',
      cause,
    );
  }
  if (error instanceof DamagedObjectError) {
    const detail = "is damaged: its bytes do not match the storage's checksum";
    return new IntegrityError(path, 'digest', detail, cause);
  }
  if (error instanceof StorageError && error.trouble === 'device') {
    // a bad place of a disk: all else must be told as well
    const detail = 'cannot be read: the device reports an input or output error';
    return new IntegrityError(path, 'unreadable', detail, cause);
  }
  return undefined;
}
