/** Prints what a command leaves: its answer, what it notes and what failed. */
import { messageOf } from '../../base/error.js';
import { redactText } from '../../base/text/redact.js';
import { EXIT } from '../exit-code.js';
import type { CommandResult } from '../command.js';
import { terminalWidth } from './terminal.js';
import { jsonLine } from '../json-line.js';
import { nextStep } from './next-step.js';
import { errorSentence } from './error-sentence.js';
import { textIn } from './aligned.js';
import { folded } from './folded-text.js';
import type { ErrorOutput } from './print-error.js';
import { nextIn } from './view.js';

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

export interface Ending {
  readonly result: CommandResult;
  /** What people read instead of a line of JSON. */
  readonly answer: string;
  readonly exitCode: number;
  /** What ended the command; undefined where nothing was thrown. */
  readonly error: unknown;
  /** Whether stdout gets a line of JSON. */
  readonly isJson: boolean;
  /** Whether the command has printed its answer itself. */
  readonly hasPrinted: boolean;
}

/** The answer on stdout, then what is noted beside it: for people, and whenever the command failed. */
export function printResult(
  ending: Ending,
  { terminal, secrets, place: ofInvocation }: Omit<ErrorOutput, 'format'>,
): void {
  const { result, answer, isJson, exitCode } = ending;
  const place = result.view?.place ?? ofInvocation;
  const { stdout, stderr, interruption } = terminal;
  if (isJson) {
    const line = jsonOf(ending, { secrets, place }, () => messageOf(interruption.signal.reason));
    if (line) stdout.write(jsonLine(line, place));
  } else {
    if (answer !== '') stdout.write(answer);
  }
  const { note } = result;
  if (note === undefined || (isJson && exitCode === EXIT.complete)) return;
  stderr.write(folded(`${textIn(note, place)}\n`, terminalWidth(stderr)));
}

/** After a failure also with `exit_code`, `error` and `next`: `{"status":"failed","exit_code":2,…}` of a command without an answer. */
function jsonOf(
  { result, exitCode, error, hasPrinted }: Ending,
  { secrets, place }: Pick<ErrorOutput, 'secrets' | 'place'>,
  interruption: () => string,
): object | undefined {
  const { value, view } = result;
  if (exitCode === EXIT.complete || (value === undefined && hasPrinted)) return value;
  const isInterrupted = exitCode === 130 || exitCode === 143;
  const summary: { readonly status?: unknown } = value ?? {
    status: isInterrupted ? 'interrupted' : 'failed',
  };
  const reason = error ?? result.errors?.[0];
  const next = nextStep(reason) ?? nextIn(view ?? {});
  const sentence = isInterrupted ? interruption() : sentenceOf(exitCode, reason, summary.status);
  return {
    ...summary,
    exit_code: exitCode,
    error: redactText(sentence, secrets),
    ...(next === undefined || isInterrupted ? {} : { next: next.text(place) }),
  };
}

function sentenceOf(exitCode: number, error: unknown, status?: unknown): string {
  if (error !== undefined) return errorSentence(error);
  if (exitCode === EXIT.refused && status === 'declined') return 'the answer was no';
  return MEANINGS.get(exitCode) ?? 'the command failed';
}
