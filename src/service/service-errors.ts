/** The errors of single requests, by what follows from each, and what the codes of the envelope mean. */
import {
  failureOf,
  JobvaultError,
  type ErrorDetails,
  type FailureKind,
  UsageError,
} from '../base/error.js';
import { LIMITS } from '../model/records.js';

/** Facts about a request, with or without an answer. */
export interface RequestFacts {
  /** The operation as it follows “could not” in messages: `list sessions`. */
  readonly operation: string;
  /** Requests sent for this operation so far, this one included. */
  readonly attempts: number;
  /** Whether it lists sessions or datasets; such a list always exists. */
  readonly isListing?: boolean | undefined;
  /** The x-pd-external-trace-id of the request. */
  readonly externalTraceId: string;
  /** Removes keys and signatures from a text; applied to every message. */
  readonly redact: (text: string) => string;
}

/** Facts about a request with an answer. */
export interface AnswerFacts extends RequestFacts {
  readonly status: number;
  /** The envelope's `code`; null without one. */
  readonly serviceCode: number | null;
  /** The answer's x-pd-trace-id. */
  readonly traceId: string | null;
  /** How long the answer asks to wait; null without a valid `Retry-After`. */
  readonly retryAfterMs: number | null;
  /** The header that says that a cache gave the answer from its memory. */
  readonly stale?: string | undefined;
}

export type ServiceErrorDetails = RequestFacts & Partial<AnswerFacts> & ErrorDetails;

/** A request that failed. Messages hold no key, no signature and no query string. */
export abstract class ServiceError extends JobvaultError {
  readonly operation: string;
  /** Why, without what only this request has. */
  readonly reason: string;
  readonly attempts: number;
  readonly externalTraceId: string;
  readonly status: number | null;
  readonly serviceCode: number | null;
  readonly traceId: string | null;
  readonly retryAfterMs: number | null;
  /** The header that says that a cache gave the answer from its memory, as in `Age: 12`. */
  readonly stale: string | undefined;
  /** Whether the service may have carried out the request despite the failure; then a POST is not sent again. */
  abstract readonly mayHaveHappened: boolean;
  /** `brief`: rarely a temporary failure, so few attempts are enough. */
  readonly retries: 'full' | 'brief' = 'full';

  constructor(what: string, details: ServiceErrorDetails) {
    const traceId = readable(details);
    super(details.redact(sentence(what, traceId, details)), details);
    this.operation = details.operation;
    this.reason = details.redact(what);
    this.attempts = details.attempts;
    this.externalTraceId = details.externalTraceId;
    this.status = details.status ?? null;
    this.serviceCode = details.serviceCode ?? null;
    this.traceId = traceId;
    this.retryAfterMs = details.retryAfterMs ?? null;
    this.stale = details.stale;
  }
}

/** The service's trace id, if it is a valid one: an answer may contain anything. */
function readable({ traceId, redact }: ServiceErrorDetails): string | null {
  return traceId ? Array.from(redact(traceId)).slice(0, LIMITS.traceIdLength).join('') : null;
}

function sentence(what: string, traceId: string | null, details: ServiceErrorDetails): string {
  const notes = [
    ...(details.attempts > 1 ? [`after ${details.attempts} attempts`] : []),
    ...(traceId ? [`service trace ${traceId}`] : []),
    `our trace ${details.externalTraceId}`,
  ];
  return `could not ${details.operation}: ${what} (${notes.join(', ')})`;
}

/** The API key is bad or has expired (1004, 1002, or a bare 401, 403 or 407): no request with it will succeed. */
export class AuthenticationError extends ServiceError {
  override readonly name = 'AuthenticationError';
  readonly code = 'SERVICE_AUTHENTICATION';
  readonly disposition = 'fatal';
  readonly failure = 'authentication';
  readonly mayHaveHappened: boolean;

  constructor(what: string, details: ServiceErrorDetails) {
    super(what, details);
    // without a code it is not the service's own answer: a proxy may have withheld that one
    this.mayHaveHappened = this.status !== null && this.serviceCode === null;
  }
}

/** The decompressed answer is larger than allowed; reading stopped there. A smaller page may fit. */
export class BodyTooLargeError extends ServiceError {
  override readonly name = 'BodyTooLargeError';
  readonly code = 'SERVICE_BODY_TOO_LARGE';
  readonly disposition = 'skip';
  readonly failure = 'unreachable';
  readonly mayHaveHappened = true;
}

/** The client was closed before or during a call: a mistake in the calling code. */
export class ClientClosedError extends JobvaultError {
  override readonly name = 'ClientClosedError';
  readonly code = 'SERVICE_CLIENT_CLOSED';
  readonly disposition = 'fatal';
  readonly failure = 'unexpected';

