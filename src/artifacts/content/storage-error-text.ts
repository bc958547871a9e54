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
