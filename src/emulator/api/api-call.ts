/** The input of an operation, and what all operations share. */
import type { Clock } from '../../base/runtime.js';
import type { JsonObject } from '../../model/records.js';
import type { Faults, Occasions } from '../faults/faults.js';
import type { UrlSigner } from '../files/url-signer.js';
import type { OperationName } from '../../model/operations.js';
import type { RandomStream } from '../seed/seed-plan.js';
import type { World } from '../world/world.js';
import { JobvaultError } from '../../base/error.js';

export interface ApiContext {
  readonly world: World;
  /** Read at every request: tests change it. */
  readonly faults: Faults;
  readonly occasions: Occasions;
  readonly signer: UrlSigner;
  readonly clock: Clock;
  /** Decides order, probabilities and trace ids; seeded, so that a run can be repeated. */
  readonly random: RandomStream;
  readonly maxPageSize: number;
  /** For `total_items` that grow with every request. */
  readonly growth: { next(): number };
}

export interface ApiCall {
  /** The project of the caller's API key. */
  readonly project: string;
  readonly userId: string;
  /** Empty where the path has no id. */
  readonly pathId: string;
  /** The query of a GET, the body of anything else. */
  readonly input: JsonObject;
}

/**
 * Carries out an operation: the JSON text of `data`.
 *
 * @throws {Refusal} the interface does not allow it
 */
export type Handler = (call: ApiCall, context: ApiContext) => string | Promise<string>;

export type Handlers = Readonly<Record<OperationName, Handler>>;

/** `data` of modify and delete: the service sends `{}` or `null`. */
export function emptyData(context: ApiContext): string {
  return context.faults.emptyData === 'null' ? 'null' : '{}';
}

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

/** Status and code as the service sends them; see config/guide/service.md. */
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

/** Limits the requests in any window of one second. */
export class RateWindow {
  readonly #admitted: number[] = [];

  /** `perSecond` of 0 admits everything. */
  constructor(readonly perSecond: number) {}

  /** 0 when the request is admitted, otherwise the milliseconds until the next one would be. */
  admit(nowMs: number): number {
    if (this.perSecond === 0) return 0;
    while ((this.#admitted[0] ?? Infinity) <= nowMs - 1000) this.#admitted.shift();
    const oldest = this.#admitted[0];
    if (oldest !== undefined && this.#admitted.length >= this.perSecond)
      return oldest + 1000 - nowMs;
    this.#admitted.push(nowMs);
    return 0;
  }
}
