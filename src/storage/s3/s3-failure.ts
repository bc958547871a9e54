/** Turns errors of the SDK into one sentence with the bucket, the action and the object, without secrets. */
import { codeOf, JobvaultError, messageOf, UsageError } from '../../base/error.js';
import { NOT_CONNECTED } from '../../base/http/proxy.js';
import { redactText } from '../../base/text/redact.js';
import { StorageError } from '../storage-errors.js';
import { type StorageTrouble } from '../storage-fixes.js';

export type S3Action = 'write' | 'read' | 'list' | 'delete' | 'look at' | 'lock';

type Reason = readonly [clause: string, trouble: StorageTrouble];

const ELSEWHERE: Reason = ['the bucket lies in another region', 'region'];
const DENIED: Reason = ['permission is denied', 'permission'];
const UNKNOWN_HOST: Reason = ['the host is not known', 'host'];
const UNREACHABLE: Reason = ['the network is not reachable', 'network'];
const NO_ANSWER: Reason = ['no answer came in time', 'network'];
const UNTRUSTED: Reason = ["the store's certificate is not trusted", 'certificate'];

/** The reason at the end of a message, whose code follows in brackets, and the kind of trouble. */
const REASONS: Readonly<Record<string, Reason>> = {
  AccessDenied: DENIED,
  Forbidden: DENIED,
  AllAccessDisabled: DENIED,
  NoSuchBucket: ['there is no such bucket', 'bucket'],
  InvalidAccessKeyId: ['the store does not know the access key', 'credentials'],
  SignatureDoesNotMatch: ['the secret key does not match the access key', 'credentials'],
  ExpiredToken: ['the session token has expired', 'token'],
  InvalidToken: ['the session token is not valid', 'token'],
  TokenRefreshRequired: ['the session token must be renewed', 'token'],
  PermanentRedirect: ELSEWHERE,
  MovedPermanently: ELSEWHERE,
  AuthorizationHeaderMalformed: ELSEWHERE,
  IllegalLocationConstraintException: ELSEWHERE,
  RequestTimeTooSkewed: ["this machine's clock is wrong", 'clock'],
  InvalidBucketName: ['the name of the bucket is invalid', 'bucket'],
  InvalidStorageClass: [
    'the store does not have the storage class of --s3-storage-class',
    'unsupported',
  ],
  InvalidObjectState: [
    'it lies in a storage class that must be restored before it can be read',
    'offline',
  ],
  QuotaExceeded: ['the quota is used up', 'space'],
  EntityTooLarge: ['the object is larger than the store allows', 'size'],
  NotImplemented: ['the store does not support the operation', 'unsupported'],
  KMSDisabledException: ['the key of --s3-kms-key-id is disabled', 'unsupported'],
  'KMS.NotFoundException': ['there is no KMS key --s3-kms-key-id', 'unsupported'],
  SlowDown: ['the store is overloaded', 'busy'],
  ServiceUnavailable: ['the store is not available', 'busy'],
  InternalError: ['the store had an internal error', 'busy'],
  AnsweredByCache: ['a cache in front of the store answers from its memory', 'front'],
  ENOTFOUND: UNKNOWN_HOST,
  EAI_AGAIN: UNKNOWN_HOST,
  ECONNREFUSED: ['the connection was refused', 'refused'],
  ECONNRESET: ['the connection was closed by the other side', 'network'],
  EHOSTUNREACH: UNREACHABLE,
  ENETUNREACH: UNREACHABLE,
  ETIMEDOUT: NO_ANSWER,
  TimeoutError: NO_ANSWER,
  EPROTO: ['the store does not speak TLS there', 'refused'],
  CERT_HAS_EXPIRED: UNTRUSTED,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  ERR_TLS_CERT_ALTNAME_INVALID: ['the certificate is that of another host', 'host'],
  CredentialsProviderError: [
    'no credentials were found (environment, profile, web identity, instance role)',
    'credentials',
  ],
};

/** For responses without a body, such as those to HEAD. */
const REASON_BY_STATUS: Readonly<Record<number, Reason>> = {
  301: ELSEWHERE,
  400: ['the store refuses the request', 'other'],
  403: DENIED,
  404: ['it is not there', 'bucket'],
  503: ['the store is not available', 'busy'],
};

/** What it also looks like where the store is another one. */
const OF_ANOTHER_STORE: ReadonlySet<StorageTrouble> = new Set([
  ...(['host', 'bucket', 'credentials', 'permission', 'region'] as const),
]);
/** What is known of the requests. */
interface S3Asked {
  readonly location: string;
  readonly asksAws: boolean;
  /** `host:port` of the proxy before the store, if there is one. */
  readonly proxy?: string | undefined;
  /** Whether uploads have a checksum. Default: they do. */
  readonly sendsChecksums?: boolean | undefined;
}

const ASKED_AWS = '; AWS was asked, because no --s3-endpoint is set';

/**
 * How stores say that they do not take the headers of a checksum, which differ: “Unsupported header
 * 'x-amz-sdk-checksum-algorithm'”, “A header you provided implies functionality that is not implemented”.
 */
const REFUSES_CHECKSUM =
  /checksum|x-amz-sdk-|x-amz-trailer|x-amz-content-sha256|header you provided implies functionality/i;
