/** Words in colour, where a terminal is there for it and its owner has not said no. */
import { wantsColour, type Terminal } from './terminal.js';

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

function inColour(code: number): (text: string) => string {
  return (text) => `\u001B[${code}m${text}\u001B[39m`;
}
