/** Searches every byte of an archive for texts: in the stored files, and decompressed by other programs. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { duckDbRows, sqlText } from '../tables/duckdb-rows.js';
import { foundSheets } from '../tables/workbook-cells.js';

/** Paths (names included) where any of the texts stands, with the text. */
export async function grepArchive(root: string, texts: readonly string[]): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const hits: string[] = [];
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    const shown = path.slice(root.length + 1);
    const bytes = entry.isFile() ? await readFile(path) : Buffer.alloc(0);
    const haystacks = [Buffer.from(shown), bytes, ...(await unpacked(path, bytes))];
    for (const text of texts) {
      if (haystacks.some((haystack) => haystack.includes(text))) hits.push(`${shown}: ${text}`);
    }
  }
  return hits;
}

async function unpacked(path: string, bytes: Buffer): Promise<Buffer[]> {
  if (path.endsWith('.gz')) return [gunzipSync(bytes)];
  if (path.endsWith('.xlsx')) return [Buffer.from(JSON.stringify(await foundSheets(bytes)))];
  if (!path.endsWith('.parquet')) return [];
  const rows = await duckDbRows(
    `SELECT t::VARCHAR AS line FROM read_parquet(${sqlText(path)}, hive_partitioning = false) t`,
  );
  const footer = await duckDbRows(
    `SELECT stats_min_value::VARCHAR || ' ' || stats_max_value::VARCHAR AS line
     FROM parquet_metadata(${sqlText(path)})`,
  );
  return [Buffer.from([...rows, ...footer].map(({ line }) => String(line)).join('\n'))];
}
