/** Turns errors of the SDK into one sentence with the bucket, the action and the object, without secrets. */
import { codeOf, JobvaultError, messageOf } from '../../base/error.js';
import { redactText } from '../../base/text/redact.js';
import { UsageError } from '../../base/usage-error.js';
import { StorageError } from '../storage-error.js';

export type S3Action = 'write' | 'read' | 'list' | 'delete' | 'look at' | 'lock';

/** The reason at the end of a message; the store's code follows in brackets. */
const REASONS: Readonly<Record<string, string>> = {
  AccessDenied: 'permission is denied',
  Forbidden: 'permission is denied',
  AllAccessDisabled: 'permission is denied',
  NoSuchBucket: 'there is no such bucket',
  InvalidAccessKeyId: 'the store does not know the access key',
  SignatureDoesNotMatch: 'the secret key does not match the access key',
  ExpiredToken: 'the session token has expired',
  InvalidToken: 'the session token is not valid',
  TokenRefreshRequired: 'the session token must be renewed',
  PermanentRedirect: 'the bucket lies in another region (give it with --s3-region)',
  MovedPermanently: 'the bucket lies in another region (give it with --s3-region)',
  AuthorizationHeaderMalformed: 'the bucket lies in another region (give it with --s3-region)',
  IllegalLocationConstraintException:
    'the bucket lies in another region (give it with --s3-region)',
  RequestTimeTooSkewed: "this machine's clock is wrong",
  InvalidBucketName: 'the name of the bucket is invalid',
  InvalidStorageClass: 'the store does not have the storage class of --s3-storage-class',
  QuotaExceeded: 'the quota is used up',
  EntityTooLarge: 'the object is larger than the store allows',
  NotImplemented: 'the store does not support the operation',
  KMSDisabledException: 'the key of --s3-kms-key-id is disabled',
  'KMS.NotFoundException': 'there is no KMS key --s3-kms-key-id',
  SlowDown: 'the store is overloaded',
  ServiceUnavailable: 'the store is not available',
  InternalError: 'the store had an internal error',
  ENOTFOUND: 'the host is not known',
  EAI_AGAIN: 'the host is not known',
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed by the other side',
  ETIMEDOUT: 'no answer came in time',
  TimeoutError: 'no answer came in time',
  CredentialsProviderError:
    'no credentials were found (environment, profile, web identity, instance role)',
};

/** For responses without a body, such as those to HEAD. */
const REASON_BY_STATUS: Readonly<Record<number, string>> = {
  301: REASONS['PermanentRedirect'] ?? '',
  400: 'the store refuses the request',
  403: 'permission is denied',
  404: 'it is not there',
  503: 'the store is not available',
};

/** A jobvault error comes back as it is; anything else becomes the cause of a `StorageError`. */
export function s3Failure(
  action: S3Action,
  subject: string,
  location: string,
  thrown: unknown,
): JobvaultError {
  if (thrown instanceof JobvaultError) return thrown;
  if (messageOf(thrown) === 'Region is missing') {
    return new UsageError(
      `the region of ${location} is not known; give it with --s3-region or AWS_REGION`,
    );
  }
  const text = `cannot ${action} ${subject} in ${location}: ${s3Trouble(thrown)}`;
  return new StorageError(text, { cause: withoutSecrets(thrown) });
}

export function statusOf(thrown: unknown): number | undefined {
  const metadata = (thrown as { $metadata?: { httpStatusCode?: number } } | null)?.$metadata;
  return metadata?.httpStatusCode;
}

export function nameOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.name : '';
}

/** What went wrong, as a clause. */
export function s3Trouble(thrown: unknown): string {
  const name = nameOf(thrown);
  const status = statusOf(thrown);
  const code = codeOf(thrown);
  const known = REASONS[name] ?? (code === undefined ? undefined : REASONS[code]);
  const attempts = attemptsOf(thrown);
  const tries = attempts > 1 ? `, ${attempts} attempts` : '';
  // only a proxy sends 407, so the rest of the response is not the store's
  if (status === 407) return `the proxy asks for credentials (${status}${tries})`;
  if (known !== undefined) return `${known} (${REASONS[name] ? name : (code ?? name)}${tries})`;
  const byStatus = status === undefined ? undefined : REASON_BY_STATUS[status];
  const message = redactText(messageOf(thrown)).slice(0, 300);
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