  constructor() {
    super('the service client is closed');
  }
}

/** The service rejects the parameters (300001): a mistake of ours or of the user, or a page size that it does not grant. */
export class InvalidRequestError extends ServiceError {
  override readonly name = 'InvalidRequestError';
  readonly code = 'SERVICE_INVALID_REQUEST';
  readonly disposition = 'fatal';
  readonly failure = 'usage';
  readonly mayHaveHappened = false;
}

export interface MalformedResponseErrorDetails extends ServiceErrorDetails {
  readonly retries?: 'full' | 'brief';
}

/**
 * An answer in a wrong format: a login page, truncated JSON, a page without records. The message quotes its
 * beginning, redacted. The parser's error is not kept, because it quotes the body.
 */
export class MalformedResponseError extends ServiceError {
  override readonly name = 'MalformedResponseError';
  readonly code = 'SERVICE_MALFORMED_RESPONSE';
  readonly disposition = 'retry';
  readonly failure = 'unreachable';
  readonly mayHaveHappened = true;
  override readonly retries: 'full' | 'brief';

  constructor(what: string, details: MalformedResponseErrorDetails) {
    super(what, details);
    this.retries = details.retries ?? 'full';
  }
}

/** The requested resource does not exist, or no longer (300003). A bare HTTP 404 is not enough for this error. */
export class NotFoundError extends ServiceError {
  override readonly name = 'NotFoundError';
  readonly code = 'SERVICE_NOT_FOUND';
  readonly disposition = 'skip';
  readonly failure = 'usage';
  readonly mayHaveHappened = false;
}

/** No permission for this user or this session (300002); others may work. */
export class PermissionDeniedError extends ServiceError {
  override readonly name = 'PermissionDeniedError';
  readonly code = 'SERVICE_PERMISSION_DENIED';
  readonly disposition = 'skip';
  readonly failure = 'authentication';
  readonly mayHaveHappened = false;
}

/** The rate limit of the team is reached (429, 201); the operation was not carried out. */
export class RateLimitedError extends ServiceError {
  override readonly name = 'RateLimitedError';
  readonly code = 'SERVICE_RATE_LIMITED';
  readonly disposition = 'retry';
  readonly failure = 'unreachable';
  readonly mayHaveHappened = false;
}

/**
 * The service redirects (HTTP 3xx), perhaps after it has carried out the request (303). Redirects are not followed, so
 * that no other host gets the API key.
 */
export class RedirectRefusedError extends ServiceError {
  override readonly name = 'RedirectRefusedError';
  readonly code = 'SERVICE_REDIRECT_REFUSED';
  readonly disposition = 'fatal';
  readonly failure = 'unreachable';
  readonly mayHaveHappened = true;
}

/** The answer was not complete at the deadline of the request. */
export class RequestTimeoutError extends ServiceError {
  override readonly name = 'RequestTimeoutError';
  readonly code = 'SERVICE_TIMEOUT';
  readonly disposition = 'retry';
  readonly failure = 'unreachable';
  readonly mayHaveHappened = true;
}

/** The service failed (HTTP 5xx or 408, or code 9999), and may have carried out the operation before. */
export class ServerFailureError extends ServiceError {
  override readonly name = 'ServerFailureError';
  readonly code = 'SERVICE_SERVER_FAILURE';
  readonly disposition = 'retry';
  readonly failure = 'unreachable';
  readonly mayHaveHappened = true;
}

/**
 * The service refused with an unknown code, or with an HTTP status and no code: the words may be those of a proxy, so
 * they do not say that nothing happened.
 */
export class ServiceFailureError extends ServiceError {
  override readonly name = 'ServiceFailureError';
  readonly code = 'SERVICE_FAILURE';
  readonly disposition = 'skip';
  readonly failure = 'unreachable';
  readonly mayHaveHappened = true;
}

/** The user has reached the limit of sessions (300009): one must be deleted before another can be created. */
export class SessionCapError extends ServiceError {
  override readonly name = 'SessionCapError';
  readonly code = 'SERVICE_SESSION_CAP';
  readonly disposition = 'fatal';
  readonly failure = 'usage';
  readonly mayHaveHappened = false;
}

/**
 * A cache between jobvault and the service answered from its memory, also when it was asked past: what came may be
 * older than the request, so it proves nothing. The message names the header.
 */
export class StaleAnswerError extends JobvaultError {
  override readonly name = 'StaleAnswerError';
  readonly code = 'SERVICE_STALE_ANSWER';
  readonly disposition = 'skip';
  readonly failure = 'refused';
}

