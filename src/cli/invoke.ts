/** Runs one command: resolves its settings, makes its log, and reports the run to monitors. */
import { messageOf, UsageError } from '../base/error.js';
import type { Logger } from '../base/logger.js';
import { ALL_SETTING_NAMES } from '../config/all-settings.js';
import {
  checkKeys,
  resolveSettings,
  valueInEffect,
  type SettingSources,
} from '../config/resolve-settings.js';
import { readConfigFile } from '../config/config-file.js';
import { readEnvironmentFile } from '../config/environment-file.js';
import { secretsOfEnvironment } from './environment-secrets.js';
import { secretsOf } from '../config/masked-setting.js';
import { commonSettings } from '../config/settings.js';
import { createCliLogger, type LoggerSettings } from './output/cli-logger.js';
import {
  wordsOf,
  type Command,
  type CommandResult,
  type CommandTree,
  type LateEnd,
  type Invocation,
} from './command.js';
import { EXIT, exitCodeOfError } from './exit-code.js';
import { printResult } from './output/print-result.js';
import { logStack, printError, printWarning, type ErrorOutput } from './output/print-error.js';
import { Printer } from './output/send.js';
import type { CommandPlace } from '../base/next-step.js';
import { placeOf } from './command-place.js';
import { viewText } from './output/view.js';
import { withArchiveOfSettings } from './input/archive-of-settings.js';
import { wordOf } from './input/normalize-argv.js';
import { paintOf, terminalWidth, type Interruption, type Terminal } from './output/terminal.js';
import { MonitoredRun, validSettings } from './monitored-run.js';
import { withGuardedHead } from './guarded-head.js';
import { foundConfigSentence } from './found-config.js';
import { unknownVariables } from './unknown-variables.js';
import { flagWords } from './flag-words.js';

/** What only reads has nothing to save. */
const READING = { ms: 1500, onInt: true, graceMs: 400 };
/** Kubernetes kills after 30 s. What is not saved by then is as after a crash: the next run does it. */
const WRITING = { ms: 25_000, onInt: false, graceMs: 3000 };

export type Flags = Readonly<Record<string, unknown>>;

export interface CliContext {
  readonly terminal: Terminal;
  readonly tree: CommandTree;
  /** What must never be printed; commands add to it. */
  readonly secrets: string[];
}

/** Resolves with the exit code. Never throws: it prints every failure. */
export async function invoke(command: Command, flags: Flags, context: CliContext): Promise<number> {
  const { secrets, tree, terminal } = context;
  const { environment, interruption } = terminal;
  let sources: SettingSources = { flags, environment, file: undefined };
  const printer = new Printer(terminal);
  const errorOutput = () => ({
    terminal,
    secrets,
    format: formatIn(sources),
    place: placeOf(sources),
  });
  let logger: Logger | undefined;
  let run: MonitoredRun | undefined;
  let result: CommandResult = {};
  /** For people. */
  let answer = '';
  let error: unknown;
  let lateEnd: (() => LateEnd) | undefined;
  for (const sentence of unknownVariables(environment)) printWarning(sentence, errorOutput());
  const reportError = (reason: unknown): void => {
    if (logger) logStack(reason, logger);
    printError(reason, errorOutput());
  };
  try {
    if (!command.ignoresConfigFile) {
      sources = await withFile(sources);
      const added = await addVariablesOf(sources.file, terminal);
      secrets.push(...secretsOfEnvironment(added));
      for (const sentence of unknownVariables(added)) printWarning(sentence, errorOutput());
    }
    noteSecrets(command, sources, secrets);
    sources = { ...sources, flags: withArchiveOfSettings(command, sources) };
    run = new MonitoredRun(command, sources, secrets);
    if (sources.file) checkKeys(sources.file, ALL_SETTING_NAMES);
    const settings = resolveSettings({ ...command.settings, ...commonSettings }, sources);
    const { logLevel: level, logFormat: format } = settings;
    logger = await createCliLogger(terminal, { level, format, secrets });
    warnOfFound(command, sources, { terminal, secrets });
    await run.begin(logger);
    const onlyReads = command.onlyReads?.(settings) === true;
    const limit = onlyReads ? READING : WRITING;
    const ending = { run, logger };
    interruption.endWithin?.({
      ...limit,
      report: async () => {
        const sentence = `ended ${limit.ms / 1000} s after the signal, with work left`;
        const { summary, counts = {} } = lateEnd?.() ?? {};
        printWarning(`${sentence}${summary === undefined ? '' : `: ${summary}`}`, errorOutput());
        const exitCode = interruption.exitCode ?? EXIT.unexpected;
        const error: unknown = interruption.signal.reason;
        await ending.run.end({ exitCode, error, counts, logger: ending.logger });
      },
    });
    if (onlyReads) interruption.signal.throwIfAborted();
    const invocation: Invocation = {
      settings,
      ...wordsGiven(command, sources.flags),
      terminal,
      tree,
      logger,
      secrets,
      sources,
      runId: run.runId,
      reportError,
      onLateEnd: (tell) => {
        lateEnd = tell;
      },
      print: printer.print,
    };
    result = await withGuardedHead(command, invocation, () => command.run(invocation));
    if (!wantsJson(sources)) answer = textOf(result, placeOf(sources), terminal);
    if (interruption.crash) throw interruption.crash.error;
  } catch (thrown) {
    // what fails after a crash is only a consequence of it
    error = interruption.crash ? interruption.crash.error : thrown;
  }
  const isJson = wantsJson(sources) && command.ownsStdout !== true;
  const exitCode =
    error === undefined ? (result.exitCode ?? EXIT.complete) : exitCodeAfter(error, terminal);
  const ending = { result, answer, exitCode, error, isJson, hasPrinted: printer.hasPrinted };
  const place = placeOf(sources);
  printResult(ending, { ...context, place });
  result.log?.(place);
  for (const reason of result.errors ?? []) reportError(reason);
  if (error !== undefined) {
    if (logger) logStack(error, logger);
    printFailure(error, errorOutput(), command);
  }
  const { counts = {}, errors = [] } = result;
  if (run && logger) await run.end({ exitCode, error: error ?? errors[0], counts, logger });
  return exitCode;
}

