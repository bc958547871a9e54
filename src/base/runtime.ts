/** What a caller may replace: clock, randomness, log, tracer, and the signal to stop. */
import type { Clock } from './clock.js';
import { silentLogger, type Logger } from './logger.js';
import { systemRandom, type Random } from './random.js';
import { systemClock } from './system-clock.js';
import { silentTracer, type Tracer } from './tracer.js';

export interface Runtime {
  /** Default: that of the system. */
  readonly clock: Clock;
  /** Default: that of the system. */
  readonly random: Random;
  /** Default: nothing is logged. */
  readonly logger: Logger;
  /** Records what the run is doing. Default: nothing is recorded. */
  readonly tracer: Tracer;
  /** Aborted to stop. Default: never. */
  readonly signal: AbortSignal;
}

export type RuntimeOptions = { readonly [K in keyof Runtime]?: Runtime[K] | undefined };

export function runtimeOf(options: RuntimeOptions): Runtime {
  return {
    clock: options.clock ?? systemClock,
    random: options.random ?? systemRandom,
    logger: options.logger ?? silentLogger,
    tracer: options.tracer ?? silentTracer,
    signal: options.signal ?? new AbortController().signal,
  };
}
