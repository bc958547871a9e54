import { JobvaultError } from '../../base/error.js';

/** A failure as an answer: HTTP status, envelope code, message. */
export class Refusal extends JobvaultError {
  override readonly name = 'Refusal';
  readonly code = 'EMULATOR_REFUSAL';
  readonly disposition = 'fatal';
  readonly failure = 'refused';

  constructor(
    readonly status: number,
    /** The envelope's code. */
    readonly serviceCode: number,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}

/** Status and code as the service sends them; see src/service/README.md. */
export const refusals = {
  invalidParameter: (sentence: string) => new Refusal(400, 300001, sentence),
  noPermission: (sentence: string) => new Refusal(200, 300002, sentence),
  notFound: (what: string) => new Refusal(200, 300003, `${what} is not found`),
  sessionCap: (cap: number) =>
    new Refusal(200, 300009, `the limit of ${cap} sessions per user is reached`),
  credentialsExpired: () => new Refusal(403, 1002, 'the API key has expired'),
  insufficientCredentials: () => new Refusal(403, 1003, 'the API key may not act for this user'),
  badCredentials: () => new Refusal(403, 1004, 'the API key is missing or unknown'),
  rateLimit: (retryAfterSeconds: number) =>
    new Refusal(429, 201, 'too many requests', { 'retry-after': String(retryAfterSeconds) }),
  internal: (sentence = 'internal error') => new Refusal(500, 9999, sentence),
} as const;
