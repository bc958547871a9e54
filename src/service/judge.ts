/** Decides whether an answer is a success, and if not, which error it is. The envelope decides, then the status. */
import { AuthenticationError } from './errors/authentication-error.js';
import { meaningOf } from './errors/error-of-code.js';
import { MalformedResponseError } from './errors/malformed-response-error.js';
import { RateLimitedError } from './errors/rate-limited-error.js';
import { RedirectRefusedError } from './errors/redirect-refused-error.js';
import { ServerFailureError } from './errors/server-failure-error.js';
import type { AnswerFacts, RequestFacts, ServiceError } from './errors/service-error.js';
import { ServiceFailureError } from './errors/service-failure-error.js';
import { parseEnvelope, type Envelope } from './envelope.js';
import type { HttpAnswer } from './http/exchange.js';
import { parseRetryAfter } from '../base/http/retry-after.js';
import { WrongAddressError } from './errors/wrong-address-error.js';
import { snippetOf } from './snippet.js';

/** A successful answer. */
export interface Success {
  readonly data: unknown;
  readonly answer: HttpAnswer;
  readonly facts: AnswerFacts;
}

/** @throws {ServiceError} the answer is not a 2xx with the code 0 */
export function judge(
  answer: HttpAnswer,
  request: RequestFacts,
  options: { readonly nowMs: number; readonly origin: string },
): Success {
  const envelope = parseEnvelope(answer.text);
  const facts: AnswerFacts = {
    ...request,
    status: answer.status,
    serviceCode: envelope?.code ?? null,
    traceId: answer.header('x-pd-trace-id'),
    retryAfterMs: parseRetryAfter(
      answer.header('retry-after'),
      answer.served.dateMs ?? options.nowMs,
    ),
  };
  const isSuccess = answer.status >= 200 && answer.status < 300;
  if (isSuccess && envelope?.code === 0) return { data: envelope.data, answer, facts };
  throw errorOf(answer, envelope, facts, options.origin);
}

function errorOf(
  answer: HttpAnswer,
  envelope: Envelope | undefined,
  facts: AnswerFacts,
  origin: string,
): ServiceError {
  const { status } = answer;
  if (status >= 300 && status < 400) return redirectRefused(answer, facts, origin);
  if (status === 429)
    return new RateLimitedError(withWords('too many requests', envelope, facts), facts);
  if (status === 404 && facts.isListing === true) return wrongAddress(answer, envelope, facts);
  const code = envelope?.code ?? null;
  if (code !== null && code !== 0) {
    const meaning = meaningOf(code);
    if (meaning) return new meaning.error(withWords(meaning.what, envelope, facts), facts);
  }
  if (status >= 500 || status === 408) {
    return new ServerFailureError(withWords('the service failed', envelope, facts), facts);
  }
  if (status === 401 || status === 403 || status === 407) {
    const what = status === 407 ? 'a proxy asks for credentials' : 'access is refused';
    return new AuthenticationError(withWords(what, envelope, facts, answer), facts);
  }
  if (code !== null && code !== 0) {
    return new ServiceFailureError(withWords('the service refused', envelope, facts), facts);
  }
  // a body that is neither a page nor a success is the service's own no, in words of its own
  if (status >= 400 && code === null && !isHtml(answer)) {
    const what = withWords('the service refuses the request', envelope, facts, answer);
    return new ServiceFailureError(what, facts);
  }
  return malformed(answer, envelope, facts);
}

/** There is always a list, if only an empty one. */
function wrongAddress(
  answer: HttpAnswer,
  envelope: Envelope | undefined,
  facts: AnswerFacts,
): WrongAddressError {
  const what = withWords('there is no such service at this address', envelope, facts, answer);
  return new WrongAddressError(
    `${what}; is the base URL right? It is what stands before /v2/team`,
    facts,
  );
}

function malformed(
  answer: HttpAnswer,
  envelope: Envelope | undefined,
  facts: AnswerFacts,
): MalformedResponseError {
  const quoted = snippetOf(answer.text, facts.redact);
  const status = `HTTP ${facts.status}`;
  const retries = facts.status >= 400 ? 'brief' : 'full';
  if (envelope) {
    const what =
      envelope.code === 0
        ? `the answer contradicts itself (${status}, but code 0)`
        : `the answer has no code that tells success from failure (${status})`;
    return new MalformedResponseError(what, { ...facts, retries });
  }
  if (isHtml(answer) || facts.status >= 400) {
    const what = `a page came instead of the service's answer (${status}${quoted && `, ${quoted}`}); is the base URL right, or is a proxy in the way?`;
    return new MalformedResponseError(what, { ...facts, retries: 'brief' });
  }
  const what = answer.text.trim() === '' ? 'the answer is empty' : 'the answer is no whole JSON';
  return new MalformedResponseError(`${what} (${status}${quoted && `, ${quoted}`})`, facts);
}

/** Says where it points, but only the origin: the rest may hold a secret. */
function redirectRefused(
  answer: HttpAnswer,
  facts: AnswerFacts,
  origin: string,
): RedirectRefusedError {
  const location = answer.header('location');
  const target =
    location !== null && URL.canParse(location, origin) ? new URL(location, origin).origin : 'null';
  return new RedirectRefusedError(
    `the service redirects to ${target === 'null' ? 'nowhere' : target} (HTTP ${facts.status}), which is not followed; set the base URL to where the service really is`,
    facts,
  );
}

function withWords(
  what: string,
  envelope: Envelope | undefined,
  facts: AnswerFacts,
  page?: HttpAnswer,
): string {
  const said = snippetOf(envelope?.message || (page?.text ?? ''), facts.redact);
  const code = facts.serviceCode === null ? '' : `, code ${facts.serviceCode}`;
  return `${what} (HTTP ${facts.status}${code}${said && `, ${said}`})`;
}

function isHtml(answer: HttpAnswer): boolean {
  return /^(text\/html|application\/xhtml)/i.test(answer.header('content-type')?.trim() ?? '');
}
