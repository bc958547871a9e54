/** Recognises presigning schemes in URLs: only if all their parameters are present, with the signature. */

/** A parameter of a query. `raw` is `name=value`, or `amp;name=value` from HTML. */
export interface Parameter {
  readonly raw: string;
  /** Decoded, in lower case. */
  readonly name: string;
  /** As written. */
  readonly value: string;
}

interface Scheme {
  readonly name: string;
  /** Must all be present, each once. */
  readonly required: readonly string[];
  /** Belong to the scheme if they are present. */
  readonly optional?: readonly string[];
}

const AZURE_OPTIONAL = [
  'st',
  'se',
  'sp',
  'spr',
  'sip',
  'sdd',
  'ses',
  'saoid',
  'suoid',
  'scid',
  'skoid',
  'sktid',
  'skt',
  'ske',
  'sks',
  'skv',
];

/** Parameters that change the answer (`response-…`, `x-oss-process`, `versionId`) belong to no scheme. */
const SCHEMES: readonly Scheme[] = [
  {
    name: 'Amazon S3, version 4',
    required: [
      'x-amz-algorithm',
      'x-amz-credential',
      'x-amz-date',
      'x-amz-expires',
      'x-amz-signedheaders',
      'x-amz-signature',
    ],
    optional: ['x-amz-security-token', 'x-amz-content-sha256'],
  },
  {
    name: 'Google, version 4',
    required: [
      'x-goog-algorithm',
      'x-goog-credential',
      'x-goog-date',
      'x-goog-expires',
      'x-goog-signedheaders',
      'x-goog-signature',
    ],
  },
  {
    name: 'Amazon S3, version 2',
    required: ['awsaccesskeyid', 'expires', 'signature'],
    optional: ['x-amz-security-token'],
  },
  { name: 'Google, version 2', required: ['googleaccessid', 'expires', 'signature'] },
  {
    name: 'Alibaba Cloud OSS',
    required: ['ossaccesskeyid', 'expires', 'signature'],
    optional: ['security-token'],
  },
  { name: 'CloudFront, canned policy', required: ['expires', 'signature', 'key-pair-id'] },
  { name: 'CloudFront, custom policy', required: ['policy', 'signature', 'key-pair-id'] },
  {
    name: 'Alibaba Cloud OSS, version 4',
    required: [
      'x-oss-signature-version',
      'x-oss-credential',
      'x-oss-date',
      'x-oss-expires',
      'x-oss-signature',
    ],
    optional: ['x-oss-security-token', 'x-oss-additional-headers'],
  },
  {
    name: 'Tencent COS',
    required: [
      'q-sign-algorithm',
      'q-ak',
      'q-sign-time',
      'q-key-time',
      'q-header-list',
      'q-url-param-list',
      'q-signature',
    ],
    optional: ['x-cos-security-token'],
  },
  { name: 'Azure, service', required: ['sv', 'sr', 'sp', 'se', 'sig'], optional: AZURE_OPTIONAL },
  { name: 'Azure, stored policy', required: ['sv', 'sr', 'si', 'sig'], optional: AZURE_OPTIONAL },
  {
    name: 'Azure, account',
    required: ['sv', 'ss', 'srt', 'sp', 'se', 'sig'],
    optional: AZURE_OPTIONAL,
  },
];

const SCHEME_PARAMETERS = new Set(
  SCHEMES.flatMap(({ required, optional = [] }) => [...required, ...optional]),
);
const AZURE_PARAMETERS = new Set(
  SCHEMES.filter(({ name }) => name.startsWith('Azure')).flatMap(({ required }) => [
    ...required,
    ...AZURE_OPTIONAL,
  ]),
);
const PREFIXES = ['x-amz-', 'x-goog-'];
const SIGNATURES: ReadonlySet<string> = new Set([
  'signature',
  'sig',
  'x-amz-signature',
  'x-goog-signature',
  'x-oss-signature',
  'q-signature',
]);
/** The signature of every scheme ends like this: a text without it contains no presigned URL. */
const HINT = /sig(?:nature)?=/i;

/** Characters of a signature: base 16, base 64, base64url or percent-encoded. */
const SIGNATURE_VALUE = /^[A-Za-z0-9%+/=_~-][A-Za-z0-9%+/=_~-]*$/;
/** Characters of the other parameters of a scheme. */
const SCHEME_VALUE = /^[A-Za-z0-9%+/=_~.:;@-]*$/;
const NOT_OF_A_VALUE = /[^A-Za-z0-9%+/=_~.:;@-]/;

/** The parameters of a query without its `?`; empty ones are omitted. */
export function parametersOf(query: string): Parameter[] {
  return query.split('&').flatMap((raw) => {
    if (raw === '') return [];
    const plain = raw.replace(/^amp;/i, '');
    const equals = plain.indexOf('=');
    const name = equals < 0 ? plain : plain.slice(0, equals);
    return [{ raw, name: decoded(name), value: equals < 0 ? '' : plain.slice(equals + 1) }];
  });
}

/** The names of the scheme's parameters; undefined without a complete scheme. */
export function presigningIn(parameters: readonly Parameter[]): ReadonlySet<string> | undefined {
  if (!parameters.some(({ name }) => SIGNATURES.has(name))) return undefined;
  const values = new Map<string, string>();
  const repeated = new Set<string>();
  for (const { name, value } of parameters) {
    if (values.has(name)) repeated.add(name);
    values.set(name, value);
  }
  const fits = (name: string): boolean => {
    const value = values.get(name);
    if (value === undefined || repeated.has(name)) return false;
    return (SIGNATURES.has(name) ? SIGNATURE_VALUE : SCHEME_VALUE).test(value);
  };
  const scheme = SCHEMES.find(({ required }) => required.every(fits));
  return scheme && new Set([...scheme.required, ...(scheme.optional ?? []).filter(fits)]);
}

/**
 * The parameters without any that may belong to a signature, also of an incomplete scheme; all of them if no
 * signature is among them. For secrecy only: it may remove more than `presigningIn` recognises.
 */
export function withoutSignature(parameters: readonly Parameter[]): readonly Parameter[] {
  if (!parameters.some(({ name }) => SIGNATURES.has(name))) return parameters;
  const hasSig = parameters.some(({ name }) => name === 'sig');
  const isOfSignature = (name: string): boolean => {
    // Azure's names are short and common: they count only beside a `sig`
    if (!hasSig && AZURE_PARAMETERS.has(name) && name !== 'se') return false;
    return SCHEME_PARAMETERS.has(name) || PREFIXES.some((prefix) => name.startsWith(prefix));
  };
  return parameters.filter(({ name }) => !isOfSignature(name));
}

/** Whether a text may contain a presigned URL: a cheap test, wrong only if a letter of `sig` is percent-encoded. */
export function mayBePresigned(text: string): boolean {
  return text.includes('=') && HINT.test(text);
}

/** How many characters of the query belong to the URL: prose may follow a scheme's value without a space. */
export function endOfQuery(query: string): number {
  let at = 0;
  for (const raw of query.split('&')) {
    const [parameter] = parametersOf(raw);
    if (parameter && SCHEME_PARAMETERS.has(parameter.name)) {
      const value = NOT_OF_A_VALUE.exec(parameter.value)?.index ?? -1;
      if (value >= 0) return at + raw.length - parameter.value.length + value;
    }
    at += raw.length + 1;
  }
  return query.length;
}

function decoded(name: string): string {
  if (!name.includes('%')) return name.toLowerCase();
  try {
    return decodeURIComponent(name).toLowerCase();
  } catch {
    return name.toLowerCase();
  }
}
