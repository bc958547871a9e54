/** What runs have published and no commit names: of living ones their open checkpoint, of dead ones rubbish. */
import { groupBy } from '../../base/group-by.js';
import type { RunId } from '../../model/ids.js';
import type { Archive } from '../archive.js';
import { COMMITS_PREFIX, manifestNumberOf, runOfPart } from '../paths.js';

/** Artifacts are left out: they belong to no run, and another may be about to name them. */
const PART_PREFIXES = ['tables/', 'workbooks/'] as const;

/** By run, as of the index's newest commit. What a commit once named and removed again is not among them. */
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
 * Lists of jobs that were made for a number which another commit has: a living run
 * that made them would have to make them again. What an erasure leaves of a list is published once its receipt stands;
 * so the log is read after the lists that there are, never before.
 */
export async function uselessManifests({
  storage,
  index,
}: Pick<Archive, 'storage' | 'index'>): Promise<string[]> {
  const there: { readonly path: string; readonly number: number }[] = [];
  for await (const { path } of storage.list(COMMITS_PREFIX)) {
    const number = manifestNumberOf(path);
    if (number !== undefined) there.push({ path, number });
  }
  await index.refresh();
  const { manifests } = index.contents;
  return there
    .filter(({ path, number }) => number <= index.through && !manifests.has(path))
    .map(({ path }) => path);
}
