/** Code in a fence of Markdown that is all of a text: its first line opens the fence, its last line closes it. */

export interface FencedCode {
  /** As the first line names it, in lower case; null where it names none. */
  readonly language: string | null;
  /** The lines between the two, as sent. */
  readonly code: string;
}

const MAY_OPEN = /^\s*(?:```|~~~)/;
const OPENING = /^(````*|~~~~*)[ \t]*([^\r\n]*)/;
const LANGUAGE = /^[\p{L}\d+#._-]{1,1000}/u;
const CLOSING = /^ {0,3}(````*|~~~~*)\s*$/;

/** Undefined of any other text, and of one in which an earlier line closes the fence. */
export function fencedCode(text: string): FencedCode | undefined {
  if (!MAY_OPEN.test(text)) return undefined;
  const [first = '', ...rest] = text.trim().split('\n');
  const [, fence = '', info = ''] = OPENING.exec(first) ?? [];
  const last = rest.pop()?.trim() ?? '';
  const isFence = fence !== '' && !(fence.startsWith('`') && info.includes('`'));
  if (!isFence || !closes(last, fence) || rest.some((line) => closes(line, fence))) {
    return undefined;
  }
  const language = LANGUAGE.exec(info)?.[0].toLowerCase() ?? null;
  return { language, code: rest.join('\n') };
}

function closes(line: string, fence: string): boolean {
  return CLOSING.exec(line)?.[1]?.startsWith(fence) === true;
}
