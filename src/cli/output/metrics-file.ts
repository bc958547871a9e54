/** Replaces the metrics file atomically: a collector can read it at any time. */
import { constants } from 'node:fs';
import { access, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { codeOf, messageOf } from '../../base/error.js';
import { UsageError } from '../../base/usage-error.js';
import { metricsText } from '../../telemetry/metrics.js';
import type { RunReport } from '../../telemetry/run-report.js';

/** The start of every metrics file that jobvault has written. */
const OURS = '# HELP jobvault_';

/**
 * Checks before the run.
 *
 * @throws {UsageError} the directory is missing or not writable, or another file would be replaced
 */
export async function checkMetricsFile(file: string): Promise<void> {
  await previousIn(file);
  try {
    await access(dirname(file), constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new UsageError(
      `--metrics-file ${file} cannot be written (${codeOf(error) ?? messageOf(error)}); allowed is a file in an existing directory`,
      { cause: error },
    );
  }
}

/** @throws {UsageError} jobvault has not written the file */
async function previousIn(file: string): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined || text.trim() === '' || text.startsWith(OURS)) return text;
  throw new UsageError(
    `--metrics-file ${file} exists and is not a metrics file; allowed is a new file, or one that jobvault has written`,
  );
}

/** @throws {UsageError} another file would be replaced @throws errors of the file system */
export async function writeMetricsFile(file: string, report: RunReport): Promise<void> {
  const previous = await previousIn(file);
  const text = await metricsText(report, previous);
  // collectors read only *.prom
  const partial = join(dirname(file), `.${basename(file)}.${process.pid}.tmp`);
  try {
    await writeFile(partial, text);
    await rename(partial, file);
  } finally {
    await rm(partial, { force: true });
  }
}
