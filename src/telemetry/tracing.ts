/** Opens tracing to an OpenTelemetry collector if the standard OTEL_* variables ask for it. */
import { messageOf } from '../base/error.js';
import { type Logger, silentTracer } from '../base/logger.js';
import type { Tracing } from './send-traces.js';
import { traceSettingsOf, type Variables } from './trace-settings.js';

const NO_TRACING: Tracing = {
  tracer: silentTracer,
  current: () => ({}),
  close: () => Promise.resolve(),
};

/**
 * Loads the SDK only if it is needed; never makes a run fail.
 *
 * @param redact for texts of spans, and for what a collector answers, before it is cut
 */
export async function openTracing(
  variables: Variables,
  logger: Logger,
  redact: (text: string) => string,
): Promise<Tracing> {
  const settings = traceSettingsOf(variables);
  if (settings.kind === 'none') return NO_TRACING;
  if (settings.kind === 'unsupported') {
    logger.warn({}, `no traces are sent: ${settings.reason}`);
    return NO_TRACING;
  }
  try {
    const { sendTraces } = await import('./send-traces.js');
    return await sendTraces(settings.protocol, variables, { logger, redact });
  } catch (error) {
    logger.warn({ reason: messageOf(error) }, 'no traces are sent');
    return NO_TRACING;
  }
}
