/** Presigning schemes: recognised as a whole only, all their parameters together and the signature among them. */

/** A parameter of a query as it is written: `raw` is `name=value`, or `amp;name=value` where HTML joined them. */
export interface Parameter {
  readonly raw: string;
  /** Decoded, in lower case. */
  readonly name: string;
  /** As written. */
  readonly value: string;
}

interface Scheme {
  readonly name: string;
  /** All of these must be there, each once. */
  readonly required: readonly string[];
  /** These belong to it where they are there. */
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

/** Parameters that ask for something else (`response-…`, `x-oss-process`, `versionId`) belong to none. */
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
const SIGNATURES = new Set([
  'signature',
  'sig',
  'x-amz-signature',
  'x-goog-signature',
  'x-oss-signature',
  'q-signature',
]);
/** Every scheme has a parameter that ends like this: a text without one holds no presigned URL. */
const HINT = /sig(?:nature)?=/i;

/** What a signature is written in: digits of base 16 or 64, also for URLs, also percent-encoded. */
const SIGNATURE_VALUE = /^[A-Za-z0-9%+/=_~-]+$/;
/** What the other parameters of a scheme are written in. */
const SCHEME_VALUE = /^[A-Za-z0-9%+/=_~.:;@-]*$/;
const NOT_OF_A_VALUE = /[^A-Za-z0-9%+/=_~.:;@-]/;

/** The parameters of a query without its `?`; empty ones are left out. */
export function parametersOf(query: string): Parameter[] {
  return query.split('&').flatMap((raw) => {
    if (raw === '') return [];
    const plain = raw.replace(/^amp;/i, '');
    const equals = plain.indexOf('=');
    const name = equals < 0 ? plain : plain.slice(0, equals);
    return [{ raw, name: decoded(name), value: equals < 0 ? '' : plain.slice(equals + 1) }];
  });
}

/** The names of the parameters that are the scheme's own; undefined where no scheme is there as a whole. */
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

/** Whether a text may hold a presigned URL at all: cheap, and wrongly false only where a letter of `sig` is percent-encoded. */
export function mayBePresigned(text: string): boolean {
  return text.includes('=') && HINT.test(text);
}

/** How many characters of the query may belong to a URL: prose that follows a scheme's value without a space does not. */
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
  try {
    return decodeURIComponent(name).toLowerCase();
  } catch {
    return name.toLowerCase();
  }
}
