/** Writes a run's metrics into a file of the folder of `--metrics-dir`: one for each command, archive, scope and shard. */
import { constants } from 'node:fs';
import { access, chmod, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { sha256Hex } from '../../base/digest.js';
import { codeOf, messageOf, UsageError } from '../../base/error.js';
import { metricsText } from '../../telemetry/metrics.js';
import type { RunReport } from '../../telemetry/run-report.js';

/**
 * Checks before the run.
 *
 * @throws {UsageError} the folder is missing or not writable
 */
export async function checkMetricsFolder(folder: string): Promise<void> {
  try {
    // with the stroke: a file in its place is none, whoever may execute it
    await access(`${folder}/`, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new UsageError(
      `--metrics-dir ${folder} cannot be written to (${codeOf(error) ?? messageOf(error)}); ${allowedFor(codeOf(error), folder)}`,
      { cause: error },
    );
  }
}

function allowedFor(code: string | undefined, folder: string): string {
  if (code === 'EROFS') {
    return `${folder} is read-only for this run; a systemd unit opens it with ReadWritePaths=${folder}`;
  }
  if (code === 'EACCES' || code === 'EPERM') {
    return `allowed is a folder in which the user of this run may write`;
  }
  return 'allowed is an existing folder';
}

/** The file of a command, its archive, its scope and its shard, in the folder of `--metrics-dir`. */
export function metricsFileOf(
  folder: string,
  { command, archive, scope, shard }: Pick<RunReport, 'command' | 'archive' | 'scope' | 'shard'>,
): string {
  const share = shard === undefined ? [] : [shard];
  const place = sha256Hex(Buffer.from(JSON.stringify([command, archive, scope, ...share])));
  return join(folder, `jobvault-${place.slice(0, 12)}.prom`);
}

/** Replaces what the run before of the same command, archive, scope and shard has left. @throws errors of the file system */
export async function writeMetricsFile(folder: string, report: RunReport): Promise<void> {
  const file = metricsFileOf(folder, report);
  const previous = await readFile(file, 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  });
  await replace(file, metricsText(report, previous));
}

/** Atomically: a collector can read it at any time. */
async function replace(file: string, text: string): Promise<void> {
  // collectors read only *.prom
  const partial = join(dirname(file), `.${basename(file)}.${process.pid}.tmp`);
  try {
    await writeFile(partial, text);
    await chmod(partial, 0o644); // whatever the umask is: the collector is another user, and there is no secret in it
    await rename(partial, file);
  } finally {
    await rm(partial, { force: true });
  }
}
