/** The file system operations of the local storage, as a type, so that tests can make them fail. */
import * as nodeFileSystem from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { codeOf } from '../../base/error.js';

export type FileSystem = Pick<
  typeof nodeFileSystem,
  'link' | 'lstat' | 'mkdir' | 'open' | 'readdir' | 'rename' | 'rmdir' | 'stat' | 'unlink'
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
  const fileStats = await fileSystem.lstat(file);
  const otherStats = await fileSystem.lstat(other);
  return (
    fileStats.nlink > 1 && fileStats.ino === otherStats.ino && fileStats.dev === otherStats.dev
  );
}
