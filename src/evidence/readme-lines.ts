/** Sentences and lists of README.txt, in lines that every viewer shows whole. */
import type { PageNote } from '../report/index-html.js';
import { shownLine } from '../base/text/short-texts.js';

/** Of characters. */
export const LONGEST_LINE = 88;

/** A word that is longer than a line is cut, not lost. */
export function shortLines(sentences: string, longest = LONGEST_LINE): string {
  const lines = sentences.match(new RegExp(`.{1,${longest}}(?= |$)|\\S{1,${longest}}`, 'gu'));
  return (lines ?? []).map((line) => line.trim()).join('\n');
}

/** What the first page has as cards, in sections of their own. */
export function noteSections(notes: readonly PageNote[]): string {
  return notes
    .map(({ heading, lines }) => {
      const [what = '', ...rest] = heading.split(': ');
      const listed = lines.map((line) => {
        const text = shortLines(shownLine(line), LONGEST_LINE - 4).replaceAll('\n', '\n    ');
        return `  ${text}\n`;
      });
      return `\n${[what.toUpperCase(), ...rest].join(': ')}\n\n${listed.join('')}`;
    })
    .join('');
}
