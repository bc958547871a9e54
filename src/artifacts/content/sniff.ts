/**
 * Tells from a body's bytes alone what it is: its type, whatever its name and Content-Type say, or the error message of a
 * store or a proxy.
 */
import { fileTypeFromBuffer } from 'file-type';
import { parseJson } from '../../base/text/parse-json.js';
import { decodeText, type TextEncoding } from './text-encoding.js';

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
  /** Of the head, as `textEncodingOf` tells it. */
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

/** Detects HTML and XML documents by their beginning. A CSV whose first cell starts with `<` is not one. */

/** `error`: an XML error document from object storage. */
type Markup = 'html' | 'svg' | 'xml' | 'error';

const PROLOGUE = /^(?:\s+|<!--[\s\S]*?-->|<\?[\s\S]*?\?>)+/;
const DOCTYPE = /^<!doctype\s+([\w:.-]+)/i;
const ROOT = /^<([a-z_][\w.:-]*)(?=[\s/>])[^<>]*>\s*/i;
const HTML_ROOTS = new Set(['html', 'head', 'body']);

/**
 * @param text the beginning of the body, decoded, without a byte order mark
 * @param isWhole whether that is the whole body
 */
function markupOf(text: string, isWhole: boolean): Markup | null {
  const start = text.trimStart();
  if (!start.startsWith('<')) return null;
  const declared = /^<\?xml\s/i.test(start);
  const rest = start.replace(PROLOGUE, '');
  const doctype = DOCTYPE.exec(rest);
  const kind = doctype ? kindOfDoctype(doctype[1]) : kindOfRoot(rest, isWhole);
  return kind ?? (declared || doctype ? 'xml' : null);
}

function kindOfDoctype(name: string | undefined): Markup | null {
  const root = localName(name ?? '');
  return root === 'html' || root === 'svg' ? root : null;
}

function kindOfRoot(text: string, isWhole: boolean): Markup | null {
  const root = ROOT.exec(text);
  if (!root) return null;
  const name = localName(root[1] ?? '');
  const next = text.charAt(root[0].length);
  const looksNested = next === '<' || next === '';
  if (name === 'svg' && next !== ',') return 'svg';
  if (HTML_ROOTS.has(name) && next !== ',') return 'html';
  if (/error(response)?$/.test(name) && looksNested) return 'error';
  const closes = isWhole && text.trimEnd().endsWith(`</${root[1] ?? ''}>`);
  return closes ? 'xml' : null;
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1).toLowerCase();
}

/** Detects error messages that storage vendors and proxies send as plain text or JSON with status 200. */

/** Beginnings of one-line messages of Amazon S3, Azure, Google, Alibaba OSS, Tencent COS, MinIO, nginx, Cloudflare, Envoy. */
const ERROR_MESSAGES = [
  'access denied',
  'accessdenied',
  'access forbidden',
  'permission denied',
  'forbidden',
  'unauthorized',
  'not authorized',
  'authenticationfailed',
  'authentication failed',
  'authorizationpermissionmismatch',
  'anonymous caller does not have',
  'invalidaccesskeyid',
  'signaturedoesnotmatch',
  'signature does not match',
  'invalid signature',
  'url signature',
  'server failed to authenticate the request',
  'the request signature we calculated',
  'request has expired',
  'url has expired',
  'url expired',
  'link has expired',
  'link expired',
  'token has expired',
  'expiredtoken',
  'expired token',
  'the provided token has expired',
  'the specified key does not exist',
  'nosuchkey',
  'no such key',
  'no such object',
  'the specified blob does not exist',
  'blobnotfound',
  'the specified resource does not exist',
  'the specified bucket does not exist',
  'nosuchbucket',
  'resourcenotfound',
  'not found',
  'file not found',
  'object not found',
  'page not found',
  'bad request',
  'too many requests',
  'slowdown',
  'slow down',
  'please reduce your request rate',
  'rate limit exceeded',
  'request timeout',
  'internal server error',
  'internalerror',
  'bad gateway',
  'service unavailable',
  'serviceunavailable',
  'gateway timeout',
  'upstream connect error',
  'no healthy upstream',
];
/** What may precede the message: `HTTP/1.1 403`, `Code:`. */
const PREFIX = /^\W*(?:(?:http\/[\d.]+ )?[45]\d\d\W+|(?:code|message)\W+)*/i;
const ERROR = /^error(?: code)?\s*[:=]/;
const MAX_MESSAGE_CHARACTERS = 1024;
const MAX_MESSAGE_LINES = 8;

/** A JSON object with a member of one of these names is an error. */
const ERROR_MEMBERS: ReadonlySet<string> = new Set([
  'error',
  'errors',
  'errorcode',
  'errcode',
  'errormessage',
  'errmsg',
  'errordescription',
  'exception',
  'fault',
  'faultstring',
]);
/** A message is an error only if every other member is one of `BESIDE_MESSAGE`. */
const MESSAGE_MEMBERS: ReadonlySet<string> = new Set(['message', 'msg', 'detail', 'title']);
const BESIDE_MESSAGE: ReadonlySet<string> = new Set([
  'code',
  'status',
  'statuscode',
  'type',
  'success',
  'requestid',
  'traceid',
  'hostid',
  'resource',
  'timestamp',
  'path',
  'data',
  'instance',
  'documentationurl',
]);

/**
 * Whether a text is an error message: `certain` if it is a single line, `possible` if it is the first of
 * a few lines.
 *
 * @param text the whole body
 */
export function storageErrorIn(text: string): 'certain' | 'possible' | null {
  if (text.length > MAX_MESSAGE_CHARACTERS) return null;
  const lines = text.split(/[\r\n]+/).filter((line) => line.trim() !== '');
  const [first] = lines;
  if (first === undefined || lines.length > MAX_MESSAGE_LINES || !isErrorLine(first)) return null;
  return lines.length === 1 ? 'certain' : 'possible';
}

/** A CSV header such as `Forbidden,Count` is not an error: the line must end or the sentence go on after the words. */
function isErrorLine(line: string): boolean {
  const words = line.replace(PREFIX, '').toLowerCase();
  const beginsWith = (message: string): boolean =>
    words.startsWith(message) && /^($|[\s.:;!)]|, )/.test(words.slice(message.length));
  return ERROR.test(words) || ERROR_MESSAGES.some(beginsWith);
}

/** Whether a JSON value is an object that describes an error. */
export function isErrorObject(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const names = Object.keys(value).map((name) => name.toLowerCase().replace(/[^a-z]/g, ''));
  if (names.some((name) => ERROR_MEMBERS.has(name))) return true;
  return (
    names.some((name) => MESSAGE_MEMBERS.has(name)) &&
    names.every((name) => MESSAGE_MEMBERS.has(name) || BESIDE_MESSAGE.has(name))
  );
}
