/** Compaction of an archive in a storage, and what other programs read there. */
import { silentLogger } from '../../src/base/logger.js';
import { systemClock } from '../../src/base/system-clock.js';
import { createJsonlFormat } from '../../src/formats/jsonl/jsonl-format.js';
import { compact, type CompactOptions, type CompactSummary } from '../../src/rewrite/compact.js';
import { systemProcesses } from '../../src/storage/process-identity.js';
import type { Archive } from '../../src/archive/archive.js';
import { duckDbRows, sqlText } from './duckdb-rows.js';
import { impatient } from './export-rig.js';

/** JSONL, 1 MB, a day of grace, unless told otherwise. */
export function compacted(
  archive: Archive,
  options: Partial<CompactOptions> = {},
): Promise<CompactSummary> {
  return compact({
    ...{ archive, processes: systemProcesses, tool: 'jobvault test', clock: systemClock },
    ...{ random: impatient, logger: silentLogger, signal: new AbortController().signal },
    ...{ formats: [createJsonlFormat()], targetBytes: 1e6, graceMs: 86_400_000 },
    ...options,
  });
}

/** A digest over the sorted rows that a glob finds below a table's folder. */
export async function duckDbDigest(archive: string, table: string): Promise<unknown> {
  const glob = sqlText(`${archive}/tables/${table}/*/*.parquet`);
  const [row] = await duckDbRows(
    `SELECT count(*)::INTEGER AS rows, md5(string_agg(line, chr(10) ORDER BY line)) AS digest
     FROM (SELECT t::VARCHAR AS line FROM read_parquet(${glob}, hive_partitioning = false) t)`,
  );
  return row;
}
