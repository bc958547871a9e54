/** Inspects a body as it streams by: its type, the size of its table or image, and whether it can be the file. */
import type { CsvShape } from './csv-records.js';
import { TableInspector, type TableFacts } from './table-inspector.js';
import { type TextEncoding, decodeText, textEncodingOf } from './text-encoding.js';
import { ImageEnd } from './image-end.js';
import { sniff, type SniffedType, isErrorObject, storageErrorIn } from './sniff.js';
import { parseJson } from '../../base/text/parse-json.js';
import { imageSize } from 'image-size';

export interface BodyFacts {
  readonly type: SniffedType;
  /** Of a TABLE that is a text. */
  readonly table: TableFacts | null;
  /** Of a CSV that can be read to its end. */
  readonly csv: CsvShape | null;
  readonly image: ImageShape | null;
  readonly verdict: ContentVerdict;
  /** Whether it is an image that ends too soon for its format. */
  readonly isTruncated: boolean;
  /** Whether it is an image that ends where its own format says. */
  readonly provesEnd: boolean;
}

/** A JPEG may have several 64 KiB blocks of metadata before its size. */
const HEAD_BYTES = 512 * 1024;
/** Enough for a document's last tag. */
const TAIL_BYTES = 1024;

export class BodyInspector {
  readonly #kind: string;
  readonly #named: string;
  readonly #charset: string | null;
  readonly #table: TableInspector | undefined;
  readonly #imageEnd = new ImageEnd();
  readonly #headChunks: Uint8Array[] = [];
  #headBytes = 0;
  #bytes = 0;
  #tail = Buffer.alloc(0);

  /**
   * @param kind the block's type: rows are counted for TABLE only
   * @param named the extension in the URL's path, in lower case, without its dot
   * @param charset of the response; null without one
   */
  constructor(kind: string, named = '', charset: string | null = null) {
    this.#kind = kind;
    this.#named = named;
    this.#charset = charset;
    this.#table = kind === 'TABLE' ? new TableInspector(charset) : undefined;
  }

  write(chunk: Uint8Array): void {
    this.#bytes += chunk.length;
    if (this.#headBytes < HEAD_BYTES) {
      const part = chunk.subarray(0, HEAD_BYTES - this.#headBytes);
      this.#headChunks.push(part);
      this.#headBytes += part.length;
    }
    this.#tail = Buffer.concat([this.#tail, chunk.subarray(-TAIL_BYTES)]).subarray(-TAIL_BYTES);
    this.#imageEnd.write(chunk);
    this.#table?.write(chunk);
  }

  async end(): Promise<BodyFacts> {
    const [kind, named, head] = [this.#kind, this.#named, Buffer.concat(this.#headChunks)];
    const isWhole = this.#bytes === this.#headBytes;
    const table = this.#table?.end() ?? null;
    const encoding = this.#table
      ? (table?.encoding ?? null)
      : textEncodingOf(head, { charset: this.#charset, isWhole });
    const type = await sniff(head, { kind, isWhole, encoding });
    const csv = type.mediaType === 'text/csv' ? (table?.shape ?? null) : null;
    const image = inspectImage(head, type.mediaType);
    const isTruncated =
      type.mediaType === 'image/svg+xml'
        ? !endsSvg(head, this.#tail)
        : this.#imageEnd.isWhole === false;
    const facts = { kind, named, type, head, encoding, isWhole, csv, image, isTruncated };
    const verdict = classifyContent(facts);
    return {
      type,
      table,
      csv,
      image,
      verdict,
      isTruncated,
      provesEnd: this.#imageEnd.provesEnd,
    };
  }
}

/** Checks only the ends: an SVG closes in its last bytes, or is one empty tag. */
function endsSvg(head: Buffer, tail: Buffer): boolean {
  const [start, end] = [head, tail].map((bytes) => bytes.toString('latin1').replaceAll('\0', ''));
  return /<\/(?:[\w.-]+:)?svg\s*>/i.test(end ?? '') || /<svg[^<>]*\/>\s*$/i.test(start ?? '');
}

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

function classifyContent(facts: ContentFacts): ContentVerdict {
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

/** Reads an image's size from its first bytes. A size that cannot be read is null, never an error. */

export interface ImageShape {
  /** Pixels, as stored: rotation hints are not applied. */
  readonly width: number;
  readonly height: number;
}

const MEASURED: ReadonlySet<string> = new Set([
  'image/apng',
  'image/avif',
  'image/bmp',
  'image/gif',
  'image/heic',
  'image/heif',
  'image/jp2',
  'image/jpeg',
  'image/jxl',
  'image/png',
  'image/svg+xml',
  'image/tiff',
  'image/webp',
  'image/x-icon',
]);
/** image-size searches `<svg` with a pattern that takes quadratic time on a hostile text. */
const SVG_HEAD_BYTES = 8192;
const LARGEST_INT32 = 2 ** 31 - 1;

export function inspectImage(head: Uint8Array, mediaType: string): ImageShape | null {
  if (!MEASURED.has(mediaType)) return null;
  try {
    const part = mediaType === 'image/svg+xml' ? head.subarray(0, SVG_HEAD_BYTES) : head;
    const { width, height } = imageSize(part);
    return isPixels(width) && isPixels(height) ? { width, height } : null;
  } catch {
    return null;
  }
}

function isPixels(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= LARGEST_INT32;
}
