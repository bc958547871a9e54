/**
 * Judges by its bytes alone whether a body can be the file that a block promises.
 *
 * Refused (requested again from a fresh URL, then `rejected`):
 * - an IMAGE that is not a known image with a size, or is truncated (one that came whole twice is kept: `settle.ts`);
 * - a TABLE that is an HTML or XML document, a JSON object with an error, or a one-line error message
 *   from storage;
 * - any file that is an XML error document from object storage;
 * - a web page instead of an image in Markdown, or instead of a file with another extension (`.csv`).
 *
 * Suspicious (stored, marked, and blocks a deletion):
 * - a TABLE that is empty, is one short line without a delimiter, is JSON or another format than CSV,
 *   cannot be read as CSV, or begins with an error message;
 * - any other file that is empty, is a JSON object with an error or an error message from storage,
 *   is a truncated image, or is a web page without the extension of one.
 */
import type { CsvShape } from './csv-records.js';
import { type TextEncoding, decodeText } from './text-encoding.js';
import { type SniffedType } from './sniff.js';
import { isErrorObject, storageErrorIn } from './storage-error-text.js';
import { parseJson } from '../../base/text/parse-json.js';
import { type ImageShape } from './image-shape.js';

export interface ContentFacts {
  /** What the block promises: TABLE, IMAGE, … */
  readonly kind: string;
  /** The extension in the URL's path, in lower case, without its dot; empty without one. */
  readonly named: string;
  readonly type: SniffedType;
  /** The first bytes. */
  readonly head: Uint8Array;
  /** Null if it is no text. */
  readonly encoding: TextEncoding | null;
  /** Whether the head is the whole body. */
  readonly isWhole: boolean;
  /** Null if it cannot be read as CSV. */
  readonly csv: CsvShape | null;
  /** Null if it has no size. */
  readonly image: ImageShape | null;
  /** Whether it is an image that ends too soon. */
  readonly isTruncated: boolean;
}

/** At most one of the two is set; each completes the sentence `the host sent …` or `the file is …`. */
export interface ContentVerdict {
  readonly refused: string | null;
  readonly suspicious: string | null;
}

const FINE: ContentVerdict = { refused: null, suspicious: null };
const SHORT_LINE_CHARACTERS = 200;
const WEB_PAGES: ReadonlySet<string> = new Set(['html', 'htm', 'xhtml']);
const DELIMITER = /[,;\t|]/;

export function classifyContent(facts: ContentFacts): ContentVerdict {
  const { kind, type } = facts;
  if (type.isErrorPage) return refused(`${type.mediaType} where ${article(kind)} should be`);
  if (kind === 'IMAGE') return classifyImage(facts);
  if (facts.head.length === 0) return suspicious('an empty file');
  if (kind !== 'TABLE' && type.mediaType === 'text/html') return classifyWebPage(facts);
  if (facts.isTruncated) return suspicious(`${type.mediaType} that is cut off`);
  const text = wholeText(facts);
  const error = text === null ? null : errorIn(text);
  if (kind !== 'TABLE') return error === null ? FINE : suspicious(error.what);
  if (error !== null) return error.isCertain ? refused(error.what) : suspicious(error.what);
  return classifyTable(facts, text);
}

function classifyImage({ type, image, head, isTruncated }: ContentFacts): ContentVerdict {
  if (head.length === 0) return refused('an empty file where an IMAGE should be');
  const { mediaType } = type;
  if (!mediaType.startsWith('image/')) return refused(`${mediaType} where an IMAGE should be`);
  if (isTruncated) return refused(`${mediaType} that is cut off`);
  // an SVG needs no size
  const hasSize = image !== null && image.width > 0 && image.height > 0;
  return hasSize || mediaType === 'image/svg+xml' ? FINE : refused(`${mediaType} without a size`);
}

/** A login page cannot be told from any other web page. */
function classifyWebPage({ kind, named }: ContentFacts): ContentVerdict {
  if (WEB_PAGES.has(named)) return FINE;
  if (kind === 'MARKDOWN_IMAGE') return refused('text/html where an image should be');
  if (named !== '') return refused(`text/html where a file named .${named} should be`);
  return suspicious('a web page, possibly a login page');
}

function classifyTable(facts: ContentFacts, text: string | null): ContentVerdict {
  const { type, csv, isWhole } = facts;
  const json = text === null ? undefined : valueIn(text);
  const beginsAsJson = !isWhole && /^\s*(\{\s*"|\[\s*[{[])/.test(decoded(facts) ?? '');
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

function errorIn(text: string): { readonly what: string; readonly isCertain: boolean } | null {
  if (isErrorObject(valueIn(text))) return { what: 'a JSON object with an error', isCertain: true };
  const error = storageErrorIn(text);
  return error && { what: 'an error message from storage', isCertain: error === 'certain' };
}

/** The body as text, if it is text and complete. */
function wholeText(facts: ContentFacts): string | null {
  return facts.isWhole ? decoded(facts) : null;
}

function decoded({ head, encoding }: ContentFacts): string | null {
  return encoding === null ? null : decodeText(head, encoding);
}

/** The text parsed as a JSON object or array; undefined for anything else. */
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
