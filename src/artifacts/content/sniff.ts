/**
 * Tells from a body's bytes alone what it is: its type, whatever its name and Content-Type say, or the error message of a
 * store or a proxy.
 */
import { fileTypeFromBuffer } from 'file-type';
import { parseJson } from '../../base/text/parse-json.js';
import { decodeText, type TextEncoding } from './text-encoding.js';
import { markupOf, type Markup } from './markup.js';

export interface SniffedType {
  readonly mediaType: string;
  /** Without a dot, from a fixed list. */
  readonly extension: string;
  /** An error or login page, or an XML error document, instead of a file of this kind. */
  readonly isErrorPage: boolean;
}

interface SniffOptions {
  /** The block's type: TABLE, IMAGE, … */
  readonly kind: string;
  /** Whether the head is the whole body. */
  readonly isWhole: boolean;
  /** The encoding of the head, as `textEncodingOf` tells it. */
  readonly encoding: TextEncoding | null;
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  'application/gzip': 'gz',
  'application/json': 'json',
  'application/octet-stream': 'bin',
  'application/pdf': 'pdf',
  'application/vnd.apache.parquet': 'parquet',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/x-cfb': 'cfb', // the container of old .xls and .doc files
  'application/xml': 'xml',
  'application/zip': 'zip',
  'image/apng': 'png',
  'image/avif': 'avif',
  'image/bmp': 'bmp',
  'image/gif': 'gif',
  'image/heic': 'heic',
  'image/heif': 'heic',
  'image/jp2': 'jp2',
  'image/jpeg': 'jpg',
  'image/jxl': 'jxl',
  'image/png': 'png',
  'image/svg+xml': 'svg',
  'image/tiff': 'tif',
  'image/webp': 'webp',
  'image/x-icon': 'ico',
  'text/csv': 'csv',
  'text/html': 'html',
  'text/plain': 'txt',
};

/** @param head the first bytes of the body; more bytes make the result more reliable */
export async function sniff(head: Uint8Array, options: SniffOptions): Promise<SniffedType> {
  if (head.length === 0)
    return typed(options.kind === 'TABLE' ? 'text/csv' : 'application/octet-stream');
  const { encoding } = options;
  // file-type detects some formats by two bytes, and a CSV may begin with "BM": text is detected first
  if (encoding === null) return typed(await binaryType(head));
  return sniffText(decodeText(head, encoding), options);
}

function sniffText(text: string, options: SniffOptions): SniffedType {
  const { kind, isWhole } = options;
  const markup = markupOf(text, isWhole);
  if (markup !== null) return sniffMarkup(markup, kind);
  if (text.startsWith('%PDF-')) return typed('application/pdf');
  if (isJson(text, options)) return typed('application/json');
  return typed(kind === 'TABLE' ? 'text/csv' : 'text/plain');
}

function sniffMarkup(markup: Markup, kind: string): SniffedType {
  const type = {
    html: 'text/html',
    svg: 'image/svg+xml',
    xml: 'application/xml',
    error: 'application/xml',
  }[markup];
  const isErrorPage =
    markup === 'error' || kind === 'TABLE' || (kind === 'IMAGE' && markup !== 'svg');
  return typed(type, isErrorPage);
}

async function binaryType(head: Uint8Array): Promise<string> {
  const detected = await fileTypeFromBuffer(head).catch(() => undefined);
  return detected?.mime.split(';')[0] ?? 'application/octet-stream';
}

/** In a TABLE, `[1,2]` counts as a line of CSV; only a JSON object counts as JSON. */
function isJson(text: string, { kind, isWhole }: SniffOptions): boolean {
  const start = text.trimStart();
  if (!(kind === 'TABLE' ? /^\{/ : /^[[{]/).test(start)) return false;
  if (!isWhole) return kind !== 'TABLE' && /^(\{\s*"|\[\s*[[{"\d-])/.test(start);
  try {
    parseJson(start);
    return true;
  } catch {
    return false;
  }
}

function typed(mediaType: string, isErrorPage = false): SniffedType {
  return { mediaType, extension: EXTENSIONS[mediaType] ?? 'bin', isErrorPage };
}
