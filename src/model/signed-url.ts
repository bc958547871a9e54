/**
 * Keeps signatures from where they must not be seen. For secrecy only: what two URLs mean is told by
 * `file-url.ts`, which assumes less.
 */
import { maskSignatures } from '../base/text/signature-values.js';

const SIGNATURE_PARAMETERS: ReadonlySet<string> = new Set([
  // Amazon CloudFront and S3 signature version 2
  'signature',
  'expires',
  'awsaccesskeyid',
  'key-pair-id',
  'policy',
  // Google Cloud Storage, version 2
  'googleaccessid',
  // Alibaba Cloud OSS (where x-oss-process is no signature: it asks for another picture) and Tencent COS
  'ossaccesskeyid',
  'security-token',
  'x-oss-signature-version',
  'x-oss-credential',
  'x-oss-date',
  'x-oss-expires',
  'x-oss-signature',
  'x-oss-security-token',
  'x-oss-additional-headers',
  'q-sign-algorithm',
  'q-ak',
  'q-sign-time',
  'q-key-time',
  'q-header-list',
  'q-url-param-list',
  'q-signature',
  // Azure shared access signatures
  'sig',
  'se',
]);
const SIGNATURE_PREFIXES = ['x-amz-', 'x-goog-'];

/** Azure's other parameters have names that anything might have: they count beside a `sig` alone. */
const BESIDE_SIG: ReadonlySet<string> = new Set([
  'sp',
  'sv',
  'sr',
  'st',
  'ss',
  'srt',
  'spr',
  'sip',
  'si',
  'sdd',
  'skoid',
  'sktid',
  'skt',
  'ske',
  'sks',
  'skv',
]);

/** The URL without its signature; verbatim, fragment included, where it has none. */
function unsignedReference(url: string): string {
  const hash = url.indexOf('#');
  const end = hash < 0 ? url.length : hash;
  const mark = url.indexOf('?');
  const parameters = parametersIn(url.slice(mark + 1, end));
  const kept = withoutSignature(parameters);
  if (kept.length === parameters.length) return url;
  return url.slice(0, mark) + (kept.length > 0 ? `?${kept.join('&')}` : '') + url.slice(end);
}

/**
 * The path may hold anything (two links without a space between are fine, it is kept anyway); the
 * query ends where Markdown, HTML or JSON would end it, but may hold brackets in pairs. The path is
 * bounded, lest a text of nothing but `https://` take quadratic time.
 */
const URL_WITH_QUERY =
  /\bhttps?:\/\/[^\s"'<>?#]{0,4096}\?(?:[^\s"'<>()[\]{}\\^`|]+|\([^\s"'<>()]*\)|\[[^\s"'<>[\]]*\])*/gi;

/** The parameters that let whoever holds them in; the others of a signature are worth nothing alone. */
const SECRETS: ReadonlySet<string> = new Set([
  'signature',
  'sig',
  'x-amz-signature',
  'x-goog-signature',
  'x-oss-signature',
  'q-signature',
]);

/** A text in which no URL lets anyone in: presigned ones lose their signature, all others stay verbatim. */
export function withoutSecrets(text: string): string {
  const unsigned = text.includes('?') ? text.replace(URL_WITH_QUERY, withoutSecret) : text;
  return maskSignatures(unsigned);
}

function withoutSecret(url: string): string {
  const parameters = parametersIn(url.slice(url.indexOf('?') + 1));
  return parameters.some((one) => SECRETS.has(nameOf(one))) ? unsignedReference(url) : url;
}

function parametersIn(query: string): string[] {
  return query.split('&').filter((parameter) => parameter !== '');
}

function withoutSignature(parameters: readonly string[]): string[] {
  const hasSig = parameters.some((parameter) => nameOf(parameter) === 'sig');
  return parameters.filter((parameter) => {
    const name = nameOf(parameter);
    const isSignature =
      SIGNATURE_PARAMETERS.has(name) ||
      SIGNATURE_PREFIXES.some((prefix) => name.startsWith(prefix)) ||
      (hasSig && BESIDE_SIG.has(name));
    return !isSignature;
  });
}

/** In lower case; a URL inside HTML joins its parameters with `&amp;`. */
function nameOf(parameter: string): string {
  const name = (parameter.split('=', 1)[0] ?? '').replace(/^amp;/i, '');
  try {
    return decodeURIComponent(name).toLowerCase();
  } catch {
    return name.toLowerCase();
  }
}