function textOf({ view = {} }: CommandResult, place: CommandPlace, terminal: Terminal): string {
  const width = terminalWidth(terminal.stdout);
  return viewText(view, { place, width, paint: paintOf(terminal) });
}

/** Refuses a wrong command line. Nobody but its caller is told. */
export async function refuse(
  error: unknown,
  context: CliContext,
  command: Command | undefined,
  family: readonly string[],
): Promise<number> {
  const { terminal, secrets } = context;
  const flags = flagWords(
    terminal.arguments,
    Object.values({ ...command?.settings, ...commonSettings }),
  );
  const sources = { flags, environment: terminal.environment, file: undefined };
  const known = command?.ignoresConfigFile ? sources : await withFile(sources).catch(() => sources);
  if (command) noteSecrets(command, known, secrets);
  const format = formatIn(known);
  const exitCode = exitCodeAfter(error, terminal);
  const isJson = wantsJson(known);
  const place = placeOf(known);
  printResult(
    { result: {}, answer: '', exitCode, error, isJson, hasPrinted: false },
    { ...context, place },
  );
  printFailure(error, { terminal, secrets, format, place }, command, family);
  return exitCode;
}

/** Before the settings are checked: what is not allowed may be a secret, too. */
function noteSecrets({ settings }: Command, sources: SettingSources, secrets: string[]): void {
  for (const setting of Object.values(settings)) {
    secrets.push(...secretsOf(setting, valueInEffect(setting, sources)?.value));
  }
}

/** Only flags and variables decide how this is logged: a file that was found must not silence it. */
function warnOfFound(
  command: Command,
  sources: SettingSources,
  errorOutput: Omit<ErrorOutput, 'format' | 'place'>,
): void {
  if (wordsOf(command)[0] === 'config') return; // it sends nothing
  const { logLevel, logFormat } = resolveSettings(commonSettings, { ...sources, file: undefined });
  if (logLevel === 'error' || logLevel === 'silent') return;
  const sentence = foundConfigSentence(command.settings, sources);
  if (sentence !== undefined) printWarning(sentence, { ...errorOutput, format: logFormat });
}

/** Whether the output is JSON, also where other settings are not valid. */
function wantsJson(sources: SettingSources): boolean {
  return validSettings({ json: commonSettings.json }, sources).json ?? false;
}

/** The format of the log, as far as flags and variables say it. */
function formatIn(sources: SettingSources): LoggerSettings['format'] {
  return validSettings({ logFormat: commonSettings.logFormat }, sources).logFormat;
}

async function withFile(sources: SettingSources): Promise<SettingSources> {
  const { config } = resolveSettings({ config: commonSettings.config }, sources);
  return { ...sources, file: await readConfigFile(config) };
}

/** Adds the variables of the file beside the configuration. One that the process has counts before it, also an empty one. */
async function addVariablesOf(
  file: SettingSources['file'],
  { environment }: Pick<Terminal, 'environment'>,
): Promise<Readonly<Record<string, string>>> {
  if (!file) return {};
  const inFile = Object.entries(await readEnvironmentFile(file));
  const added = Object.fromEntries(inFile.filter(([name]) => environment[name] === undefined));
  Object.assign(environment, added);
  return added;
}

function wordsGiven(
  command: Command,
  flags: Flags,
): Pick<Invocation, 'positionals' | 'furtherWords'> {
  const given = Object.keys(command.positionals ?? {}).map((name) => {
    const words = [flags[name]].flat().filter((word) => typeof word === 'string');
    return [name, words.map(wordOf)] as const;
  });
  return {
    positionals: Object.fromEntries(
      given.flatMap(([name, [first]]) => (first === undefined ? [] : [[name, first]])),
    ),
    furtherWords: given.flatMap(([, [, ...others]]) => others),
  };
}

function exitCodeAfter(error: unknown, { interruption }: Terminal): number {
  return isInterruption(interruption) ? interruption.exitCode : exitCodeOfError(error);
}

function isInterruption(
  interruption: Interruption,
): interruption is Interruption & { readonly exitCode: number } {
  return interruption.exitCode !== undefined && !interruption.crash;
}

function printFailure(
  error: unknown,
  errorOutput: ErrorOutput,
  command: Command | undefined,
  family: readonly string[] = [],
): void {
  const { interruption } = errorOutput.terminal;
  if (isInterruption(interruption)) {
    printWarning(messageOf(interruption.signal.reason), errorOutput);
    return;
  }
  const words = ['jobvault', ...(command ? wordsOf(command) : family)];
  printError(error, errorOutput, error instanceof UsageError ? words.join(' ') : undefined);
}
