/** Proves an archive: the chain of commits, every object that they name, and the states. */
import type { RowFormat } from '../formats/format.js';
import type { Archive } from './archive.js';
import { IntegrityError } from './integrity-error.js';
import { readIdentity } from './open-archive.js';
import { IDENTITY_PATH } from './paths.js';
import { verifyLog } from './verify-log.js';
import { verifyObjects } from './verify-objects.js';
import { Findings, type VerifyProgress, type VerifyReport } from './verify-report.js';
import { verifyStates } from './verify-states.js';

export interface VerifyOptions {
  /** Those that count the rows of part files. */
  readonly formats: readonly RowFormat[];
  /** Objects read at a time; default 8. */
  readonly concurrency?: number;
  readonly onProgress?: (progress: VerifyProgress) => void;
  readonly signal?: AbortSignal | undefined;
}

const DEFAULT_CONCURRENCY = 8;

/**
 * Reads every named object once, in streams. What is wrong is in the report, not thrown.
 *
 * @throws {StorageError} the storage does not let itself be read
 * @throws the signal's reason, when it is aborted
 */
export async function verifyArchive(
  archive: Archive,
  options: VerifyOptions,
): Promise<VerifyReport> {
  const { storage, log } = archive;
  const { formats, concurrency = DEFAULT_CONCURRENCY, onProgress, signal } = options;
  const findings = new Findings();
  await verifyIdentity(archive, findings);
  const found = await verifyLog(storage, log, findings, signal);
  const { bytes, orphans } = await verifyObjects(
    { storage, formats, concurrency, onProgress, signal },
    found,
    findings,
  );
  const states = await verifyStates({ storage, log, signal }, found, findings);
  const { files, artifacts } = found.index.contents;
  const tableRows: Record<string, number> = {};
  for (const { table, rows, schema } of files.values()) {
    if (schema !== null) tableRows[table] = (tableRows[table] ?? 0) + rows;
  }
  return {
    ...{ location: storage.location, commits: found.commits, files: files.size, tableRows },
    ...{ artifacts: artifacts.size, bytes, states, problems: findings.problems, orphans },
  };
}

async function verifyIdentity({ storage }: Archive, findings: Findings): Promise<void> {
  try {
    if (await readIdentity(storage)) return;
    findings.add({ path: IDENTITY_PATH, problem: 'missing', detail: 'is missing' });
  } catch (error) {
    if (!(error instanceof IntegrityError)) throw error;
    findings.add(error);
  }
}
