/** What went wrong, told on stderr in one sentence and in the log's own format: never a stack, never a secret. */
import { JobvaultError } from '../../base/error.js';
import type { Logger } from '../../base/logger.js';
import { redactText } from '../../base/redact.js';
import { createCliLogger, formatFor, type LoggerSettings } from './cli-logger.js';
import { columnsOf, type Terminal } from '../terminal.js';
import { folded } from './folded.js';
import { errorSentence, isUnexpected } from './error-sentence.js';
import { nextStep } from './next-step.js';

export interface Voice {
  readonly terminal: Terminal;
  /** Of the log; undefined where it was not chosen. */
  readonly format: LoggerSettings['format'];
  readonly secrets: readonly string[];
}

/** @param help the command whose help says more: `jobvault export` */
export function tellError(error: unknown, voice: Voice, help?: string): void {
  const code = error instanceof JobvaultError ? { code: error.code } : {};
  const sentence = errorSentence(error);
  if (help !== undefined) {
    tell('error', sentence, voice, { ...code, help }, `Try ${help} --help.`);
    return;
  }
  const next = nextStep(error);
  if (next === undefined) tell('error', sentence, voice, code);
  else tell('error', sentence, voice, { ...code, next }, `Next: ${next}`);
}

/** Told whatever the log's level is. */
export function tellWarning(sentence: string, voice: Voice): void {
  tell('warn', sentence, voice, {});
}

/** The stack, for whoever mends the bug; at the level of debug alone. */
export function logStack(error: unknown, logger: Logger): void {
  if (isUnexpected(error)) logger.debug({ stack: error.stack }, 'where the error came from');
}

function tell(
  level: 'warn' | 'error',
  sentence: string,
  { terminal, format, secrets }: Voice,
  fields: { readonly code?: string; readonly help?: string; readonly next?: string },
  advice?: string,
): void {
  if (formatFor(terminal, format) === 'json') {
    createCliLogger(terminal, { level, format: 'json', secrets })[level](fields, sentence);
    return;
  }
  const step = advice === undefined ? '' : `${advice}\n`;
  const text = `jobvault: ${redactText(sentence, secrets)}\n${step}`;
  terminal.stderr.write(folded(text, columnsOf(terminal.stderr)));
}
