/** How storage says no in plain text or JSON with status 200: what vendors and the proxies before them are known to send. */

/** How the one line of such a text begins. Amazon S3, Azure, Google, Alibaba OSS, Tencent COS, MinIO, nginx, Cloudflare, Envoy. */
const REFUSALS = [
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
/** What may stand before the words: `HTTP/1.1 403`, `Code:`. */
const BEFORE = /^\W*(?:(?:http\/[\d.]+ )?[45]\d\d\W+|(?:code|message)\W+)*/i;
const ERROR = /^error(?: code)?\s*[:=]/;
const MAX_REFUSAL_CHARACTERS = 1024;
const MAX_REFUSAL_LINES = 8;

/** Members of a JSON object that say by their name alone that it is about an error. */
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
/** A text for people; an error only where nothing else but what goes with one stands beside it. */
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
 * Whether a text is a refusal: `surely` where it is one line and nothing else, `perhaps` where the first
 * of a few lines begins like one.
 *
 * @param text the whole body
 */
export function refusalInText(text: string): 'surely' | 'perhaps' | null {
  if (text.length > MAX_REFUSAL_CHARACTERS) return null;
  const lines = text.split(/[\r\n]+/).filter((line) => line.trim() !== '');
  const [first] = lines;
  if (first === undefined || lines.length > MAX_REFUSAL_LINES || !isRefusal(first)) return null;
  return lines.length === 1 ? 'surely' : 'perhaps';
}

/** A header such as `Forbidden,Count` is none: after the words comes the line's end or more of a sentence. */
function isRefusal(line: string): boolean {
  const words = line.replace(BEFORE, '').toLowerCase();
  const isOne = (refusal: string): boolean =>
    words.startsWith(refusal) && /^($|[\s.:;!)]|, )/.test(words.slice(refusal.length));
  return ERROR.test(words) || REFUSALS.some(isOne);
}

/** Whether a JSON value is an object that tells of an error. */
export function isErrorObject(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const names = Object.keys(value).map((name) => name.toLowerCase().replace(/[^a-z]/g, ''));
  if (names.some((name) => ERROR_MEMBERS.has(name))) return true;
  return (
    names.some((name) => MESSAGE_MEMBERS.has(name)) &&
    names.every((name) => MESSAGE_MEMBERS.has(name) || BESIDE_MESSAGE.has(name))
  );
}
