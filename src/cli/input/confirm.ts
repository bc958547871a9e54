/** Asks for confirmation before something is deleted permanently. */
import { UsageError } from '../../base/usage-error.js';
import type { Terminal } from '../terminal.js';
import { canAsk, Questions } from './questions.js';

/**
 * Checks before anything is sent.
 *
 * @throws {UsageError} there is no terminal, and `--yes` is not given
 */
export function assertMayDelete(terminal: Terminal, yes: boolean): void {
  if (yes || canAsk(terminal)) return;
  throw new UsageError('a deletion cannot be undone; without a terminal, pass --yes');
}

/** True with `--yes`; otherwise asks, and says after a no that nothing was deleted. */
export async function isConfirmed(
  question: () => Promise<string>,
  {
    settings,
    terminal,
  }: { readonly settings: { readonly yes: boolean }; readonly terminal: Terminal },
): Promise<boolean> {
  if (settings.yes || (await confirm(await question(), terminal))) return true;
  terminal.stderr.write('Nothing was deleted.\n');
  return false;
}

/** Only `y` or `yes` is a yes. @throws the interruption's reason */
export async function confirm(question: string, terminal: Terminal): Promise<boolean> {
  using questions = new Questions(terminal);
  return /^y(es)?$/i.test((await questions.ask(`${question} [y/N]`)) ?? '');
}
