/** `NaN`, `Infinity` and `-Infinity`, which Python writes bare into what it calls JSON: found, so that one of them spoils no more than its record. */
import { skipString } from './parse-json.js';

export interface BareNumber {
  readonly at: number;
  /** As it was sent. */
  readonly written: string;
}

export interface MendedJson {
  /** As long as the text that was sent: each such number is a zero. */
  readonly text: string;
  readonly bareNumbers: readonly BareNumber[];
}

const TOKEN = /"|NaN|-?Infinity/g;

/** Undefined where there is none, or a string has no end. The text may still be no JSON. */
export function mendBareNumbers(text: string): MendedJson | undefined {
  const bareNumbers: BareNumber[] = [];
  const pieces: string[] = [];
  let done = 0;
  TOKEN.lastIndex = 0;
  try {
    for (let match = TOKEN.exec(text); match; match = TOKEN.exec(text)) {
      const [written] = match;
      if (written === '"') {
        TOKEN.lastIndex = skipString(text, match.index);
        continue;
      }
      bareNumbers.push({ at: match.index, written });
      pieces.push(text.slice(done, match.index), zeroLike(written));
      done = TOKEN.lastIndex;
    }
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
  if (bareNumbers.length === 0) return undefined;
  return { text: pieces.join('') + text.slice(done), bareNumbers };
}

/** `0.0` for `NaN`: a number of the same length, so that everything else stays where it was. */
function zeroLike(written: string): string {
  const sign = written.startsWith('-') ? '-' : '';
  return `${sign}0.`.padEnd(written.length, '0');
}
