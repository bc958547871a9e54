/** The few operations of the file system that the local storage needs, so that tests can make them fail. */
import * as nodeFileSystem from 'node:fs/promises';

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

/** What was written to a file that is closed already. */
export async function syncFile(fileSystem: FileSystem, file: string): Promise<void> {
  const handle = await fileSystem.open(file, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