/** A checksum that does not match is damage in transit. */
const IS_DAMAGE: ReadonlySet<string> = new Set(['BadDigest', 'XAmzContentChecksumMismatch']);
/** Characters of a store's own words. */
const LONGEST_WORDS = 300;

function refusesChecksum(action: S3Action, thrown: unknown): boolean {
  const status = statusOf(thrown);
  if (action !== 'write' || IS_DAMAGE.has(nameOf(thrown))) return false;
  return (status === 400 || status === 501) && REFUSES_CHECKSUM.test(messageOf(thrown));
}

function ownWords(thrown: unknown): string {
  return redactText(messageOf(thrown)).replace(/\s+/g, ' ').slice(0, LONGEST_WORDS);
}

/** A jobvault error comes back as it is; anything else becomes the cause of a `StorageError`. */
export function s3Failure(
  action: S3Action,
  subject: string,
  { location, asksAws, proxy, sendsChecksums = true }: S3Asked,
  thrown: unknown,
): JobvaultError {
  if (thrown instanceof JobvaultError) return thrown;
  if (messageOf(thrown) === 'Region is missing') {
    return new UsageError(
      `the region of ${location} is not known; give it with --s3-region or AWS_REGION, or, of a store that is not AWS, its address with --s3-endpoint`,
    );
  }
  if (sendsChecksums && refusesChecksum(action, thrown)) {
    const why = `the store refuses the checksum of an upload (${nameOf(thrown)}: “${ownWords(thrown)}”)`;
    return new StorageError(`cannot ${action} ${subject} in ${location}: ${why}`, {
      cause: withoutSecrets(thrown),
      trouble: 'checksum',
    });
  }
  const trouble = troubleOf(thrown, proxy);
  const where = asksAws && OF_ANOTHER_STORE.has(trouble) ? ASKED_AWS : '';
  const text = `cannot ${action} ${subject} in ${location}: ${s3Trouble(thrown, proxy)}${where}`;
  return new StorageError(text, {
    cause: withoutSecrets(thrown),
    trouble: where !== '' && trouble === 'host' ? 'no-endpoint' : trouble,
  });
}

export function statusOf(thrown: unknown): number | undefined {
  const metadata = (thrown as { $metadata?: { httpStatusCode?: number } } | null)?.$metadata;
  return metadata?.httpStatusCode;
}

export function nameOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.name : '';
}

/** By the name of the error, or by the code of Node.js. */
function reasonOf(thrown: unknown): Reason | undefined {
  return REASONS[nameOf(thrown)] ?? REASONS[codeOf(thrown) ?? ''];
}

/** Whether it is the connection to the proxy that was not made. */
function isProxyDown(thrown: unknown, proxy: string | undefined): boolean {
  return proxy !== undefined && NOT_CONNECTED.has(codeOf(thrown) ?? '');
}

function troubleOf(thrown: unknown, proxy: string | undefined): StorageTrouble {
  if (isProxyDown(thrown, proxy)) return 'proxy-down';
  const status = statusOf(thrown);
  if (status === 407) return 'proxy';
  const reason = reasonOf(thrown) ?? (status === undefined ? undefined : REASON_BY_STATUS[status]);
  return reason?.[1] ?? 'other';
}

/** What went wrong, as a clause. @param proxy `host:port` of the one before the store: it may be the cause */
export function s3Trouble(thrown: unknown, proxy?: string): string {
  const clause = clauseOf(thrown);
  if (proxy === undefined) return clause;
  return isProxyDown(thrown, proxy)
    ? `the proxy ${proxy} cannot be reached: ${clause}`
    : `${clause}, through the proxy ${proxy}`;
}

function clauseOf(thrown: unknown): string {
  const name = nameOf(thrown);
  const status = statusOf(thrown);
  const code = codeOf(thrown);
  const [known] = reasonOf(thrown) ?? [];
  const attempts = attemptsOf(thrown);
  const tries = attempts > 1 ? `, ${attempts} attempts` : '';
  // only a proxy sends 407, so the rest of the response is not the store's
  if (status === 407) return `the proxy asks for credentials (${status}${tries})`;
  if (known !== undefined) return `${known} (${REASONS[name] ? name : (code ?? name)}${tries})`;
  const [byStatus] = (status === undefined ? undefined : REASON_BY_STATUS[status]) ?? [];
  const message = redactText(messageOf(thrown)).slice(0, LONGEST_WORDS);
  if (byStatus !== undefined && /^(UnknownError|Unknown|NotFound|Error|\d+)?$/.test(name)) {
    return `${byStatus} (${status}${tries})`;
  }
  if (/^(UnknownError|Unknown)?$/.test(message) && name !== '') {
    return `the store refuses the request (${name}${tries})`;
  }
  const label = [name === 'Error' ? undefined : name, status && `status ${status}`, code]
    .filter(Boolean)
    .join(', ');
  return `${message || 'it failed'}${label || tries ? ` (${label}${tries})` : ''}`;
}

function attemptsOf(thrown: unknown): number {
  const metadata = (thrown as { $metadata?: { attempts?: number } } | null)?.$metadata;
  return metadata?.attempts ?? 1;
}

/** The SDK's errors carry the whole response; the cause keeps only what is useful and safe to print. */
function withoutSecrets(thrown: unknown): Error {
  const cause = new Error(redactText(messageOf(thrown)).slice(0, 1000));
  cause.name = nameOf(thrown) || 'Error';
  return cause;
}
