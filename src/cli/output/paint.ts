/** Colours words on a terminal, unless NO_COLOR is set. */
import { randomUUID } from 'node:crypto';
import { wantsColour, type Terminal } from '../terminal.js';

export interface Paint {
  readonly good: (text: string) => string;
  readonly warn: (text: string) => string;
  readonly bad: (text: string) => string;
}

const asItIs = (text: string): string => text;

export const plain: Paint = { good: asItIs, warn: asItIs, bad: asItIs };

const coloured: Paint = { good: inColour(32), warn: inColour(33), bad: inColour(31) };

/** For what goes to stdout. */
export function paintOf({ stdout, environment }: Terminal): Paint {
  return wantsColour(stdout, environment) ? coloured : plain;
}

/** Placeholder for the start of an escape sequence. It is random, so no other text can contain it. */
const MARK = randomUUID();

function inColour(code: number): (text: string) => string {
  return (text) => `${MARK}${code}m${text}${MARK}39m`;
}

/** Turns placeholders into colours, after everything else was escaped. */
export function withColours(text: string): string {
  return text.replaceAll(MARK, '\u001B[');
}
