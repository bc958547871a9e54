/** The base of errors of failed requests: the operation, the service's code and message, trace ids. */
import { JobvaultError, type ErrorDetails } from '../../base/error.js';
import { LIMITS } from '../../model/records.js';

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
