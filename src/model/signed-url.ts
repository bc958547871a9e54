/** Presigned URLs: what of them is signature (and changes with every read) and what names the file. */

const SIGNATURE_PARAMETERS = new Set([
  // Amazon CloudFront and S3 signature version 2
  ...['signature', 'expires', 'awsaccesskeyid', 'key-pair-id', 'policy'],
  // Google Cloud Storage, version 2
  'googleaccessid',
  // Alibaba Cloud OSS and Tencent COS
  ...['ossaccesskeyid', 'security-token', 'q-sign-algorithm', 'q-ak', 'q-sign-time', 'q-key-time'],
  ...['q-header-list', 'q-url-param-list', 'q-signature'],
  // Azure shared access signatures
  ...['sig', 'se', 'sp', 'sv', 'sr', 'st', 'spr', 'skoid', 'sktid', 'skt', 'ske', 'sks', 'skv'],
]);
const SIGNATURE_PREFIXES = ['x-amz-', 'x-goog-', 'x-oss-'];

/** Whether a query parameter belongs to a known signing scheme; case does not count. */
export function isSignatureParameter(name: string): boolean {
  const lower = name.toLowerCase();
  return (
    SIGNATURE_PARAMETERS.has(lower) || SIGNATURE_PREFIXES.some((prefix) => lower.startsWith(prefix))
  );
}

/** The URL without its signature and fragment: the same for every read of the same file. Other parameters stay, in order. */
export function unsignedUrl(url: string): string {
  const [beforeFragment = ''] = url.split('#', 1);
  const mark = beforeFragment.indexOf('?');
  if (mark < 0) return beforeFragment;
  const kept = beforeFragment
    .slice(mark + 1)
    .split('&')
    .filter((parameter) => parameter !== '' && !isSignatureParameter(nameOf(parameter)));
  return beforeFragment.slice(0, mark) + (kept.length > 0 ? `?${kept.join('&')}` : '');
}

const URL_WITH_QUERY = /\bhttps?:\/\/[^\s"'<>()[\]{}\\^`|]+\?[^\s"'<>()[\]{}\\^`|]*/gi;

/** A text (Markdown, say) in which every URL has lost its signature. */
export function unsignedText(text: string): string {
  return text.includes('?') ? text.replace(URL_WITH_QUERY, (url) => unsignedUrl(url)) : text;
}

function nameOf(parameter: string): string {
  const name = parameter.split('=', 1)[0] ?? '';
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
