/** Runs one command: resolves its settings, makes its log, and reports the run to monitors. */
import type { Logger } from '../base/logger.js';
import type { CommandPlace } from '../base/next-step.js';
import { readEnvironmentFile } from '../config/environment-file.js';
import { checkKeys, resolveSettings, type SettingSources } from '../config/resolve-settings.js';
import { commonSettings } from '../config/common-settings.js';
import {
  wordsOf,
  type CliContext,
  type Command,
  type CommandResult,
  type Flags,
  type Invocation,
  type LateEnd,
} from './command.js';
import { placeOf } from './command-place.js';
import { secretsOfEnvironment } from './environment-secrets.js';
import { EXIT } from './exit-code.js';
import { foundConfigSentence } from './found-config.js';
import { withGuardedHead } from './guarded-head.js';
import { withArchiveOfSettings } from './input/archive-of-settings.js';
import { wordOf } from './parser/normalize-argv.js';
import { MonitoredRun } from './monitors/monitored-run.js';
import { createCliLogger } from './output/cli-logger.js';
import { logStack, printError, printWarning, type ErrorOutput } from './output/print-error.js';
import { printResult } from './output/print-result.js';
import { Printer } from './output/send.js';
import { paintOf, terminalWidth, type Terminal } from './output/terminal.js';
import { viewText } from './output/view.js';
import { exitCodeAfter, printFailure } from './print-failure.js';
import { formatIn, noteSecrets, wantsJson, withFile } from './unchecked-settings.js';
import { unknownVariables } from './unknown-variables.js';

/** What only reads has nothing to save. */
const READING = { ms: 1500, onInt: true, graceMs: 400 };
/** Kubernetes kills after 30 s. What is not saved by then is as after a crash: the next run does it. */
const WRITING = { ms: 25_000, onInt: false, graceMs: 3000 };

/** Resolves with the exit code. Never throws: it prints every failure. */
export async function invoke(command: Command, flags: Flags, context: CliContext): Promise<number> {
  return new Invoking(command, flags, context).run();
}

/** What came of a command. */
interface Outcome {
  readonly result: CommandResult;
  /** For people. */
  readonly answer: string;
  /** Undefined where nothing was thrown. */
  readonly error: unknown;
}

class Invoking {
  readonly #command: Command;
  readonly #context: CliContext;
  readonly #printer: Printer;
  /** With the file, once it is read. */
  #sources: SettingSources;
  #logger: Logger | undefined;
  #run: MonitoredRun | undefined;
  #lateEnd: (() => LateEnd) | undefined;

  constructor(command: Command, flags: Flags, context: CliContext) {
    const { terminal } = context;
    this.#command = command;
    this.#context = context;
    this.#printer = new Printer(terminal);
    this.#sources = { flags, environment: terminal.environment, file: undefined };
  }

  async run(): Promise<number> {
    const { environment, interruption } = this.#context.terminal;
    let result: CommandResult = {};
    let answer = '';
    let error: unknown;
    try {
      await this.#warnOfVariables(environment);
      await this.#readSources();
      result = await this.#runCommand();
      answer = this.#answerOf(result);
      if (interruption.crash) throw interruption.crash.error;
    } catch (thrown) {
      // what fails after a crash is only a consequence of it
      error = interruption.crash ? interruption.crash.error : thrown;
    }
    return this.#end({ result, answer, error });
  }

  async #readSources(): Promise<void> {
    const command = this.#command;
    const { secrets, terminal } = this.#context;
    if (!command.ignoresConfigFile) {
      this.#sources = await withFile(this.#sources);
      const added = await addVariablesOf(this.#sources.file, terminal);
      secrets.push(...secretsOfEnvironment(added));
      await this.#warnOfVariables(added);
    }
    noteSecrets(command, this.#sources, secrets);
    this.#sources = { ...this.#sources, flags: withArchiveOfSettings(command, this.#sources) };
  }

  async #runCommand(): Promise<CommandResult> {
    const command = this.#command;
    const { terminal, secrets, tree } = this.#context;
    const sources = this.#sources;
    const run = new MonitoredRun(command, sources, secrets);
    this.#run = run;
    if (sources.file) {
      const { ALL_SETTING_NAMES } = await import('../config/all-settings.js');
      checkKeys(sources.file, ALL_SETTING_NAMES);
    }
    const settings = resolveSettings({ ...command.settings, ...commonSettings }, sources);
    const { logLevel: level, logFormat: format } = settings;
    const logger = await createCliLogger(terminal, { level, format, secrets });
    this.#logger = logger;
    this.#warnOfFound();
    await run.begin(logger);
    const onlyReads = command.onlyReads?.(settings) === true;
    this.#endInTime(onlyReads ? READING : WRITING, run, logger);
    if (onlyReads) terminal.interruption.signal.throwIfAborted();
    const invocation: Invocation = {
      settings,
      ...wordsGiven(command, sources.flags),
      terminal,
      tree,
      logger,
      secrets,
      sources,
      runId: run.runId,
      tookMs: () => run.tookMs(),
      reportError: (reason) => this.#reportError(reason),
      onLateEnd: (tell) => {
        this.#lateEnd = tell;
      },
      print: this.#printer.print,
    };
    return withGuardedHead(command, invocation, () => command.run(invocation));
  }

