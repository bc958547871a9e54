/** Reports one invocation to monitors: ping, webhook and metrics file. Never changes the exit code. */
import { hostname } from 'node:os';
import { resolve, basename, dirname, join } from 'node:path';
import { messageOf, codeOf, UsageError } from '../base/error.js';
import type { Logger } from '../base/logger.js';
import { proxyFromEnvironment } from '../base/http/proxy.js';
import { systemRandom, systemClock } from '../base/runtime.js';
import { redactText } from '../base/text/redact.js';
import { ulid } from '../base/digest.js';
import { VERSION } from '../base/version.js';
import {
  resolveSettings,
  type SettingSources,
  type ValuesOf,
  valueInEffect,
} from '../config/resolve-settings.js';
import type { Setting } from '../config/setting.js';
import { exportSettings } from '../config/settings.js';
import { telemetrySettings } from '../config/setup-settings.js';
import { Notices } from '../telemetry/notices.js';
import type { RunCounts, RunOutcome, RunReport, RunScope } from '../telemetry/run-report.js';
import { wordsOf, type Command } from './command.js';
import { configInEffect } from './pasteable.js';
import { EXIT } from './exit-code.js';
import { errorSentence } from './output/next-step.js';
import { constants } from 'node:fs';
import { access, chmod, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { metricsText, withoutForgotten } from '../telemetry/metrics.js';

type MonitorSettings = Partial<ValuesOf<typeof telemetrySettings>>;

export interface RunEnd {
  readonly exitCode: number;
  readonly error: unknown;
  readonly counts: RunCounts;
  readonly logger: Logger;
}

export class MonitoredRun {
  readonly runId = ulid(systemClock, systemRandom);
  readonly isMonitored: boolean;
  readonly #startedAtMs = systemClock.now();
  readonly #startedAt = systemClock.monotonic();
  readonly #notices: Notices;
  readonly #wishes: MonitorSettings;
  readonly #archive: string | null;
  /** Whether the archive is the one that the configuration file names. */
  readonly #isOfConfig: boolean;
  readonly #scope: RunScope;
  /** Told with the error that ends the run: not a second time. */
  #isMetricsFileRefused = false;

  /**
   * @param sources those known so far: a run that fails before it starts is reported as well
   * @param secrets gets the URLs of the monitors
   */
  constructor(
    readonly command: Command,
    readonly sources: SettingSources,
    readonly secrets: string[],
  ) {
    const settings = 'pingUrl' in command.settings ? validSettings(command.settings, sources) : {};
    const isMonitored = 'pingUrl' in command.settings && command.isDryRun?.(settings) !== true;
    this.isMonitored = isMonitored;
    this.#scope = command.scopeOf?.(settings, sources.flags) ?? 'all';
    const isNight = command.isNightly === true && this.#scope === 'all';
    this.#wishes = isMonitored ? wishesOf(sources, isNight) : {};
    const proxy = proxyFromEnvironment(sources.environment);
    this.#notices = new Notices({ ...this.#wishes, proxy });
    const { archive } = sources.flags;
    this.#archive = fullLocation(
      typeof archive === 'string'
        ? archive
        : validSettings({ out: exportSettings.out }, sources).out,
    );
    const configured = valueInEffect(exportSettings.out, { ...sources, flags: {} });
    this.#isOfConfig =
      configured?.source === 'file' &&
      typeof configured.value === 'string' &&
      fullLocation(configured.value) === this.#archive;
    for (const address of [this.#wishes.pingUrl, this.#wishes.webhookUrl]) {
      if (address) secrets.push(...secretsIn(address));
    }
  }

  /** @throws {UsageError} the metrics file cannot be written */
  async begin(logger: Logger): Promise<void> {
    const { metricsFile } = this.#wishes;
    if (metricsFile !== undefined) {
      this.#isMetricsFileRefused = true;
      await checkMetricsFile(metricsFile);
      this.#isMetricsFileRefused = false;
    }
    this.#notices.begun(logger);
  }

  /** Resolves within seconds, whatever happens. */
  async end({ exitCode, error, counts, logger }: RunEnd): Promise<void> {
    if (!this.isMonitored) return;
    const report = {
      command: wordsOf(this.command).join(' '),
      archive: this.#archive,
      config: configInEffect(this.sources, true) ?? null,
      scope: this.#scope,
      run: this.runId,
      host: hostname(),
      outcome: outcomeOf(exitCode),
      exitCode,
      counts,
      version: VERSION,
      error: error === undefined ? null : redactText(errorSentence(error), this.secrets),
      startedAtMs: this.#startedAtMs,
      durationMs: Math.round(systemClock.monotonic() - this.#startedAt),
    };
    const { metricsFile } = this.#wishes;
    if (metricsFile !== undefined && !this.#isMetricsFileRefused) {
      try {
        const forgotten = await writeMetricsFile(metricsFile, report, this.#isOfConfig);
        for (const place of forgotten) logger.warn({ file: metricsFile, place }, FORGOTTEN);
      } catch (failure) {
        const reason = messageOf(failure);
        logger.error({ file: metricsFile, reason }, 'the metrics file could not be written');
      }
    }
    await this.#notices.ended(report, logger);
  }
}

/**
 * The dead man's switch of a night hears of other runs only where a flag of theirs names it: a verify that succeeds would
 * end the alarm of an export that failed.
 */
function wishesOf(sources: SettingSources, isNight: boolean): MonitorSettings {
  const wishes = validSettings(telemetrySettings, sources);
  const isPinged = isNight || telemetrySettings.pingUrl.name in sources.flags;
  return isPinged ? wishes : { ...wishes, pingUrl: undefined };
}

/** The valid settings of a group: an invalid one hides no other. */
export function validSettings<Group extends Readonly<Record<string, Setting>>>(
  group: Group,
  sources: SettingSources,
): Partial<ValuesOf<Group>> {
  const read = Object.entries(group).map(([key, setting]) => {
    try {
      return resolveSettings({ [key]: setting }, sources);
    } catch {
      return {}; // resolving all settings reports it
    }
  });
  return Object.assign({}, ...read) as Partial<ValuesOf<Group>>;
}

/** An absolute path or a URL. */
export function fullLocation(location: string | undefined): string | null {
  if (location === undefined) return null;
  return /^[a-z][a-z0-9+.-]+:\/\//i.test(location) ? location : resolve(location);
}

/** The token of a monitor's URL is in its path. Shorter parts would mask unrelated text. */
function secretsIn({ href, pathname, search }: URL): string[] {
  return [href, pathname + search, pathname, search].filter((part) => part.length >= 8);
}

function outcomeOf(exitCode: number): RunOutcome {
  if (exitCode === EXIT.complete) return 'complete';
  if (exitCode === EXIT.gaps) return 'gaps';
  return exitCode === 130 || exitCode === 143 ? 'interrupted' : 'failed';
}

/** Replaces the metrics file atomically: a collector can read it at any time. */

/** The start of every metrics file that jobvault has written. */
const OURS = '# HELP jobvault_';

/**
 * Checks before the run.
 *
 * @throws {UsageError} the directory is missing or not writable, or another file would be replaced
 */
async function checkMetricsFile(file: string): Promise<void> {
  await previousIn(file);
  try {
    await access(dirname(file), constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new UsageError(
      `--metrics-file ${file} cannot be written (${codeOf(error) ?? messageOf(error)}); ${allowedFor(codeOf(error), dirname(file))}`,
      { cause: error },
    );
  }
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

/** @throws {UsageError} jobvault has not written the file */
async function previousIn(file: string): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined || text.trim() === '' || text.startsWith(OURS)) return text;
  throw new UsageError(
    `--metrics-file ${file} exists and is not a metrics file; allowed is a new file, or one that jobvault has written`,
  );
}

const FORGOTTEN =
  'the metrics of a place that the configuration does not name any more were removed from the metrics file: no run of it has ended for a week';

/**
 * @param isOfConfig whether the configuration file names the archive
 * @returns places whose metrics were removed, because it does not name them any more
 * @throws {UsageError} another file would be replaced @throws errors of the file system
 */
async function writeMetricsFile(
  file: string,
  report: RunReport,
  isOfConfig: boolean,
): Promise<readonly string[]> {
  const before = await previousIn(file);
  const { text: previous, forgotten } =
    before !== undefined && isOfConfig
      ? withoutForgotten(before, report, systemClock.now() / 1000)
      : { text: before, forgotten: [] };
  const text = await metricsText(report, previous);
  // collectors read only *.prom
  const partial = join(dirname(file), `.${basename(file)}.${process.pid}.tmp`);
  try {
    await writeFile(partial, text);
    await chmod(partial, 0o644); // whatever the umask is: the collector is another user, and there is no secret in it
    await rename(partial, file);
    return forgotten;
  } finally {
    await rm(partial, { force: true });
  }
}
