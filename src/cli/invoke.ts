/** Runs one command: settings from all their sources, a log, and whoever watches from outside. */
import type { Logger } from '../base/logger.js';
import { silentTracer } from '../base/tracer.js';
import { UsageError } from '../base/usage-error.js';
import { ALL_SETTING_NAMES } from '../config/all-settings.js';
import { readConfigFile } from '../config/config-file.js';
import { checkKeys, resolveSettings } from '../config/resolve-settings.js';
import type { SettingSources } from '../config/resolve-settings.js';
import { commonSettings } from '../config/settings.js';
import { openTracing, type Tracing } from '../telemetry/tracing.js';
import { createCliLogger } from './cli-logger.js';
import { wordsOf, type Command } from './command.js';
import { exitCodeOfError } from './exit-code.js';
import { FailureLine } from './failure-line.js';
import { foundConfigSentence } from './found-config.js';
import { flagWords } from './flag-words.js';
import { tellError } from './tell-error.js';
import type { Terminal } from './terminal.js';
import { unknownVariables } from './unknown-variables.js';
import { WatchedRun } from './watched-run.js';

export type Flags = Readonly<Record<string, unknown>>;

export interface Outside {
  readonly terminal: Terminal;
  /** What must never be printed; commands add to it. */
  readonly secrets: string[];
}

/** Resolves with the exit code; whatever goes wrong is told. */
export async function invoke(command: Command, flags: Flags, outside: Outside): Promise<number> {
  const { secrets } = outside;
  const line = new FailureLine(outside.terminal);
  const { terminal } = line;
  const { environment } = terminal;
  let sources: SettingSources = { flags, environment, file: undefined };
  let tracing: Tracing | undefined;
  let logger = createCliLogger(terminal, { level: 'info', format: undefined, secrets });
  let run: WatchedRun | undefined;
  let error: unknown;
  let exitCode: number;
  for (const sentence of unknownVariables(environment)) {
    terminal.stderr.write(`jobvault: ${sentence}\n`);
  }
  try {
    if (!command.ignoresConfigFile) sources = await withFile(sources);
    run = new WatchedRun(command, sources, secrets);
    if (sources.file) checkKeys(sources.file, ALL_SETTING_NAMES);
    const settings = resolveSettings({ ...command.settings, ...commonSettings }, sources);
    const { logLevel: level, logFormat: format } = settings;
    const context = () => tracing?.current() ?? {};
    logger = createCliLogger(terminal, { level, format, secrets, context });
    warnOfFound(command, sources, createCliLogger(terminal, { ...ownLogging(sources), secrets }));
    if (run.isWatched) tracing = await openTracing(environment, logger);
    await run.begin(logger);
    const { runId, tell } = run;
    exitCode = await command.run({
      ...{ settings, positionals: positionalsOf(command, flags), terminal, logger, secrets },
      sources,
      ...{ runId, tell, tracer: tracing?.tracer ?? silentTracer },
    });
  } catch (thrown) {
    error = thrown;
    exitCode = tellFailure(thrown, outside, command);
  }
  line.tell({ exitCode, error, sources, secrets });
  run ??= new WatchedRun(command, sources, secrets);
  await tracing?.close();
  await run.end({ exitCode, error, logger });
  return exitCode;
}

/** A command line that names a command and makes no sense beyond that: a run that ends before it begins. */
export async function refuse(
  error: unknown,
  outside: Outside,
  command: Command | undefined,
  family: readonly string[],
): Promise<number> {
  const { terminal, secrets } = outside;
  const exitCode = tellFailure(error, outside, command, family);
  const flags = flagWords(
    terminal.arguments,
    Object.values({ ...command?.settings, ...commonSettings }),
  );
  const sources = { flags, environment: terminal.environment, file: undefined };
  const known = command?.ignoresConfigFile ? sources : await withFile(sources).catch(() => sources);
  new FailureLine(terminal).tell({ exitCode, error, sources: known, secrets });
  if (!command || !('pingUrl' in command.settings)) return exitCode;
  const logger = createCliLogger(terminal, { level: 'info', format: undefined, secrets });
  await new WatchedRun(command, known, secrets).end({ exitCode, error, logger });
  return exitCode;
}

/** As whoever typed the command wants it: a file that was found must not silence what is said of it. */
function ownLogging(sources: SettingSources) {
  const { logLevel: level, logFormat } = resolveSettings(commonSettings, {
    ...sources,
    file: undefined,
  });
  return { level, format: logFormat };
}

function warnOfFound(command: Command, sources: SettingSources, logger: Logger): void {
  if (wordsOf(command)[0] === 'config') return; // it sends nothing
  const sentence = foundConfigSentence(command.settings, sources);
  if (sentence !== undefined) logger.warn({}, sentence);
}

async function withFile(sources: SettingSources): Promise<SettingSources> {
  const { config } = resolveSettings({ config: commonSettings.config }, sources);
  return { ...sources, file: await readConfigFile(config) };
}

function positionalsOf(command: Command, flags: Flags): Record<string, string> {
  return Object.fromEntries(
    Object.keys(command.positionals ?? {}).flatMap((name) =>
      typeof flags[name] === 'string' ? [[name, flags[name]]] : [],
    ),
  );
}

function tellFailure(
  error: unknown,
  { terminal, secrets }: Outside,
  command: Command | undefined,
  family: readonly string[] = [],
): number {
  const { stderr, interruption } = terminal;
  if (interruption.exitCode !== undefined) return interruption.exitCode;
  tellError(error, stderr, secrets);
  if (error instanceof UsageError) {
    const words = ['jobvault', ...(command ? wordsOf(command) : family)];
    stderr.write(`Try ${words.join(' ')} --help.\n`);
  }
  return exitCodeOfError(error);
}
