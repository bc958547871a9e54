/** What a command answers: one line of JSON for programs, or a text for people that fits their terminal. */
import type { Invocation } from '../command.js';
import { jsonLine } from '../json-line.js';
import { folded } from './folded.js';
import { columnsOf } from '../terminal.js';

export function printAnswer(
  { settings, terminal: { stdout } }: Pick<Invocation, 'settings' | 'terminal'>,
  value: unknown,
  text: () => string,
): void {
  stdout.write(settings.json ? jsonLine(value) : folded(text(), columnsOf(stdout)));
}
