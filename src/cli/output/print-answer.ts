/** Prints the result of a command: one line of JSON, or text folded to the terminal. */
import type { Invocation } from '../command.js';
import { jsonLine } from '../json-line.js';
import { folded } from './folded.js';
import { terminalWidth } from '../terminal.js';

export function printAnswer(
  { settings, terminal: { stdout } }: Pick<Invocation, 'settings' | 'terminal'>,
  value: unknown,
  text: () => string,
): void {
  stdout.write(settings.json ? jsonLine(value) : folded(text(), terminalWidth(stdout)));
}
