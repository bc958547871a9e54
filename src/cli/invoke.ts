/** Runs one command: settings from all their sources, a log, and whoever watches from outside. */
import { messageOf } from '../base/error.js';
import type { Logger } from '../base/logger.js';
import { silentTracer } from '../base/tracer.js';
import { UsageError } from '../base/usage-error.js';
import { ALL_SETTING_NAMES } from '../config/all-settings.js';
import { readConfigFile } from '../config/config-file.js';
import { checkKeys, resolveSettings } from '../config/resolve-settings.js';
import type { SettingSources } from '../config/resolve-settings.js';
import { commonSettings } from '../config/settings.js';
import type { Tracing } from '../telemetry/send-traces.js';
import { openTracing } from '../telemetry/tracing.js';
import { createCliLogger, type LoggerSettings } from './output/cli-logger.js';
import { wordsOf, type Command, type CommandTree } from './command.js';
import { exitCodeOfError } from './exit-code.js';
import { FailureLine } from './output/failure-line.js';
import { foundConfigSentence } from './found-config.js';
import { flagWords } from './input/flag-words.js';
import { logStack, tellError, tellWarning, type Voice } from './output/tell-error.js';
import type { Terminal } from './terminal.js';
import { unknownVariables } from './input/unknown-variables.js';
import { WatchedRun, whatCanBeRead } from './watched-run.js';

export type Flags = Readonly<Record<string, unknown>>;

export interface Outside {
  readonly terminal: Terminal;
  readonly tree: CommandTree;
  /** What must never be printed; commands add to it. */
  readonly secrets: string[];
}

/** Resolves with the exit code; whatever goes wrong is told. */
export async function invoke(command: Command, flags: Flags, outside: Outside): Promise<number> {
  const { secrets, tree } = outside;
  const { environment, interruption } = outside.terminal;
  let sources: SettingSources = { flags, environment, file: undefined };
  const line = new FailureLine(
    outside.terminal,
    () => wantsJson(sources) && command.printsAtOnce !== true,
  );
  const { terminal } = line;
  const voice = () => ({ terminal, secrets, format: formatIn(sources) });
  let tracing: Tracing | undefined;
  let logger = createCliLogger(terminal, { level: 'info', format: formatIn(sources), secrets });
  let run: WatchedRun | undefined;
  let error: unknown;
  let complained: unknown;
  let exitCode: number;
  for (const sentence of unknownVariables(environment)) tellWarning(sentence, voice());
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
    const complain = (reason: unknown): void => {
      complained ??= reason;
      logStack(reason, logger);
      tellError(reason, voice());
    };
    exitCode = await command.run({
      settings,
      positionals: positionalsOf(command, flags),
      terminal,
      tree,
      logger,
      secrets,
      sources,
      runId,
      tell,
      complain,
      tracer: tracing?.tracer ?? silentTracer,
    });
    if (interruption.crash) throw interruption.crash.error;
  } catch (thrown) {
    // what else fails after a crash is no more than what follows from it
    error = interruption.crash ? interruption.crash.error : thrown;
    logStack(error, logger);
    exitCode = tellFailure(error, voice(), command);
  }
  const reason = error ?? run?.toldError ?? complained;
  line.tell({ exitCode, error: reason, secrets }, wantsJson(sources));
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
  const flags = flagWords(
    terminal.arguments,
    Object.values({ ...command?.settings, ...commonSettings }),
  );
  const sources = { flags, environment: terminal.environment, file: undefined };
  const known = command?.ignoresConfigFile ? sources : await withFile(sources).catch(() => sources);
  const format = formatIn(known);
  const logger = createCliLogger(terminal, { level: 'info', format, secrets });
  const exitCode = tellFailure(error, { terminal, secrets, format }, command, family);
  new FailureLine(terminal, () => false).tell({ exitCode, error, secrets }, wantsJson(known));
  if (!command || !('pingUrl' in command.settings)) return exitCode;
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

/** Also where other settings make no sense. */
function wantsJson(sources: SettingSources): boolean {
  return whatCanBeRead({ json: commonSettings.json }, sources).json ?? false;
}

/** Likewise. */
function formatIn(sources: SettingSources): LoggerSettings['format'] {
  return whatCanBeRead({ logFormat: commonSettings.logFormat }, sources).logFormat;
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
  voice: Voice,
  command: Command | undefined,
  family: readonly string[] = [],
): number {
  const { signal, crash, exitCode } = voice.terminal.interruption;
  if (exitCode !== undefined && !crash) {
    tellWarning(messageOf(signal.reason), voice);
    return exitCode;
  }
  const words = ['jobvault', ...(command ? wordsOf(command) : family)];
  tellError(error, voice, error instanceof UsageError ? words.join(' ') : undefined);
  return exitCodeOfError(error);
}
