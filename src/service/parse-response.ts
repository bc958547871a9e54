/** Decides whether an answer is a success, and otherwise which error: first by the envelope, then by the status. */
import {
  AuthenticationError,
  meaningOf,
  MalformedResponseError,
  RateLimitedError,
  RedirectRefusedError,
  ServerFailureError,
  type AnswerFacts,
  type RequestFacts,
  type ServiceError,
  ServiceFailureError,
  WrongAddressError,
} from './service-errors.js';
import type { HttpAnswer } from './http/exchange.js';
import { parseRetryAfter } from '../base/retry-after.js';
import { type BareNumber } from '../base/text/bare-numbers.js';
import { parseEnvelope, type Envelope } from './envelope.js';
import { snippetOf } from './snippet.js';

/** A successful answer. */
export interface Success {
  readonly data: unknown;
  /** Its text is that of `data`: zeros stand for bare numbers. */
  readonly answer: HttpAnswer;
  /** Numbers that are no JSON, by their place in the text. */
  readonly bareNumbers: readonly BareNumber[];
  readonly facts: AnswerFacts;
}

/** @throws {ServiceError} the answer is not a 2xx with the code 0 */
export function parseResponse(
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
    stale: answer.served.stale,
    retryAfterMs: parseRetryAfter(
      answer.header('retry-after'),
      answer.served.dateMs ?? options.nowMs,
    ),
  };
  const isSuccess = answer.status >= 200 && answer.status < 300;
  if (isSuccess && envelope?.code === 0) {
    const { data, text, bareNumbers } = envelope;
    return { data, answer: { ...answer, text }, bareNumbers, facts };
  }
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
  // a body that is neither a web page nor a success is a refusal in the service's own words
  if (status >= 400 && code === null && !isHtml(answer)) {
    const what = withWords('the service refuses the request', envelope, facts, answer);
    return new ServiceFailureError(what, facts);
  }
  return malformed(answer, envelope, facts);
}

/** A list always exists, even if it is empty. */
function wrongAddress(
  answer: HttpAnswer,
  envelope: Envelope | undefined,
  facts: AnswerFacts,
): WrongAddressError {
  const what = withWords('the service is not at this address', envelope, facts, answer);
  return new WrongAddressError(`${what}; check the base URL, the part before /v2/team`, facts);
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
    const what = `a web page came instead of the service's answer (${status}${quoted && `, ${quoted}`}); check the base URL, and whether a proxy is in the way`;
    return new MalformedResponseError(what, { ...facts, retries: 'brief' });
  }
  const what =
    answer.text.trim() === '' ? 'the answer is empty' : 'the answer is not complete JSON';
  return new MalformedResponseError(`${what} (${status}${quoted && `, ${quoted}`})`, facts);
}

/** Names the target, but only its origin: the rest may contain a secret. */
function redirectRefused(
  answer: HttpAnswer,
  facts: AnswerFacts,
  origin: string,
): RedirectRefusedError {
  const location = answer.header('location');
  const target =
    location !== null && URL.canParse(location, origin) ? new URL(location, origin).origin : 'null';
  return new RedirectRefusedError(
    `the service redirects to ${target === 'null' ? 'nowhere' : target} (HTTP ${facts.status}), and redirects are not followed; set the base URL to the service's own address`,
    facts,
  );
}

function withWords(
  what: string,
  envelope: Envelope | undefined,
  facts: AnswerFacts,
  page?: HttpAnswer,
): string {
  const quoted = snippetOf(envelope?.message || (page?.text ?? ''), facts.redact);
  const code = facts.serviceCode === null ? '' : `, code ${facts.serviceCode}`;
  return `${what} (HTTP ${facts.status}${code}${quoted && `, ${quoted}`})`;
}

function isHtml(answer: HttpAnswer): boolean {
  return /^(text\/html|application\/xhtml)/i.test(answer.header('content-type')?.trim() ?? '');
}
