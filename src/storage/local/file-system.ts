/** The file system operations of the local storage, as a type, so that tests can make them fail. */
import * as nodeFileSystem from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { codeOf, JobvaultError, fileErrorReason } from '../../base/error.js';
import { ObjectNotFoundError, StorageError, type StorageTrouble } from '../storage-errors.js';

export type FileSystem = Pick<
  typeof nodeFileSystem,
  | 'link'
  | 'lstat'
  | 'mkdir'
  | 'open'
  | 'readdir'
  | 'readFile'
  | 'rename'
  | 'rmdir'
  | 'stat'
  | 'unlink'
>;

export const systemFileSystem: FileSystem = nodeFileSystem;

/** Appends all bytes, in several writes if need be: a nearly full disk takes only a part at first. */
export async function writeAll(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  let written = 0;
  while (written < bytes.byteLength) written += (await handle.write(bytes, written)).bytesWritten;
}

/** Syncs a file that is already closed. */
export async function syncFile(fileSystem: FileSystem, file: string): Promise<void> {
  const handle = await fileSystem.open(file, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** @returns true if `target` is the file now; false if it is another one */
export async function linkFile(
  fileSystem: FileSystem,
  file: string,
  target: string,
): Promise<boolean> {
  try {
    await fileSystem.link(file, target);
    return true;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    // NFS repeats a request whose answer was lost: then `target` is our own link. Source: open(2).
    return isSameFile(fileSystem, file, target);
  }
}

/** The number of links does not tell it: a backup may be made of hard links, just now. */
async function isSameFile(fileSystem: FileSystem, file: string, other: string): Promise<boolean> {
  const own = await fileSystem.lstat(file);
  const there = await fileSystem.lstat(other);
  return own.nlink > 1 && own.ino === there.ino && own.dev === there.dev;
}

/** Turns what the file system throws into one sentence that names the object, the place and the action. */

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

/** Likewise of reading an object, which may not be there. */
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
