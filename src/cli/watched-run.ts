/** One invocation of a command as outsiders follow it: ping, webhook, metrics file and traces. Never changes its exit code. */
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { messageOf } from '../base/error.js';
import type { Logger } from '../base/logger.js';
import { proxyFromEnvironment } from '../base/http/proxy.js';
import { systemRandom } from '../base/random.js';
import { redactText } from '../base/redact.js';
import { systemClock } from '../base/system-clock.js';
import { ulid } from '../base/ulid.js';
import { VERSION } from '../base/version.js';
import { resolveSettings, type SettingSources, type ValuesOf } from '../config/resolve-settings.js';
import type { Setting } from '../config/setting.js';
import { exportSettings } from '../config/settings.js';
import { telemetrySettings } from '../config/telemetry-settings.js';
import { Notices } from '../telemetry/notices.js';
import type { RunCounts, RunOutcome } from '../telemetry/run-report.js';
import { wordsOf, type Command } from './command.js';
import { EXIT } from './exit-code.js';
import { errorSentence } from './output/error-sentence.js';
import { checkMetricsFile, writeMetricsFile } from './output/metrics-file.js';

type Wishes = Partial<ValuesOf<typeof telemetrySettings>>;

export interface RunEnd {
  readonly exitCode: number;
  readonly error: unknown;
  readonly logger: Logger;
}

export class WatchedRun {
  readonly runId = ulid(systemClock, systemRandom);
  readonly isWatched: boolean;
  readonly #startedAtMs = systemClock.now();
  readonly #startedAt = systemClock.monotonic();
  readonly #notices: Notices;
  readonly #wishes: Wishes;
  readonly #archive: string | null;
  #counts: RunCounts = {};
  #error: unknown;

  /**
   * @param sources what can be had of them: a run that ends before it begins is told of all the same
   * @param secrets the addresses are added
   */
  constructor(
    readonly command: Command,
    readonly sources: SettingSources,
    readonly secrets: string[],
  ) {
    const isWatched =
      'pingUrl' in command.settings &&
      command.isRehearsal?.(whatCanBeRead(command.settings, sources)) !== true;
    this.isWatched = isWatched;
    this.#wishes = isWatched ? whatCanBeRead(telemetrySettings, sources) : {};
    const proxy = proxyFromEnvironment(sources.environment);
    this.#notices = new Notices({ ...this.#wishes, proxy });
    const { archive } = sources.flags;
    this.#archive = fullLocation(
      typeof archive === 'string'
        ? archive
        : whatCanBeRead({ out: exportSettings.out }, sources).out,
    );
    for (const address of [this.#wishes.pingUrl, this.#wishes.webhookUrl]) {
      if (address) secrets.push(...secretsIn(address));
    }
  }

  /** @throws {UsageError} the metrics file cannot be written */
  async begin(logger: Logger): Promise<void> {
    const { metricsFile } = this.#wishes;
    if (metricsFile !== undefined) await checkMetricsFile(metricsFile);
    this.#notices.begun(logger);
  }

  /** What the command has done, and what ended it before its time. */
  readonly tell = (counts: RunCounts, error?: unknown): void => {
    this.#counts = counts;
    this.#error = error;
  };

  /** What the command said had ended it before its time. */
  get toldError(): unknown {
    return this.#error;
  }

  /** Resolves within seconds, whatever happens. */
  async end({ exitCode, error = this.#error, logger }: RunEnd): Promise<void> {
    if (!this.isWatched) return;
    const report = {
      command: wordsOf(this.command).join(' '),
      archive: this.#archive,
      run: this.runId,
      host: hostname(),
      outcome: outcomeOf(exitCode),
      exitCode,
      counts: this.#counts,
      version: VERSION,
      error: error === undefined ? null : redactText(errorSentence(error), this.secrets),
      startedAtMs: this.#startedAtMs,
      durationMs: Math.round(systemClock.monotonic() - this.#startedAt),
    };
    const { metricsFile } = this.#wishes;
    if (metricsFile !== undefined) {
      try {
        await writeMetricsFile(metricsFile, report);
      } catch (failure) {
        const reason = messageOf(failure);
        logger.error({ file: metricsFile, reason }, 'the metrics file could not be written');
      }
    }
    await this.#notices.ended(report, logger);
  }
}

/** Each by itself: one that makes no sense hides no other. */
export function whatCanBeRead<Group extends Readonly<Record<string, Setting>>>(
  group: Group,
  sources: SettingSources,
): Partial<ValuesOf<Group>> {
  const read = Object.entries(group).map(([key, setting]) => {
    try {
      return resolveSettings({ [key]: setting }, sources);
    } catch {
      return {}; // whoever runs the command is told, by the same check
    }
  });
  return Object.assign({}, ...read) as Partial<ValuesOf<Group>>;
}

/** So that no two archives have the same name. */
function fullLocation(location: string | undefined): string | null {
  if (location === undefined) return null;
  return /^[a-z][a-z0-9+.-]+:\/\//i.test(location) ? location : resolve(location);
}

/** The token of such an address is in its path. Very short ones would blank out half of the log. */
function secretsIn({ href, pathname, search }: URL): string[] {
  return [href, pathname + search, pathname, search].filter((part) => part.length >= 8);
}

function outcomeOf(exitCode: number): RunOutcome {
  if (exitCode === EXIT.complete) return 'complete';
  if (exitCode === EXIT.gaps) return 'gaps';
  return exitCode === 130 || exitCode === 143 ? 'interrupted' : 'failed';
}