/** A DELETE was sent, and what became of it cannot be read. The kind of failure is that of the reading. */
export class UnknownOutcomeError extends JobvaultError {
  override readonly name = 'UnknownOutcomeError';
  readonly code = 'SERVICE_UNKNOWN_OUTCOME';
  readonly disposition = 'fatal';
  readonly failure: FailureKind;

  /** @param why as a sentence of an error that is redacted already */
  constructor(id: string, why: string, cause: unknown) {
    super(`a DELETE of ${id} was sent, and whether it is gone is not known: ${why}`, { cause });
    this.failure = failureOf(cause);
  }
}

/** @param header as `staleBecause` has it */
export function staleText(id: string, header: string, what = 'session'): string {
  return `a cache answered for ${what} ${id} from its memory (${header}), also when asked again: this proves nothing`;
}

export interface UnreachableErrorDetails extends ServiceErrorDetails {
  /** False if no connection was made. */
  readonly mayHaveHappened: boolean;
  readonly retries?: 'full' | 'brief';
}

/** No complete answer came: unknown host, connection refused or broken, untrusted certificate. */
export class UnreachableError extends ServiceError {
  override readonly name = 'UnreachableError';
  readonly code = 'SERVICE_UNREACHABLE';
  readonly disposition = 'retry';
  readonly failure = 'unreachable';
  readonly mayHaveHappened: boolean;
  override readonly retries: 'full' | 'brief';

  constructor(what: string, details: UnreachableErrorDetails) {
    super(what, details);
    this.mayHaveHappened = details.mayHaveHappened;
    this.retries = details.retries ?? 'full';
  }
}

/**
 * The service answered with a success, but its data are unusable: no list of records, no id, or another
 * resource. This concerns the requested resource only, not the service.
 */
export class UnusableAnswerError extends ServiceError {
  override readonly name = 'UnusableAnswerError';
  readonly code = 'SERVICE_UNUSABLE_ANSWER';
  readonly disposition = 'retry';
  readonly failure = 'unreachable';
  readonly mayHaveHappened = true;
  override readonly retries = 'brief';
}

/** An id that cannot be part of a URL path. If it came from the service, only that session cannot be read. */
export class UnusableIdError extends UsageError {
  override readonly disposition = 'skip';

  constructor(field: string, id: string) {
    super(`${field} is "${id}", which cannot be part of a URL path`);
  }
}

/** The key is good but not for this user (1003); others may work. */
export class UserRefusedError extends ServiceError {
  override readonly name = 'UserRefusedError';
  readonly code = 'SERVICE_USER_REFUSED';
  readonly disposition = 'skip';
  readonly failure = 'authentication';
  readonly mayHaveHappened = false;
}

/** HTTP 404 for a list of sessions or datasets, which always exists: the address is wrong. Rarely temporary. */
export class WrongAddressError extends ServiceError {
  override readonly name = 'WrongAddressError';
  readonly code = 'SERVICE_WRONG_ADDRESS';
  readonly disposition = 'retry';
  readonly failure = 'unreachable';
  readonly mayHaveHappened = false;
  override readonly retries = 'brief';
}

/** A listing could not be read to its end; the message says how many items were seen. They are kept. */
export class PagingError extends JobvaultError {
  override readonly name = 'PagingError';
  readonly code = 'SERVICE_PAGING';
  readonly disposition = 'skip';
  readonly failure = 'unexpected';
}

interface Meaning {
  readonly error: new (what: string, details: ServiceErrorDetails) => ServiceError;
  readonly what: string;
}

/** By the envelope's code, as config/guide/service.md lists them. */
const MEANINGS: ReadonlyMap<number, Meaning> = new Map([
  [201, { error: RateLimitedError, what: 'too many requests' }],
  [1002, { error: AuthenticationError, what: 'the API key has expired' }],
  [1003, { error: UserRefusedError, what: 'the API key may not act for this user' }],
  [1004, { error: AuthenticationError, what: 'the API key is not accepted' }],
  [9999, { error: ServerFailureError, what: 'the service failed' }],
  [300001, { error: InvalidRequestError, what: 'the service rejects the parameters as invalid' }],
  [300002, { error: PermissionDeniedError, what: 'no permission' }],
  [300003, { error: NotFoundError, what: 'not found' }],
  [300009, { error: SessionCapError, what: 'the user has reached the limit of sessions' }],
]);

/** Undefined for an unknown code. */
export function meaningOf(code: number): Meaning | undefined {
  return MEANINGS.get(code);
}
