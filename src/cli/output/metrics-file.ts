/** The metrics file: there as a whole or as it was, since a collector may read it at any moment. */
import { constants } from 'node:fs';
import { access, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { codeOf, messageOf } from '../../base/error.js';
import { UsageError } from '../../base/usage-error.js';
import { metricsText } from '../../telemetry/metrics.js';
import type { RunReport } from '../../telemetry/run-report.js';

/** What every file of metrics that we have written begins with. */
const OURS = '# HELP jobvault_';

/**
 * Better told before the run.
 *
 * @throws {UsageError} its directory is not there or cannot be written to, or another file would be replaced
 */
export async function checkMetricsFile(file: string): Promise<void> {
  await previousIn(file);
  try {
    await access(dirname(file), constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new UsageError(
      `--metrics-file ${file} cannot be written (${codeOf(error) ?? messageOf(error)}); allowed is a file in a directory that is there`,
      { cause: error },
    );
  }
}

/** @throws {UsageError} the file is none of ours */
async function previousIn(file: string): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined || text.trim() === '' || text.startsWith(OURS)) return text;
  throw new UsageError(
    `--metrics-file ${file} is there and holds something else; allowed is a new file, or one that jobvault has written`,
  );
}

/** @throws {UsageError} another file would be replaced @throws the file system's own errors */
export async function writeMetricsFile(file: string, report: RunReport): Promise<void> {
  const previous = await previousIn(file);
  const text = await metricsText(report, previous);
  // collectors read *.prom only
  const partial = join(dirname(file), `.${basename(file)}.${process.pid}.tmp`);
  try {
    await writeFile(partial, text);
    await rename(partial, file);
  } finally {
    await rm(partial, { force: true });
  }
}
