/** The input of an operation, and what all operations share. */
import type { Clock } from '../../base/clock.js';
import type { JsonObject } from '../../model/records.js';
import type { Faults } from '../faults/faults.js';
import type { UrlSigner } from '../files/url-signer.js';
import type { OperationName } from '../operation.js';
import type { RandomStream } from '../seed/random-stream.js';
import type { World } from '../world/world.js';

export interface ApiContext {
  readonly world: World;
  /** Read at every request: tests change it. */
  readonly faults: Faults;
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

export interface ApiRoute {
  readonly operation: OperationName;
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  /**
   * The JSON text of `data`.
   *
   * @throws {Refusal} the interface does not allow it
   */
  carryOut(call: ApiCall, context: ApiContext): string | Promise<string>;
}

/** `data` of modify and delete: the service sends `{}` or `null`. */
export function emptyData(context: ApiContext): string {
  return context.faults.emptyData === 'null' ? 'null' : '{}';
}
