/** Says why a file could not be read or written. Node's own message would repeat the path. */
import { codeOf, messageOf } from './error.js';

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
  ELOOP: 'it is a symbolic link, and jobvault follows none inside an archive',
  ENOTSUP: 'the file system does not support the operation',
};

/** `there is no such file or directory (ENOENT)`: follows a sentence that names the file. */
export function fileErrorReason(thrown: unknown): string {
  const code = codeOf(thrown);
  return code === undefined ? messageOf(thrown) : `${REASONS[code] ?? 'it failed'} (${code})`;
}
