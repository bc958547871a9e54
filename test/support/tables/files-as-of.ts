import type { Archive } from '../../../src/archive/archive.js';

/** A table's Parquet files as of a commit, relative to the table and ordered: by the commits alone. */
export async function filesAsOf(
  { log }: Archive,
  table: string,
  commit: number,
): Promise<readonly string[]> {
  const prefix = `tables/${table}/`;
  const paths = new Set<string>();
  const head = await log.head();
  for await (const { files, removed } of log.commits(1, Math.min(commit, head?.number ?? 0))) {
    for (const path of removed) paths.delete(path);
    for (const { path } of files) paths.add(path);
  }
  return [...paths]
    .filter((path) => path.startsWith(prefix) && path.endsWith('.parquet'))
    .map((path) => path.slice(prefix.length))
    .sort();
}
