/** Words in colour, where a terminal is there for it and its owner has not said no. */
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

/** Stands for the begin of an escape sequence. Nobody can guess it, so no text from elsewhere gets a colour. */
const MARK = randomUUID();

function inColour(code: number): (text: string) => string {
  return (text) => `${MARK}${code}m${text}${MARK}39m`;
}

/** The colours of a text, once all else in it has been made visible. */
export function withColours(text: string): string {
  return text.replaceAll(MARK, '\u001B[');
}
