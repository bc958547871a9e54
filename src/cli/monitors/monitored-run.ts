/** Reports one invocation to monitors: ping, webhook and metrics file. Never changes the exit code. */
import { hostname } from 'node:os';
import { commandText } from '../../base/next-step.js';
import { failureOf, messageOf } from '../../base/error.js';
import type { Logger } from '../../base/logger.js';
import { proxyFromEnvironment } from '../../base/http/proxy.js';
import { systemClock, systemRandom } from '../../base/runtime.js';
import { redactText } from '../../base/text/redact.js';
import { ulid } from '../../base/ulid.js';
import { VERSION } from '../../base/version.js';
import {
  resolveSettings,
  type SettingSources,
  type ValuesOf,
} from '../../config/resolve-settings.js';
import type { Setting } from '../../config/setting.js';
import { exportSettings } from '../../config/export-settings.js';
import { telemetrySettings } from '../../config/telemetry-settings.js';
import { formatShard } from '../../model/shard.js';
import { Notices } from '../../telemetry/notices.js';
import type { RunCounts, RunOutcome, RunScope } from '../../telemetry/run-report.js';
import { wordsOf, type Command } from '../command.js';
import { archiveOfSetting, configInEffect, fullLocation, placeOf } from '../command-place.js';
import { EXIT } from '../exit-code.js';
import { checkMetricsFolder, writeMetricsFile } from './metrics-file.js';
import { errorSentence } from '../output/error-sentence.js';
import { MAKE_ROOM } from '../output/texts/user-texts.js';

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
  #wishes: MonitorSettings;
  readonly #archive: string | null;
  readonly #scope: RunScope;
  readonly #shard: string | undefined;
  #hasBegun = false;
  #tookMs: number | undefined;

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
    const { shard } =
      'shard' in command.settings ? validSettings({ shard: exportSettings.shard }, sources) : {};
    this.#shard = shard && formatShard(shard);
    const isNight = command.isNightly === true && this.#scope === 'all';
    this.#wishes = isMonitored ? wishesOf(sources, isNight) : {};
    const { archive } = sources.flags;
    const location =
      typeof archive === 'string'
        ? archive
        : validSettings({ out: exportSettings.out }, sources).out;
    this.#archive = location === undefined ? null : fullLocation(location);
    for (const name of ['metricsDir', 'pingUrl'] as const) {
      if (this.#isOfAnother(telemetrySettings[name], sources))
        this.#wishes = { ...this.#wishes, [name]: undefined };
    }
    const proxy = proxyFromEnvironment(sources.environment);
    this.#notices = new Notices({ ...this.#wishes, proxy });
    for (const address of [this.#wishes.pingUrl, this.#wishes.webhookUrl]) {
      if (address) secrets.push(...secretsIn(address));
    }
  }

  /**
   * Whether a monitor is that of another archive. One verify of a copy would raise the alarm, three days later, that there is
   * no other, and one export elsewhere would end the alarm of the night.
   */
  #isOfAnother(monitor: Setting, sources: SettingSources): boolean {
    const archive = archiveOfSetting(monitor, sources);
    return archive !== undefined && this.#archive !== null && archive !== this.#archive;
  }

  /** How long the run has taken, measured when first asked: its summary and all monitors tell one number. */
  tookMs(): number {
    this.#tookMs ??= Math.round(systemClock.monotonic() - this.#startedAt);
    return this.#tookMs;
  }

  /** @throws {UsageError} the metrics cannot be written: the run does not begin */
  async begin(logger: Logger): Promise<void> {
    const { metricsDir } = this.#wishes;
    if (metricsDir !== undefined) await checkMetricsFolder(metricsDir);
    this.#hasBegun = true;
    this.#notices.begun(logger);
  }

  /**
   * Resolves within seconds, whatever happens. A command line that was refused before the run began is told to nobody but
   * its caller, and one that is refused later writes no metrics: a slip by hand must not replace what the night has left.
   * Nor may a prune whose question a person has answered no.
   */
  async end({ exitCode, error, counts, logger }: RunEnd): Promise<void> {
    if (!this.isMonitored || !this.#hasBegun) return;
    const outcome = outcomeOf(exitCode, error);
    // a signal that stops a run is no error of the program
    const words = outcome === 'interrupted' ? messageOf : errorSentence;
    const report = {
      command: wordsOf(this.command).join(' '),
      archive: this.#archive,
      config: configInEffect(this.sources, true) ?? null,
      scope: this.#scope,
      ...(this.#shard !== undefined && { shard: this.#shard }),
      run: this.runId,
      host: hostname(),
      outcome,
      exitCode,
      counts,
      makesRoom: commandText(MAKE_ROOM, placeOf(this.sources, this.#archive ?? undefined)),
      version: VERSION,
      error: error === undefined ? null : redactText(words(error), this.secrets),
      startedAtMs: this.#startedAtMs,
      durationMs: this.tookMs(),
    };
    const { metricsDir } = this.#wishes;
    const isDeclined = counts.declined !== undefined && this.command.isNightly !== true;
    if (metricsDir !== undefined && exitCode !== EXIT.usage && !isDeclined) {
      try {
        await writeMetricsFile(metricsDir, report);
      } catch (failure) {
        const reason = messageOf(failure);
        logger.error({ folder: metricsDir, reason }, 'the metrics could not be written');
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

/** The token of a monitor's URL is in its path. Shorter parts would mask unrelated text. */
function secretsIn({ href, pathname, search }: URL): string[] {
  return [href, pathname + search, pathname, search].filter((part) => part.length >= 8);
}

/** A run that ends because it asks the wrong service has failed, with the exit code of doubt: it counts nothing of the archive. */
function outcomeOf(exitCode: number, error: unknown): RunOutcome {
  if (failureOf(error) === 'doubtful') return 'failed';
  if (exitCode === EXIT.complete) return 'complete';
  if (exitCode === EXIT.gaps) return 'gaps';
  return exitCode === 130 || exitCode === 143 ? 'interrupted' : 'failed';
}