  /** Where the process has to end before the command, the log and the monitors are told what is saved. */
  #endInTime(limit: typeof READING, run: MonitoredRun, logger: Logger): void {
    const { interruption } = this.#context.terminal;
    interruption.endWithin?.({
      ...limit,
      report: async () => {
        const sentence = `ended ${limit.ms / 1000} s after the signal, with work left`;
        const { summary, counts = {} } = this.#lateEnd?.() ?? {};
        printWarning(`${sentence}${summary === undefined ? '' : `: ${summary}`}`, this.#output);
        const exitCode = interruption.exitCode ?? EXIT.unexpected;
        const error: unknown = interruption.signal.reason;
        await run.end({ exitCode, error, counts, logger });
      },
    });
  }

  #answerOf(result: CommandResult): string {
    if (wantsJson(this.#sources)) return '';
    return textOf(result, placeOf(this.#sources), this.#context.terminal);
  }

  async #end({ result, answer, error }: Outcome): Promise<number> {
    const command = this.#command;
    const { terminal } = this.#context;
    const isJson = wantsJson(this.#sources) && command.ownsStdout !== true;
    const exitCode =
      error === undefined ? (result.exitCode ?? EXIT.complete) : exitCodeAfter(error, terminal);
    const { hasPrinted } = this.#printer;
    const place = placeOf(this.#sources);
    printResult(
      { result, answer, exitCode, error, isJson, hasPrinted },
      { ...this.#context, place },
    );
    result.log?.(place);
    for (const reason of result.errors ?? []) this.#reportError(reason);
    const [run, logger] = [this.#run, this.#logger];
    if (error !== undefined) {
      if (logger) logStack(error, logger);
      printFailure(error, this.#output, command);
    }
    const { counts = {}, errors = [] } = result;
    // what a person reads as its reason, monitors are told, too
    const { exitCode: code, signal } = terminal.interruption;
    const interruption: unknown = code === undefined ? undefined : signal.reason;
    const reason = error ?? errors[0] ?? interruption;
    if (run && logger) await run.end({ exitCode, error: reason, counts, logger });
    return exitCode;
  }

  get #output(): ErrorOutput {
    const { terminal, secrets } = this.#context;
    const sources = this.#sources;
    return { terminal, secrets, format: formatIn(sources), place: placeOf(sources) };
  }

  #reportError(reason: unknown): void {
    if (this.#logger) logStack(reason, this.#logger);
    printError(reason, this.#output);
  }

  async #warnOfVariables(environment: Terminal['environment']): Promise<void> {
    for (const sentence of await unknownVariables(environment)) {
      printWarning(sentence, this.#output);
    }
  }

  /** Only flags and variables decide how this is logged: a file that was found must not silence it. */
  #warnOfFound(): void {
    if (wordsOf(this.#command)[0] === 'config') return; // it sends nothing
    const sources = this.#sources;
    const ofNoFile = { ...sources, file: undefined };
    const { logLevel, logFormat } = resolveSettings(commonSettings, ofNoFile);
    if (logLevel === 'error' || logLevel === 'silent') return;
    const { terminal, secrets } = this.#context;
    const sentence = foundConfigSentence(this.#command.settings, sources);
    if (sentence !== undefined) printWarning(sentence, { terminal, secrets, format: logFormat });
  }
}

function textOf({ view = {} }: CommandResult, place: CommandPlace, terminal: Terminal): string {
  const width = terminalWidth(terminal.stdout);
  return viewText(view, { place, width, paint: paintOf(terminal) });
}

/** Adds the variables of the file beside the configuration. One that the process has counts before it, also an empty one. */
async function addVariablesOf(
  file: SettingSources['file'],
  { environment }: Terminal,
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
  const given = Object.keys(command.positionals).map((name) => {
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
