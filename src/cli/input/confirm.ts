/** Asks a person before something is gone for good. */
import { UsageError } from '../../base/usage-error.js';
import type { Terminal } from '../terminal.js';
import { canAsk, Questions } from './questions.js';

/**
 * Refuses before anything is sent.
 *
 * @throws {UsageError} nobody can be asked, and `--yes` is not given
 */
export function assertMayDelete(terminal: Terminal, yes: boolean): void {
  if (yes || canAsk(terminal)) return;
  throw new UsageError('a deletion cannot be undone; without a terminal, pass --yes');
}

/** Only `y` or `yes` is a yes. @throws the interruption's reason */
export async function confirm(question: string, terminal: Terminal): Promise<boolean> {
  using questions = new Questions(terminal);
  return /^y(es)?$/i.test((await questions.ask(`${question} [y/N]`)) ?? '');
}
