/** Sentences and lists of README.txt, in lines that every viewer shows whole. */
import type { Caveat } from '../archive/reading/caveats/caveat.js';
import {
  namesIn,
  SEVERITY_WORDS,
  sentenceOf,
  type Elsewhere,
} from '../archive/reading/caveats/caveat-text.js';
import { shownLine } from '../base/text/visible.js';

/** The characters of a line. */
const LONGEST_LINE = 80;
/** Longer than the path of a file, which has its SHA-256. */
const LONGEST_WORD = 120;

/** How many are named of each kind. */
const NAMED = 20;

/** A path stays whole, so that it can be copied; a word that is longer is cut, not lost. */
export function shortLines(sentences: string, longest = LONGEST_LINE): string {
  const lines = sentences.match(new RegExp(`.{1,${longest}}(?= |$)|\\S{1,${LONGEST_WORD}}`, 'gu'));
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

/** The text before the second column of a list: not as long as that of a command with two spaces in it. */
const COLUMN = /^ +\S.{0,38}? {2,}(?=\S)/;
/** From how many more spaces on a line belongs to the second column of the line before. */
const COLUMN_INDENT = 10;

/**
 * Folds paragraphs, items and columns that have a longer line. An indented line alone is a command, and stays as it is.
 */
export function folded(text: string): string {
  const lines = text.split('\n');
  const out: string[] = [];
  for (let at = 0; at < lines.length;) {
    const first = lines[at] ?? '';
    const margin = indentOf(lines[at + 1] ?? '');
    const isItem = first.trimStart().startsWith('- ');
    const belongs = isItem
      ? margin === indentOf(first) + 2
      : margin >= indentOf(first) + COLUMN_INDENT || (margin === 0 && indentOf(first) === 0);
    let end = at + 1;
    while (belongs && first !== '' && isSameText(lines[end], margin)) end++;
    const group = lines.slice(at, end);
    out.push(...(group.some(isLong) ? foldedGroup(group, margin) : group));
    at = end;
  }
  return out.join('\n');
}

function foldedGroup(group: readonly string[], margin: number): readonly string[] {
  const [first = ''] = group;
  const isItem = first.trimStart().startsWith('- ');
  const column = isItem ? undefined : COLUMN.exec(first)?.[0];
  if (!isItem && column === undefined && indentOf(first) > 0) return group;
  const start = isItem ? `${' '.repeat(indentOf(first))}- ` : (column ?? '');
  const indent = group.length > 1 ? margin : start.length;
  const text = [first.slice(start.length), ...group.slice(1)].map((line) => line.trim()).join(' ');
  const out: string[] = [];
  let line = start;
  for (const word of text.split(' ')) {
    const isFirst = line.length === start.length && out.length === 0;
    const isEmpty = isFirst || line.trim() === '';
    if (!isEmpty && line.length + 1 + word.length > LONGEST_LINE) {
      out.push(line);
      line = `${' '.repeat(indent)}${word}`;
    } else line += isEmpty ? word : ` ${word}`;
  }
  return [...out, line];
}

function isSameText(line: string | undefined, margin: number): boolean {
  if (line === undefined || line === '') return false;
  return indentOf(line) === margin && !line.trimStart().startsWith('- ');
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

function isLong(line: string): boolean {
  return line.length > LONGEST_LINE;
}
