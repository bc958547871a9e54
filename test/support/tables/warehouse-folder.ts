/** The files of config/warehouse. */
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const WAREHOUSE = fileURLToPath(new URL('../../../config/warehouse/', import.meta.url));

/** Texts by path inside it. */
export async function warehouseFolder(): Promise<Map<string, string>> {
  const entries = await readdir(WAREHOUSE, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return new Map(
    await Promise.all(
      files.map(async (file) => [relative(WAREHOUSE, file), await readFile(file, 'utf8')] as const),
    ),
  );
}

/** The hand-written queries: SQL by name. */
export function queriesIn(folder: ReadonlyMap<string, string>): Map<string, string> {
  return new Map(
    [...folder].flatMap(([path, text]) => {
      const name = /^queries\/(\w+)\.sql$/.exec(path)?.[1];
      return name === undefined ? [] : [[name, text] as const];
    }),
  );
}
