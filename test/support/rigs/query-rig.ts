/** Queries archives and collects complete results. */
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256Hex } from '../../../src/base/digest.js';
import { queryArchive, type QueryOptions } from '../../../src/query/query-archive.js';

export interface WholeResult {
  readonly commit: number;
  readonly columns: readonly string[];
  readonly types: readonly string[];
  /** Cells as texts. */
  readonly rows: readonly (readonly (string | null)[])[];
}

export async function ask(options: QueryOptions): Promise<WholeResult> {
  return queryArchive(options, async (result) => {
    const { commits, columns } = result;
    const found: (readonly (string | null)[])[] = [];
    for await (const some of result.rows()) found.push(...some);
    return {
      commit: commits[0].commit,
      rows: found,
      columns: columns.map(({ name }) => name),
      types: columns.map(({ type }) => type),
    };
  });
}

/** The only cell of a result. */
export async function askOne(options: QueryOptions): Promise<string | null> {
  const { rows } = await ask(options);
  if (rows.length !== 1 || rows[0]?.length !== 1) throw new Error(`${rows.length} rows`);
  return rows[0][0] ?? null;
}

/** SHA-256 of every file below a directory, by its path there. */
export async function digestsOf(directory: string): Promise<Readonly<Record<string, string>>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  return Object.fromEntries(
    await Promise.all(files.map(async (file) => [file, sha256Hex(await readFile(file))])),
  ) as Record<string, string>;
}
