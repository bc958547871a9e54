/** Objects that no commit names: those of runs, and those that jobvault has not made. */
import { groupBy } from '../base/group-by.js';
import type { RunId } from '../model/ids.js';
import type { Archive } from './archive.js';
import { COMMITS_PREFIX, manifestOf, runOfPart, isOwnPath } from './paths.js';
import type { ObjectInfo, Storage } from '../storage/storage.js';

/** Artifacts are left out: they belong to no run, and another run may be about to name them. */
const PART_PREFIXES = ['tables/', 'workbooks/'] as const;

/** Unnamed part files and workbooks by run, as of the index's newest commit. Files that a commit once named are not included. */
export async function unnamedParts({
  storage,
  index,
}: Pick<Archive, 'storage' | 'index'>): Promise<Map<RunId, string[]>> {
  const found: { readonly run: RunId; readonly path: string }[] = [];
  for (const prefix of PART_PREFIXES) {
    for await (const { path } of storage.list(prefix)) {
      const run = runOfPart(path);
      const { files, removed } = index.contents;
      if (run !== undefined && !files.has(path) && !removed.has(path)) found.push({ run, path });
    }
  }
  const byRun = groupBy(found, ({ run }) => run);
  return new Map([...byRun].map(([run, parts]) => [run, parts.map(({ path }) => path)]));
}

/**
 * Manifests for a number that another commit has taken: no run can name them any more. An erasure
 * publishes redacted manifests after its receipt, so the log must be read after the manifests are listed. None while one
 * is open: a commit that it has not redacted yet names its own.
 */
export async function uselessManifests({
  storage,
  index,
}: Pick<Archive, 'storage' | 'index'>): Promise<string[]> {
  const listed: { readonly path: string; readonly number: number }[] = [];
  for await (const { path } of storage.list(COMMITS_PREFIX)) {
    const manifest = manifestOf(path);
    if (manifest) listed.push({ path, number: manifest.number });
  }
  await index.refresh();
  if (index.openErasures.size > 0) return [];
  const { manifests } = index.contents;
  return listed
    .filter(({ path, number }) => number <= index.through && !manifests.has(path))
    .map(({ path }) => path);
}

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

/** Paths that jobvault does not make, ordered: they are reported, and left alone. @param prefix default: the whole archive */
export async function foreignFiles(storage: Storage, prefix = ''): Promise<string[]> {
  const foreign: string[] = [];
  for await (const { path } of storage.list(prefix)) if (!isOwnPath(path)) foreign.push(path);
  return foreign;
}
