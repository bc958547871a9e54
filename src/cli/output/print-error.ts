/** Prints errors and warnings on stderr: one sentence in the format of the log, without stack and secrets. */
import { JobvaultError } from '../../base/error.js';
import type { CommandPlace } from '../../base/next-step.js';
import { redactText } from '../../base/text/redact.js';
import { type Terminal, terminalWidth } from './terminal.js';
import { nextStep } from './next-step.js';
import { errorSentence, isUnexpected } from './error-sentence.js';
import type { Logger } from '../../base/logger.js';
import { formatFor, jsonLogger, type LoggerSettings } from './cli-logger.js';
import { folded } from './folded-text.js';

export interface ErrorOutput {
  readonly terminal: Terminal;
  /** The format of the log; undefined where it was not chosen. */
  readonly format: LoggerSettings['format'];
  readonly secrets: readonly string[];
  /** Completes the commands of what to do next. */
  readonly place: CommandPlace;
}

/** @param help the command whose help to suggest: `jobvault export` */
export function printError(error: unknown, errorOutput: ErrorOutput, help?: string): void {
  const code = error instanceof JobvaultError ? { code: error.code } : {};
  const sentence = errorSentence(error);
  if (help !== undefined) {
    tell('error', sentence, errorOutput, { ...code, help }, `Try ${help} --help.`);
    return;
  }
  const { place } = errorOutput;
  const next = nextStep(error);
  if (next === undefined) tell('error', sentence, errorOutput, code);
  else {
    const told = { ...code, next: next.text(place) };
    tell('error', sentence, errorOutput, told, `Next: ${next.unbroken(place)}`);
  }
}

/** Printed at every log level. */
export function printWarning(sentence: string, errorOutput: Omit<ErrorOutput, 'place'>): void {
  tell('warn', sentence, errorOutput, {});
}

/** Logs the stack of a bug at level debug. */
export function logStack(error: unknown, logger: Logger): void {
  if (isUnexpected(error)) logger.debug({ stack: error.stack }, 'where the error came from');
}

function tell(
  level: 'warn' | 'error',
  sentence: string,
  { terminal, format, secrets }: Omit<ErrorOutput, 'place'>,
  fields: { readonly code?: string; readonly help?: string; readonly next?: string },
  advice?: string,
): void {
  if (formatFor(terminal, format) === 'json') {
    jsonLogger(terminal, { level, format: 'json', secrets })[level](fields, sentence);
    return;
  }
  const step = advice === undefined ? '' : `${advice}\n`;
  const text = `jobvault: ${redactText(sentence, secrets)}\n${step}`;
  terminal.stderr.write(folded(text, terminalWidth(terminal.stderr)));
}
