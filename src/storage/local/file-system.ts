/** The few operations of the file system that the local storage needs, so that tests can make them fail. */
import * as nodeFileSystem from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { codeOf } from '../../base/error.js';

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

/** Appends. A nearly full disk writes a part of the bytes and refuses the rest. */
export async function writeAll(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  let written = 0;
  while (written < bytes.byteLength) written += (await handle.write(bytes, written)).bytesWritten;
}

/** What was written to a file that is closed already. */
export async function syncFile(fileSystem: FileSystem, file: string): Promise<void> {
  const handle = await fileSystem.open(file, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** @returns whether the file stands at `target` now; false where something else does */
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
    // NFS repeats a request whose answer got lost: then it is our own link that stands there. Source: open(2).
    return (await fileSystem.stat(file)).nlink === 2;
  }
}
