/** Folds text to the width of a terminal: at spaces, indented to where the text of the line starts. */
import { withColours } from './terminal.js';
import { widthOf } from './text-width.js';

/** Never breaks a word: paths, digests and URLs can be copied. */
export function folded(text: string, width: number | undefined): string {
  if (width === undefined) return text;
  return text
    .split('\n')
    .map((line) =>
      isCommandLine(line) || visibleWidthOf(line) <= width ? line : foldedLine(line, width),
    )
    .join('\n');
}

/** A line that is pasted as a whole: broken in two, a shell takes its first half. The terminal itself wraps it. */
function isCommandLine(line: string): boolean {
  return /^ *(?:jobvault|sudo|env|set|cd|sha256sum) /.test(line);
}

/** Commands of two words. */
const FAMILIES = ['config', 'datasets', 'gap', 'help', 'hold', 'request', 'sessions'];
/** Other programs whose commands stand in sentences, and how many words after each have no flag before them. */
const OTHER_PROGRAMS: Readonly<Record<string, number>> = {
  chmod: 2,
  npm: 2,
  openssl: 1,
  sha256sum: 0,
};
/** A flag, a place, a file, a number, a quoted word, or a placeholder: no word of the sentence that goes on behind a command. */
const ARGUMENT = /^(?:[-+]-?[\w]|['"]|[A-Z][A-Z_]+\b|\S*[/:=]|[\w-]+\.\w{2}|\d+\b|\.|…)/;

/** Words between which a line may be broken: a command in a sentence, with its flags and their values, is one. */
function unbroken(words: readonly string[]): string[] {
  const units: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const command = [words[at] ?? ''];
    const verbs = verbsBehind(words, at);
    if (verbs !== undefined) {
      while (isPartOf(command, words[at + 1], verbs)) command.push(words[++at] ?? '');
    }
    units.push(command.join(' '));
  }
  return units;
}

/** How many words behind this one belong to a command, whatever they are; undefined where none begins. */
function verbsBehind(words: readonly string[], at: number): number | undefined {
  const program = (words[at] ?? '').replace(/^\W/, '');
  if (program !== 'jobvault') return OTHER_PROGRAMS[program];
  return FAMILIES.includes(words[at + 1] ?? '') ? 2 : 1;
}

function isPartOf(command: readonly string[], next: string | undefined, verbs: number): boolean {
  const last = command.at(-1) ?? '';
  if (next === undefined) return false;
  if (isQuoteOpen(command.join(' '))) return true;
  if (next === '') return false;
  if (/[,;]$|(?<=.)\.$/.test(last)) return false;
  return command.length <= verbs || /^--[\w-]+$/.test(last) || ARGUMENT.test(next);
}

/** Whether a shell waits for the quote that closes the word. */
function isQuoteOpen(command: string): boolean {
  const whole = /'[^']*'|"(?:[^"\\]|\\.)*"|\\./g;
  // the word of the program itself may stand in quotes of the sentence
  return /(?<=[\s=])['"]/.test(command.replaceAll(whole, ''));
}

function foldedLine(line: string, width: number): string {
  const margin = line.search(/\S/);
  const further = margin === 0 ? 0 : margin + 2;
  const gap = gapEnd(line, width);
  const hang = gap ?? further;
  const begin = gap ?? margin;
  const lines: string[] = [];
  let head = line.slice(0, begin);
  let words = '';
  for (const word of unbroken(line.slice(begin).split(' '))) {
    const longer = words === '' ? word : `${words} ${word}`;
    if (visibleWidthOf(head + longer) <= width) {
      words = longer;
      continue;
    }
    if ((head + words).trim() !== '') lines.push((head + words).trimEnd());
    // a word that is too long for the indent moves further left
    head = ' '.repeat(hang + visibleWidthOf(word) > width ? further : hang);
    words = word;
  }
  return [...lines, head + words].join('\n');
}

/** The column after the last gap in the left half of a line; undefined without a gap. */
function gapEnd(line: string, width: number): number | undefined {
  const last = [...line.slice(0, width >> 1).matchAll(/\S {2,}(?=\S)/g)].at(-1);
  return last && last.index + last[0].length;
}

/** Colour codes have no width. */
function visibleWidthOf(text: string): number {
  return widthOf(withColours(text));
}
