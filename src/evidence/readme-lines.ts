/** Sentences and lists of README.txt, in lines that every viewer shows whole. */
import type { Caveat } from '../archive/reading/caveats/caveat.js';
import {
  namesIn,
  SEVERITY_WORDS,
  sentenceOf,
  type Elsewhere,
} from '../archive/reading/caveats/caveat-text.js';
import { shownLine } from '../base/text/short-texts.js';

/** The characters of a line. */
const LONGEST_LINE = 88;

/** How many are named of each kind. */
const NAMED = 20;

/** A word that is longer than a line is cut, not lost. */
export function shortLines(sentences: string, longest = LONGEST_LINE): string {
  const lines = sentences.match(new RegExp(`.{1,${longest}}(?= |$)|\\S{1,${longest}}`, 'gu'));
  return (lines ?? []).map((line) => line.trim()).join('\n');
}

/** The caveats of a pack, what is missing first: each as a sentence, and what it names below. @param elsewhere what names the others */
export function caveatSections(caveats: readonly Caveat[], elsewhere: Elsewhere): string {
  return (['missing', 'doubt', 'note'] as const)
    .map((severity) => {
      const listed = caveats.filter((caveat) => caveat.severity === severity);
      if (listed.length === 0) return '';
      const items = listed.map((caveat) => {
        const names = namesIn(caveat, NAMED, elsewhere).map((line) => item(`- ${line}`, 4));
        return [item(sentenceOf(caveat), 2), ...names].join('');
      });
      return `\n${SEVERITY_WORDS[severity].toUpperCase()}\n\n${items.join('')}`;
    })
    .join('');
}

/** Indented, with what follows in further lines a little more. */
function item(text: string, indent: number): string {
  const margin = ' '.repeat(indent);
  const lines = shortLines(shownLine(text), LONGEST_LINE - indent - 2);
  return `${margin}${lines.replaceAll('\n', `\n${margin}  `)}\n`;
}
