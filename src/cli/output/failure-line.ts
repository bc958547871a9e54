/** Prints the one line of `--json`; after a failure it also has `exit_code`, `error` and `next`. */
import { messageOf, JobvaultError } from '../../base/error.js';
import { parseJson } from '../../base/text/parse-json.js';
import { redactText } from '../../base/text/redact.js';
import { EXIT } from '../exit-code.js';
import { withWrite, type Terminal, terminalWidth } from './terminal.js';
import { jsonLine } from '../json-line.js';
import {
  errorSentence,
  isUnexpected,
  AFTER_DAMAGE,
  AFTER_GAPS,
  AFTER_REFUSAL,
  AFTER_REPAIR,
  ARCHIVE_IS_BEHIND,
  nextStep,
} from './next-step.js';
import type { Logger } from '../../base/logger.js';
import { createCliLogger, formatFor, type LoggerSettings } from './cli-logger.js';
import { folded } from './folded.js';

export interface End {
  readonly exitCode: number;
  /** Undefined where nothing was thrown. */
  readonly error: unknown;
  readonly secrets: readonly string[];
}

/** The error sentence of an exit code where nothing was thrown. */
const MEANINGS: ReadonlyMap<number, string> = new Map([
  [EXIT.unexpected, 'the command failed'],
  [EXIT.usage, 'the settings are not valid'],
  [EXIT.gaps, 'something is missing'],
  [EXIT.integrity, 'the archive is damaged'],
  [EXIT.unreachable, 'the service or a file host could not be reached'],
  [EXIT.authentication, 'the service refused the API key or the users'],
  [EXIT.refused, 'a deletion was refused'],
  [EXIT.locked, 'another run holds the lock'],
  [EXIT.storage, 'the storage failed'],
]);

/** Holds a command's line of JSON back until the exit code is known. Passes on longer output at once. */
export class FailureLine {
  /** The given terminal with an intercepted stdout. */
  readonly terminal: Terminal;
  readonly #outer: Terminal;
  #held: string | undefined;
  #hasPrinted = false;

  /** @param holds whether stdout is one line of JSON that can wait until the command ends */
  constructor(terminal: Terminal, holds: () => boolean) {
    this.#outer = terminal;
    const stdout = withWrite(terminal.stdout, (data) => {
      if (!this.#hasPrinted && typeof data === 'string' && isLine(data) && holds()) {
        this.#hasPrinted = true;
        this.#held = data;
        return true;
      }
      this.#release();
      this.#hasPrinted = true;
      return terminal.stdout.write(data);
    });
    this.terminal = { ...terminal, stdout };
  }

  /** Prints the held line, after a failure as `{"status":"failed","exit_code":2,"error":"…","next":"…"}`. */
  print(end: End, wantsJson: boolean): void {
    const held = this.#held;
    if (end.exitCode === EXIT.complete || !wantsJson || (this.#hasPrinted && held === undefined)) {
      this.#release();
      return;
    }
    this.#held = undefined;
    const { exitCode, error, secrets } = end;
    const isInterrupted = exitCode === 130 || exitCode === 143;
    const summary: HeldSummary =
      held === undefined
        ? { status: isInterrupted ? 'interrupted' : 'failed' }
        : (parseJson(held) as HeldSummary);
    const next = nextStep(error) ?? nextAfter(exitCode, summary);
    const line = {
      ...summary,
      exit_code: exitCode,
      error: redactText(
        isInterrupted ? this.#interruption() : sentenceOf(exitCode, error),
        secrets,
      ),
      ...(next === undefined || isInterrupted ? {} : { next }),
    };
    this.#outer.stdout.write(jsonLine(line));
  }

  #interruption(): string {
    return messageOf(this.#outer.interruption.signal.reason);
  }

  #release(): void {
    if (this.#held !== undefined) this.#outer.stdout.write(this.#held);
    this.#held = undefined;
  }
}

/** What the summaries say about gaps and damage: each command has some of these keys. */
interface HeldSummary {
  readonly status?: unknown;
  readonly gaps?: unknown;
  readonly users?: { readonly gaps?: unknown } | null;
  readonly repair?: unknown;
  readonly service?: unknown;
}

/** Where nothing was thrown. */
function nextAfter(exitCode: number, summary: HeldSummary): string | undefined {
  const { status, repair, service } = summary;
  if (exitCode === EXIT.gaps && hasGaps(summary)) return AFTER_GAPS;
  if (exitCode === EXIT.gaps && service !== undefined) return ARCHIVE_IS_BEHIND;
  if (exitCode === EXIT.integrity && status === 'damaged') {
    return repair === undefined ? AFTER_DAMAGE : AFTER_REPAIR;
  }
  return exitCode === EXIT.refused && status === 'refused' ? AFTER_REFUSAL : undefined;
}

function hasGaps({ status, gaps, users }: HeldSummary): boolean {
  return status === 'gaps' || isSome(gaps) || isSome(users?.gaps);
}

function isSome(count: unknown): boolean {
  return typeof count === 'number' && count > 0;
}

function sentenceOf(exitCode: number, error: unknown): string {
  if (error !== undefined) return errorSentence(error);
  return MEANINGS.get(exitCode) ?? 'the command failed';
}

function isLine(text: string): boolean {
  return text.startsWith('{') && text.indexOf('\n') === text.length - 1;
}

/** Prints errors and warnings on stderr: one sentence in the format of the log, without stack and secrets. */

export interface ErrorOutput {
  readonly terminal: Terminal;
  /** The format of the log; undefined where it was not chosen. */
  readonly format: LoggerSettings['format'];
  readonly secrets: readonly string[];
}

/** @param help the command whose help to suggest: `jobvault export` */
export function printError(error: unknown, errorOutput: ErrorOutput, help?: string): void {
  const code = error instanceof JobvaultError ? { code: error.code } : {};
  const sentence = errorSentence(error);
  if (help !== undefined) {
    tell('error', sentence, errorOutput, { ...code, help }, `Try ${help} --help.`);
    return;
  }
  const next = nextStep(error);
  if (next === undefined) tell('error', sentence, errorOutput, code);
  else tell('error', sentence, errorOutput, { ...code, next }, `Next: ${next}`);
}

/** Printed at every log level. */
export function printWarning(sentence: string, errorOutput: ErrorOutput): void {
  tell('warn', sentence, errorOutput, {});
}

/** Logs the stack of a bug at level debug. */
export function logStack(error: unknown, logger: Logger): void {
  if (isUnexpected(error)) logger.debug({ stack: error.stack }, 'where the error came from');
}

function tell(
  level: 'warn' | 'error',
  sentence: string,
  { terminal, format, secrets }: ErrorOutput,
  fields: { readonly code?: string; readonly help?: string; readonly next?: string },
  advice?: string,
): void {
  if (formatFor(terminal, format) === 'json') {
    createCliLogger(terminal, { level, format: 'json', secrets })[level](fields, sentence);
    return;
  }
  const step = advice === undefined ? '' : `${advice}\n`;
  const text = `jobvault: ${redactText(sentence, secrets)}\n${step}`;
  terminal.stderr.write(folded(text, terminalWidth(terminal.stderr)));
}
