/** Tells of requests that were given up: of each sort the first at once, the others together when the client closes. */
import type { LogFields, Logger } from '../base/logger.js';
import type { Clock } from '../base/runtime.js';
import { thousands } from '../base/text/counted.js';
import type { ServiceError } from './service-errors.js';

/** A service that says something else each time is told of each time. */
const MOST_SORTS = 100;

interface Sort {
  readonly operation: string;
  readonly reason: string;
  more: number;
  lastMs: number;
}

/**
 * Counts the users who are given up, so that the log of a night in which the service is down has a line and a number, and
 * not a line for each user.
 */
export class GivenUp {
  readonly #sorts = new Map<string, Sort>();

  constructor(
    readonly logger: Logger,
    readonly clock: Clock,
  ) {}

  add(error: ServiceError, facts: LogFields): void {
    const { operation, reason } = error;
    const key = `${operation}: ${reason}`;
    const known = this.#sorts.get(key);
    if (known) {
      known.more++;
      known.lastMs = this.clock.now();
      this.logger.info(facts, error.message);
      return;
    }
    this.logger.warn(facts, error.message);
    if (this.#sorts.size < MOST_SORTS) {
      this.#sorts.set(key, { operation, reason, more: 0, lastMs: 0 });
    }
  }

  tell(): void {
    for (const { operation, reason, more, lastMs } of this.#sorts.values()) {
      if (more === 0) continue;
      const times = more === 1 ? 'once' : `${thousands(more)} times`;
      const last = `${new Date(lastMs).toISOString().slice(0, 19)}Z`;
      this.logger.warn(
        { operation, more },
        `could not ${operation} ${times} more, last at ${last}: ${reason} (--log-level info names each)`,
      );
    }
    this.#sorts.clear();
  }
}
