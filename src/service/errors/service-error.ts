/** What every failed request has in common: which operation, what the service said, how to trace it. */
import { JobvaultError, type ErrorDetails } from '../../base/error.js';
import { LIMITS } from '../../model/records.js';

/** What is known of a request whatever comes of it. */
export interface RequestFacts {
  /** In words, as it follows “could not”: `list sessions`. */
  readonly operation: string;
  /** Requests sent for this operation so far, this one included. */
  readonly attempts: number;
  /** Of all sessions or datasets, which there always is. */
  readonly isListing?: boolean | undefined;
  /** What was sent as x-pd-external-trace-id. */
  readonly externalTraceId: string;
  /** Takes keys and signatures out of a text; applied to every message. */
  readonly redact: (text: string) => string;
}

/** What is known once the service has answered. */
export interface AnswerFacts extends RequestFacts {
  readonly status: number;
  /** The envelope's `code`; null where there is none. */
  readonly serviceCode: number | null;
  /** The answer's x-pd-trace-id. */
  readonly traceId: string | null;
  /** How long the answer asks to wait; null where it says nothing that makes sense. */
  readonly retryAfterMs: number | null;
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
  /** Whether the service may have carried out the request all the same: such a POST is never sent again. */
  abstract readonly mayHaveHappened: boolean;
  /** `brief`: seldom passes by itself, so that few attempts are enough. */
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
  }
}

/** The service's own id, unless it is no id: an answer may hold anything. */
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
