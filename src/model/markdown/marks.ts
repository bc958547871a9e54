/** Which signs are marks of Markdown and which are part of the text, where an assistant's answer tells them apart better than CommonMark. */
import type { MarkdownIt, StateInline } from 'markdown-it';
import cjkFriendly from 'markdown-it-cjk-friendly';

/** A subscript or a superscript: its content is text. `markup` is `sub` or `sup`, `info` the text as sent. */
export const SCRIPT = 'script';

export function readMarks(markdown: MarkdownIt): void {
  markdown.use(cjkFriendly);
  starsOfProducts(markdown);
  // a line of signs below a text is part of a formula, or a rule; headings begin with #
  markdown.block.ruler.disable('lheading');
  // a definition that no link uses would vanish
  markdown.block.ruler.disable('reference');
  markdown.inline.ruler.at('escape', backslashRule);
  markdown.inline.ruler.before('emphasis', 'name', nameRule);
  markdown.inline.ruler.before('autolink', 'tag', tagRule);
}

const WORD = /^[\p{L}\p{N}]$/u;
const OPENING = '([{';
const CLOSING = ')]}';

/** `2*3`, `a**b`, `(a)*(b)` and `count(*)` are no emphasis: a star between two operands or two brackets opens none. */
function starsOfProducts(markdown: MarkdownIt): void {
  const Before = markdown.inline.State;
  markdown.inline.State = class extends Before {
    override scanDelims(start: number, canSplitWord: boolean) {
      const found = super.scanDelims(start, canSplitWord);
      if (this.src[start] !== '*') return found;
      const before = characterBefore(this.src, start);
      const after = characterAt(this.src, start + found.length);
      if (OPENING.includes(before) && CLOSING.includes(after)) {
        return { ...found, can_open: false, can_close: false };
      }
      const isProduct = endsOperand(before) && beginsOperand(after);
      // bold begins within a word only where words stand without spaces between them
      const isBold = found.length > 1 && (isWide(before) || isWide(after));
      return isProduct && !isBold ? { ...found, can_open: false } : found;
    }
  };
}

function endsOperand(character: string): boolean {
  return WORD.test(character) || (character !== '' && CLOSING.includes(character));
}

function beginsOperand(character: string): boolean {
  return WORD.test(character) || (character !== '' && OPENING.includes(character));
}

const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\u30fc]/u;

function isWide(character: string): boolean {
  return WIDE.test(character);
}

/** Empty at the end of the text. */
function characterAt(text: string, at: number): string {
  const code = text.codePointAt(at);
  return code === undefined ? '' : String.fromCodePoint(code);
}

/** Empty at the beginning of the text. */
function characterBefore(text: string, at: number): string {
  const isPair = at > 1 && (text.codePointAt(at - 2) ?? 0) > 0xffff;
  return text.slice(at - (isPair ? 2 : 1), at);
}

/** What a backslash makes plain text. Before any other character it stays: `\d`, `\{`, `\\server`. */
const ESCAPABLE = /^[*_`~<>#|$&!+.-]$/;
/** A word of this many characters is a path or a pattern for certain. */
const LONGEST_WORD = 200;

/** A backslash in a path or a pattern is one; elsewhere it takes the meaning of the mark behind it. */
function backslashRule(state: StateInline, silent: boolean): boolean {
  const { src, pos } = state;
  if (src[pos] !== '\\') return false;
  const next = src.charAt(pos + 1);
  if (next === '\n') return lineBreak(state, silent, /\\\n[ \t]*/y);
  if (next === '') return false;
  // a sign that is no mark of itself may be one of its neighbour: *, for one, is taken along
  const isEscape = ESCAPABLE.test(next) && !isInPath(src, pos);
  const isSign = /[!-/:-@[-`{-~]/.test(next);
  if (!silent) {
    const token = state.push('text_special', '', 0);
    token.content = isEscape ? next : isSign ? `\\${next}` : '\\';
    token.markup = src.slice(pos, pos + (isSign ? 2 : 1));
    token.info = 'escape';
  }
  state.pos += isSign ? 2 : 1;
  return true;
}

/** Whether the word around it has a backslash before a letter or a digit: `C:\new\_folder`, `\d+\.\d*`. */
function isInPath(text: string, at: number): boolean {
  const before = /\S*$/.exec(text.slice(Math.max(0, at - LONGEST_WORD), at))?.[0] ?? '';
  const after = /^\S*/.exec(text.slice(at, at + LONGEST_WORD))?.[0] ?? '';
  return /\\[\p{L}\p{N}]/u.test(before + after);
}

const NAME = /__[A-Za-z0-9_]*[A-Za-z0-9]__(?!\w)/y;

/** `__init__` is a name. */
function nameRule(state: StateInline, silent: boolean): boolean {
  const { src, pos } = state;
  if (src[pos] !== '_' || /[\w\\]/.test(src.charAt(pos - 1))) return false;
  NAME.lastIndex = pos;
  const name = NAME.exec(src)?.[0];
  if (name === undefined) return false;
  if (!silent) state.push('text', '', 0).content = name;
  state.pos += name.length;
  return true;
}

const LINE_BREAK = /<br[ \t]*\/?>[ \t]*\n?/iy;
const SCRIPTS = /<(su[bp])>([^<>\n]{1,100})<\/\1>/iy;

/** Reads of HTML the line breaks and subscripts that answers have in cells; everything else stays text. */
function tagRule(state: StateInline, silent: boolean): boolean {
  const { src, pos } = state;
  if (src[pos] !== '<') return false;
  if (lineBreak(state, silent, LINE_BREAK)) return true;
  SCRIPTS.lastIndex = pos;
  const [sent, tag = '', text = ''] = SCRIPTS.exec(src) ?? [];
  if (sent === undefined) return false;
  if (!silent) {
    const token = state.push(SCRIPT, tag.toLowerCase(), 0);
    token.content = text;
    token.info = sent;
  }
  state.pos += sent.length;
  return true;
}

function lineBreak(state: StateInline, silent: boolean, pattern: RegExp): boolean {
  pattern.lastIndex = state.pos;
  const found = pattern.exec(state.src)?.[0];
  if (found === undefined) return false;
  if (!silent) state.push('hardbreak', 'br', 0);
  state.pos += found.length;
  return true;
}
