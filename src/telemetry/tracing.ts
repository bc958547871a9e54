/** Spans of a run for an OpenTelemetry collector, when the standard OTEL_* variables ask for them. */
import { messageOf } from '../base/error.js';
import type { Logger } from '../base/logger.js';
import { silentTracer } from '../base/tracer.js';
import type { Tracing } from './send-traces.js';
import { traceWishOf, type Variables } from './trace-settings.js';

const NO_TRACING: Tracing = {
  tracer: silentTracer,
  current: () => ({}),
  close: () => Promise.resolve(),
};

/** Loads nothing where nothing is asked for; never fails a run. */
export async function openTracing(variables: Variables, logger: Logger): Promise<Tracing> {
  const wish = traceWishOf(variables);
  if (wish.kind === 'none') return NO_TRACING;
  if (wish.kind === 'unknown') {
    logger.warn({}, `no traces are sent: ${wish.reason}`);
    return NO_TRACING;
  }
  try {
    const { sendTraces } = await import('./send-traces.js');
    return await sendTraces(wish.protocol, variables, logger);
  } catch (error) {
    logger.warn({ reason: messageOf(error) }, 'no traces are sent');
    return NO_TRACING;
  }
}
