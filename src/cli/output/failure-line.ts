/** With `--json`, programs read exactly one line, and that of a failure has `exit_code` and `error`. */
import { messageOf } from '../../base/error.js';
import { parseJson } from '../../base/parse-json.js';
import { redactText } from '../../base/redact.js';
import { EXIT } from '../exit-code.js';
import { withWrite } from '../harmless-terminal.js';
import { jsonLine } from '../json-line.js';
import { errorSentence } from './error-sentence.js';
import { AFTER_GAPS, AFTER_REFUSAL, nextStep } from './next-step.js';
import type { Terminal } from '../terminal.js';

export interface End {
  readonly exitCode: number;
  /** Undefined where a command said no and nothing was thrown. */
  readonly error: unknown;
  readonly secrets: readonly string[];
}

/** What an exit code means where no error was thrown. */
const MEANINGS: ReadonlyMap<number, string> = new Map([
  [EXIT.unexpected, 'the command failed'],
  [EXIT.usage, 'the settings make no sense'],
  [EXIT.gaps, 'not everything could be had'],
  [EXIT.integrity, 'the archive is damaged'],
  [EXIT.unreachable, 'the service or a file host could not be reached'],
  [EXIT.authentication, 'the service refused the API key or the users'],
  [EXIT.refused, 'a deletion was refused'],
  [EXIT.locked, 'another run is in the way'],
  [EXIT.storage, 'the storage failed'],
]);

/** Holds a command's line of JSON until its exit code is known. What is more than a line is passed on as it comes. */
export class FailureLine {
  /** As it came, with an eye on stdout. */
  readonly terminal: Terminal;
  readonly #outside: Terminal;
  #held: string | undefined;
  #hasTold = false;

  /** @param holds whether stdout is to be one line of JSON that may wait for the command's end */
  constructor(terminal: Terminal, holds: () => boolean) {
    this.#outside = terminal;
    const stdout = withWrite(terminal.stdout, (data) => {
      if (!this.#hasTold && typeof data === 'string' && isLine(data) && holds()) {
        this.#hasTold = true;
        this.#held = data;
        return true;
      }
      this.#release();
      this.#hasTold = true;
      return terminal.stdout.write(data);
    });
    this.terminal = { ...terminal, stdout };
  }

  /** `{"status":"failed","exit_code":2,"error":"…"}`, what can be done next, and what the command had to say. */
  tell(end: End, wantsJson: boolean): void {
    const held = this.#held;
    if (end.exitCode === EXIT.complete || !wantsJson || (this.#hasTold && held === undefined)) {
      this.#release();
      return;
    }
    this.#held = undefined;
    const { exitCode, error, secrets } = end;
    const isInterrupted = exitCode === 130 || exitCode === 143;
    const told: Told =
      held === undefined
        ? { status: isInterrupted ? 'interrupted' : 'failed' }
        : (parseJson(held) as Told);
    const next = nextStep(error) ?? nextAfter(exitCode, told);
    const line = {
      ...told,
      exit_code: exitCode,
      error: redactText(
        isInterrupted ? this.#interruption() : sentenceOf(exitCode, error),
        secrets,
      ),
      ...(next === undefined || isInterrupted ? {} : { next }),
    };
    this.#outside.stdout.write(jsonLine(line));
  }

  #interruption(): string {
    return messageOf(this.#outside.interruption.signal.reason);
  }

  #release(): void {
    if (this.#held !== undefined) this.#outside.stdout.write(this.#held);
    this.#held = undefined;
  }
}

/** What tells of gaps: an export in its status, a worker among its users, a copy for people in a number. */
interface Told {
  readonly status?: unknown;
  readonly gaps?: unknown;
  readonly users?: { readonly gaps?: unknown } | null;
}

/** Where nothing was thrown. */
function nextAfter(exitCode: number, told: Told): string | undefined {
  if (exitCode === EXIT.gaps && hasGaps(told)) return AFTER_GAPS;
  return exitCode === EXIT.refused && told.status === 'refused' ? AFTER_REFUSAL : undefined;
}

function hasGaps({ status, gaps, users }: Told): boolean {
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
