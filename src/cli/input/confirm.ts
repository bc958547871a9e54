/** The yes without which nothing is deleted or erased: from `--yes`, or from a person at a terminal. */
import { UsageError } from '../../base/error.js';
import type { Invocation } from '../command.js';
import type { Terminal } from '../output/terminal.js';
import { formatFor } from '../output/cli-logger.js';
import { terminalWidth } from '../output/terminal.js';
import { viewText, type View } from '../output/view.js';
import { placeOf } from '../command-place.js';
import { canAsk, Questions } from './questions.js';

interface Asking extends Pick<Invocation, 'terminal' | 'logger' | 'sources'> {
  readonly settings: Pick<Invocation['settings'], 'logLevel' | 'logFormat'> & {
    readonly yes: boolean;
  };
}

/** Shows a plan, asks, and resolves with whether the answer was yes. */
export type Ask = (plan: Plan, question: string) => Promise<boolean>;

/** @param isAgreed nobody is asked: the plan is carried out at once, and must say so */
export type Plan = (isAgreed: boolean) => View;

/** No answer for this long is a no: what waits for it does not wait for ever. */
const TIMEOUT_MS = 10 * 60_000;

/**
 * To be called first: without a terminal and without `--yes` a command does nothing. With `--yes` the plan is shown,
 * too, unless only warnings are wanted: what goes is known before it goes.
 *
 * @param why nothing is done where nobody can be asked
 * @throws {UsageError} there is nobody to ask, and `--yes` is not given
 */
export function consent(
  invocation: Asking,
  why = 'it cannot be undone and there is no terminal to ask at',
): Ask {
  const { settings, terminal, sources } = invocation;
  const { stderr } = terminal;
  const textOf = (plan: View): string =>
    viewText(plan, { place: placeOf(sources), width: terminalWidth(stderr) });
  if (settings.yes) {
    return (plan, question) => {
      tellAnswered(invocation, textOf(plan(true)), question);
      return Promise.resolve(true);
    };
  }
  if (!canAsk(terminal)) {
    throw new UsageError(
      `nothing was done, because ${why}; pass --yes, or --dry-run to see the plan`,
    );
  }
  return (plan, question) => {
    stderr.write(textOf(plan(false)));
    return confirm(question, terminal);
  };
}

/** In the log's own format: programs read JSON lines, people one line of them for each of the plan. */
function tellAnswered(
  { settings, terminal, logger }: Asking,
  plan: string,
  question: string,
): void {
  const { logLevel, logFormat } = settings;
  const answered = `${question} yes (--yes)`;
  if (formatFor(terminal, logFormat) === 'json') {
    const lines = plan.split('\n').filter((line) => line.trim() !== '');
    for (const line of [...lines, answered]) logger.info({}, line);
  } else if (logLevel === 'info' || logLevel === 'debug') {
    terminal.stderr.write(`${plan}${answered}\n`);
  }
}

/** Only `y` or `yes` is a yes. @throws the interruption's reason */
export async function confirm(question: string, terminal: Terminal): Promise<boolean> {
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
