/** Files that jobvault has not made, such as those of a file manager: they are reported, and left alone. */
import type { ObjectInfo, Storage } from '../storage/storage.js';
import { isOwnPath } from './paths.js';

/** What file managers leave in every directory that they show. */
const OF_FILE_MANAGERS = /(?:^|\/)(?:\.DS_Store|\._[^/]*|desktop\.ini|Thumbs\.db|\.directory)$/i;

/** Whether the path is a file of a file manager. A directory with nothing else counts as empty. */
export function isOfFileManager(path: string): boolean {
  return OF_FILE_MANAGERS.test(path);
}

/** Lists only objects that jobvault makes. */
export async function* listOwn(storage: Storage, prefix: string): AsyncGenerator<ObjectInfo> {
  for await (const object of storage.list(prefix)) if (isOwnPath(object.path)) yield object;
}

/** Paths that jobvault does not make, ordered. @param prefix default: the whole archive */
export async function foreignFiles(storage: Storage, prefix = ''): Promise<string[]> {
  const foreign: string[] = [];
  for await (const { path } of storage.list(prefix)) if (!isOwnPath(path)) foreign.push(path);
  return foreign;
}
