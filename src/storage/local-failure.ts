/** Turns what the file system throws into one sentence that names the object, the place and the action. */
import { codeOf, JobvaultError, messageOf } from '../base/error.js';
import { StorageError } from './storage-error.js';

export type LocalAction = 'write' | 'read' | 'list' | 'delete';

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'no space is left on the device',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file is larger than the file system allows',
  EACCES: 'permission is denied',
  EPERM: 'the operation is not permitted',
  EROFS: 'the file system is read-only',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
  EIO: 'the device reports an input or output error',
  ENOTDIR: 'a part of the path is a file, not a directory',
  EEXIST: 'a file stands where a directory is needed',
  EISDIR: 'a directory stands there',
  EXDEV: 'it lies on another file system than the rest of the archive',
  ENAMETOOLONG: 'the path is too long for the file system',
  ENOENT: 'there is no such file or directory',
  ELOOP: 'a symbolic link stands there, and none is followed inside an archive',
  ENOTSUP: 'the file system does not support the operation',
};

/** A jobvault error comes back as it is; anything else becomes the cause of a `StorageError`. */
export function localFailure(
  action: LocalAction,
  path: string,
  location: string,
  thrown: unknown,
): JobvaultError {
  if (thrown instanceof JobvaultError) return thrown;
  const code = codeOf(thrown);
  const reason =
    code === undefined ? messageOf(thrown) : `${REASONS[code] ?? 'it failed'} (${code})`;
  return new StorageError(`cannot ${action} ${path} in ${location}: ${reason}`, { cause: thrown });
}
