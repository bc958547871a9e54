/** Turns what the file system throws into one sentence that names the object, the place and the action. */
import { codeOf, JobvaultError, fileErrorReason } from '../../base/error.js';
import { ObjectNotFoundError, StorageError } from '../storage-errors.js';
import { type StorageTrouble } from '../storage-fixes.js';

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
  const trouble = TROUBLES[codeOf(thrown) ?? ''] ?? 'other';
  const text = `cannot ${action} ${path} in ${location}: ${reason}`;
  return new StorageError(text, { cause: thrown, trouble });
}

const NOT_FOUND = new Set(['ENOENT', 'ENOTDIR', 'EISDIR']);

/** The error of reading an object, which may not be there. */
export function readFailure(path: string, location: string, thrown: unknown): JobvaultError {
  if (NOT_FOUND.has(codeOf(thrown) ?? '')) return new ObjectNotFoundError(path);
  return localFailure('read', path, location, thrown);
}

const TROUBLES: Readonly<Record<string, StorageTrouble>> = {
  ENOSPC: 'space',
  EDQUOT: 'space',
  EFBIG: 'size',
  EACCES: 'file-permission',
  EPERM: 'file-permission',
  EROFS: 'read-only',
  EMFILE: 'open-files',
  ENFILE: 'open-files',
  EIO: 'device',
  ENOTDIR: 'path',
  EEXIST: 'path',
  EISDIR: 'path',
  EXDEV: 'path',
  ENAMETOOLONG: 'path',
  ENOENT: 'missing',
  ELOOP: 'path',
};
