/** The yes without which nothing is deleted or erased: from `--yes`, or from a person at a terminal. */
import { UsageError } from '../../base/usage-error.js';
import type { Invocation } from '../command.js';
import type { Terminal } from '../terminal.js';
import { canAsk, Questions } from './questions.js';

/** Shows a plan, asks, and resolves with whether the answer was yes. */
export type Ask = (plan: string, question: string) => Promise<boolean>;

/** No answer for this long is a no: what waits for it does not wait for ever. */
const TIMEOUT_MS = 10 * 60_000;

/**
 * To be called first: without a terminal and without `--yes` a command does nothing.
 *
 * @returns undefined with `--yes`: nobody is asked
 * @throws {UsageError} there is nobody to ask, and `--yes` is not given
 */
export function consent({
  settings,
  terminal,
}: {
  readonly settings: { readonly yes: boolean };
  readonly terminal: Invocation['terminal'];
}): Ask | undefined {
  if (settings.yes) return undefined;
  if (!canAsk(terminal)) {
    throw new UsageError(
      'nothing was done, because it cannot be undone and there is no terminal to ask at; pass --yes, or --dry-run to see the plan',
    );
  }
  return (plan, question) => {
    terminal.stderr.write(plan);
    return confirm(question, terminal);
  };
}

/** Only `y` or `yes` is a yes. @throws the interruption's reason */
async function confirm(question: string, terminal: Terminal): Promise<boolean> {
  const answered = new AbortController();
  using questions = new Questions(terminal);
  const timeout = terminal.clock.sleep(TIMEOUT_MS, answered.signal).then(() => {
    terminal.stderr.write('\nNo answer for 10 minutes: nothing is done.\n');
    return undefined;
  });
  try {
    const answer = await Promise.race([questions.ask(`${question} [y/N]`), timeout]);
    return /^y(es)?$/i.test(answer ?? '');
  } finally {
    answered.abort();
  }
}
