/**
 * Whether what came can be the file that a block promises, judged by its bytes alone.
 *
 * Refused (asked for again from a fresh URL, then `rejected`):
 * - an IMAGE that is no known image with a size, or is cut off;
 * - a TABLE that is an HTML or XML document, a JSON object with an error, or one line in which storage
 *   says no;
 * - any file that is the XML in which object stores say no;
 * - a web page where an image in Markdown, or a file that is named otherwise (`.csv`), should be.
 *
 * Suspicious (stored, marked, and in the way of a deletion):
 * - a TABLE that is empty, is one short line without a delimiter, is JSON or another format than CSV,
 *   cannot be read as CSV, or whose first line says no;
 * - any other file that is empty, is a JSON object with an error or a line in which storage says no,
 *   is an image that is cut off, or is a web page without being named like one.
 */
import { parseJson } from '../../base/text/parse-json.js';
import type { CsvShape } from './csv-scanner.js';
import type { ImageShape } from './inspect-image.js';
import type { SniffedType } from './sniff.js';
import { isErrorObject, refusalInText } from './storage-refusals.js';
import { decodeText, textEncodingOf } from './text-encoding.js';

export interface ContentFacts {
  /** What the block promises: TABLE, IMAGE, … */
  readonly kind: string;
  /** The extension in the URL's path, in lower case, without its dot; empty where there is none. */
  readonly named: string;
  readonly type: SniffedType;
  /** The first bytes. */
  readonly head: Uint8Array;
  /** Whether the head is the whole body. */
  readonly isWhole: boolean;
  /** Null where it does not read as CSV. */
  readonly csv: CsvShape | null;
  /** Null where it has no size. */
  readonly image: ImageShape | null;
  /** Whether a picture ends too soon. */
  readonly isCut: boolean;
}

/** At most one of the two is said; each goes on after `the host sent`, or `the file is`. */
export interface ContentVerdict {
  readonly refused: string | null;
  readonly suspicious: string | null;
}

const FINE: ContentVerdict = { refused: null, suspicious: null };
const SHORT_LINE_CHARACTERS = 200;
const WEB_PAGES: ReadonlySet<string> = new Set(['html', 'htm', 'xhtml']);
const DELIMITER = /[,;\t|]/;

export function judgeContent(facts: ContentFacts): ContentVerdict {
  const { kind, type } = facts;
  if (type.isErrorPage) return refused(`${type.mediaType} where ${article(kind)} should be`);
  if (kind === 'IMAGE') return judgeImage(facts);
  if (facts.head.length === 0) return suspicious('an empty file');
  if (kind !== 'TABLE' && type.mediaType === 'text/html') return judgeWebPage(facts);
  if (facts.isCut) return suspicious(`${type.mediaType} that is cut off`);
  const text = wholeText(facts);
  const no = text === null ? null : refusalIn(text);
  if (kind !== 'TABLE') return no === null ? FINE : suspicious(no.what);
  if (no !== null) return no.isSure ? refused(no.what) : suspicious(no.what);
  return judgeTable(facts, text);
}

function judgeImage({ type, image, head, isCut }: ContentFacts): ContentVerdict {
  if (head.length === 0) return refused('an empty file where an IMAGE should be');
  const { mediaType } = type;
  if (!mediaType.startsWith('image/')) return refused(`${mediaType} where an IMAGE should be`);
  if (isCut) return refused(`${mediaType} that is cut off`);
  // an SVG may leave its size to whoever shows it
  const hasSize = image !== null && image.width > 0 && image.height > 0;
  return hasSize || mediaType === 'image/svg+xml' ? FINE : refused(`${mediaType} without a size`);
}

/** A page to sign in at looks like any other. */
function judgeWebPage({ kind, named }: ContentFacts): ContentVerdict {
  if (WEB_PAGES.has(named)) return FINE;
  if (kind === 'MARKDOWN_IMAGE') return refused('text/html where an image should be');
  if (named !== '') return refused(`text/html where a file named .${named} should be`);
  return suspicious('a web page, as a page to sign in at would be');
}

function judgeTable(
  { type, csv, head, isWhole }: ContentFacts,
  text: string | null,
): ContentVerdict {
  const json = text === null ? undefined : valueIn(text);
  const beginsAsJson = !isWhole && /^\s*(\{\s*"|\[\s*[{[])/.test(decoded(head) ?? '');
  if (typeof json === 'object' || beginsAsJson) return suspicious('JSON where CSV is expected');
  if (type.mediaType !== 'text/csv') return suspicious(`${type.mediaType} where CSV is expected`);
  if (csv === null) return suspicious('a table that cannot be read as CSV to its end');
  const lines = text?.split(/[\r\n]+/).filter((line) => line.trim() !== '') ?? [];
  const [line = ''] = lines;
  const isShort = line.length <= SHORT_LINE_CHARACTERS && !DELIMITER.test(line);
  if (text !== null && lines.length <= 1 && isShort) {
    return suspicious('one short line without a delimiter');
  }
  return FINE;
}

function refusalIn(text: string): { readonly what: string; readonly isSure: boolean } | null {
  if (isErrorObject(valueIn(text))) return { what: 'a JSON object with an error', isSure: true };
  const refusal = refusalInText(text);
  return refusal && { what: 'a text in which storage says no', isSure: refusal === 'surely' };
}

/** The body as text where it is one, and all of it is there. */
function wholeText({ head, isWhole }: ContentFacts): string | null {
  return isWhole ? decoded(head) : null;
}

function decoded(head: Uint8Array): string | null {
  const encoding = textEncodingOf(head);
  return encoding === null ? null : decodeText(head, encoding);
}

/** The JSON object or list that a text is; undefined for anything else. */
function valueIn(text: string): unknown {
  if (!/^\s*[{[]/.test(text)) return undefined;
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

function article(kind: string): string {
  return `${/^[AEIO]/i.test(kind) ? 'an' : 'a'} ${kind}`;
}

function refused(what: string): ContentVerdict {
  return { refused: what, suspicious: null };
}

function suspicious(what: string): ContentVerdict {
  return { refused: null, suspicious: what };
}
