/** Asks a person before something is gone for good. */
import { createInterface } from 'node:readline/promises';
import { UsageError } from '../../base/usage-error.js';
import type { Terminal } from '../terminal.js';

/** Whether somebody can be asked: who reads from a pipe gets no question. */
export function canAsk({ stdin, stderr }: Terminal): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}

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
  const { stdin, stderr, interruption } = terminal;
  // without `terminal: true` the line stays the terminal's own, and so does Ctrl-C
  const lines = createInterface({ input: stdin, terminal: false });
  stderr.write(`${question} [y/N] `);
  try {
    const ended = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
    const answer = lines.question('', { signal: interruption.signal });
    return /^y(es)?$/i.test((await Promise.race([answer, ended])).trim());
  } catch (error) {
    interruption.signal.throwIfAborted();
    throw error;
  } finally {
    lines.close();
  }
}
