/** Writes a run's metrics into the file of `--metrics-file`, which all commands of a machine share. */
import { constants } from 'node:fs';
import {
  access,
  chmod,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { codeOf, messageOf, UsageError } from '../base/error.js';
import { systemClock } from '../base/runtime.js';
import { metricsText, withoutForgotten, withoutSeriesOf } from '../telemetry/metrics.js';
import type { RunReport } from '../telemetry/run-report.js';

/** The start of every metrics file that jobvault has written. */
const OURS = '# HELP jobvault_';

/**
 * Checks before the run.
 *
 * @throws {UsageError} the directory is missing or not writable, or another file would be replaced
 */
export async function checkMetricsFile(file: string): Promise<void> {
  try {
    // with the stroke: a file in its place is none, whoever may execute it
    await access(`${dirname(file)}/`, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new UsageError(
      `--metrics-file ${file} cannot be written (${codeOf(error) ?? messageOf(error)}); ${allowedFor(codeOf(error), dirname(file))}`,
      { cause: error },
    );
  }
  await previousIn(file);
}

function allowedFor(code: string | undefined, directory: string): string {
  if (code === 'EROFS') {
    return `${directory} is read-only for this run; a systemd unit opens it with ReadWritePaths=${directory}`;
  }
  if (code === 'EACCES' || code === 'EPERM') {
    return `allowed is a file in a directory in which the user of this run may write`;
  }
  return 'allowed is a file in an existing directory';
}

/** @throws {UsageError} jobvault has not written the file, or nobody can say so */
async function previousIn(file: string): Promise<string | undefined> {
  try {
    const text = await readFile(file, 'utf8');
    if (text.trim() === '' || text.startsWith(OURS)) return text;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
  }
  throw new UsageError(
    `--metrics-file ${file} exists and is not a metrics file; allowed is a new file, or one that jobvault has written`,
  );
}

/**
 * The series of the run are then in no other file of the directory: of two that hold the same, node_exporter serves the
 * older.
 *
 * @param isOfConfig whether the configuration file names the archive
 * @returns places whose metrics were removed, because it does not name them any more
 * @throws {UsageError} another file would be replaced @throws errors of the file system
 */
export function writeMetricsFile(
  file: string,
  report: RunReport,
  isOfConfig: boolean,
): Promise<readonly string[]> {
  return alone(dirname(file), async () => {
    const before = await previousIn(file);
    const { text: previous, forgotten } =
      before !== undefined && isOfConfig
        ? withoutForgotten(before, report, systemClock.now() / 1000)
        : { text: before, forgotten: [] };
    const others = await othersBeside(file);
    await replace(file, await metricsText(report, previous, [...others.values()]));
    for (const [other, held] of others) {
      const kept = withoutSeriesOf(held, report);
      if (kept !== held) await replace(other, kept);
    }
    return forgotten;
  });
}

/** Other metrics files that the collector reads, with their texts. */
async function othersBeside(file: string): Promise<ReadonlyMap<string, string>> {
  const names = await readdir(dirname(file));
  const others = names
    .map((name) => join(dirname(file), name))
    .filter((path) => path.endsWith('.prom') && resolve(path) !== resolve(file));
  const read = others.map(
    async (path) => [path, await readFile(path, 'utf8').catch(() => '')] as const,
  );
  return new Map((await Promise.all(read)).filter(([, text]) => text.startsWith(OURS)));
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

/** A lock is held for some milliseconds: one as old as this is of a run that was killed. */
const DEAD_AFTER_MS = 10_000;
const WAIT_MS = 20;

/** One run after the other: each keeps what the others have written. */
async function alone<T>(directory: string, work: () => Promise<T>): Promise<T> {
  const lock = join(directory, '.jobvault-metrics.lock');
  while (!(await isTaken(lock))) {
    const since = await stat(lock).then(
      ({ mtimeMs }) => mtimeMs,
      () => systemClock.now(), // just given back
    );
    // also of a time to come, where the clock was put back
    if (Math.abs(systemClock.now() - since) > DEAD_AFTER_MS) await rm(lock, { force: true });
    else await systemClock.sleep(WAIT_MS);
  }
  try {
    return await work();
  } finally {
    await rm(lock, { force: true });
  }
}

async function isTaken(lock: string): Promise<boolean> {
  try {
    await (await open(lock, 'wx')).close();
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}
