/** Sends spans through the OpenTelemetry SDK, which only this file uses; its exporters read OTEL_EXPORTER_OTLP_* themselves. */
import { AsyncLocalStorage } from 'node:async_hooks';
import {
  diag,
  DiagLogLevel,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type DiagLogFunction,
  type Span,
} from '@opentelemetry/api';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type SpanExporter,
} from '@opentelemetry/sdk-trace';
import { codeOf } from '../base/error.js';
import type { Logger, SpanFields, SpanName, Tracer } from '../base/logger.js';
import { proxyFromEnvironment } from '../base/http/proxy.js';
import { VERSION } from '../base/version.js';
import { proxyAgentFor } from './post.js';
import { sampleRatioOf, type TraceProtocol, type Variables } from './trace-settings.js';

/** Limit of the delay at the end of a run if the collector does not answer. */
const MAX_FLUSH_MS = 5_000;
/** Spans of waits are only for the progress display: there are thousands of them. */
const SHOWN: ReadonlySet<SpanName> = new Set(['run', 'user', 'request', 'download', 'checkpoint']);

export interface Tracing {
  readonly tracer: Tracer;
  /** The current span, for the log: `trace_id` and `span_id`. */
  readonly current: () => Readonly<Record<string, string>>;
  /** Sends the remaining spans. Resolves within seconds, whatever happens. */
  close(): Promise<void>;
}

interface Telling {
  readonly logger: Logger;
  /** For texts of spans, and for what the collector answers, before it is cut: half of a secret would pass as none. */
  readonly redact: (text: string) => string;
}

export async function sendTraces(
  protocol: TraceProtocol,
  variables: Variables,
  telling: Telling,
): Promise<Tracing> {
  const warn = warnOnce(telling);
  const { redact } = telling;
  /** Under their standard names; ids of users and of traces are texts of others. */
  const named = (fields: SpanFields): Attributes =>
    Object.fromEntries(
      Object.entries(fields).map(([key, value]) => [
        STANDARD_NAMES[key] ?? `jobvault.${key.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`)}`,
        typeof value === 'string' ? redact(value) : value,
      ]),
    );
  diag.setLogger(
    { error: warn, warn: warn, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': 'jobvault',
      'service.version': VERSION,
    }).merge(detectResources({ detectors: [envDetector] })),
    sampler: new ParentBasedSampler({
      root: new TraceIdRatioBasedSampler(sampleRatioOf(variables)),
    }),
    spanProcessors: [new BatchSpanProcessor({ exporter: await exporterOf(protocol, variables) })],
  });
  const around = new AsyncLocalStorage<Context>();
  const otel = provider.getTracer('jobvault', VERSION);
  const tracer: Tracer = {
    async span(name, fields, work) {
      if (!SHOWN.has(name)) return work(ignore);
      const kind = name === 'request' || name === 'download' ? SpanKind.CLIENT : SpanKind.INTERNAL;
      const parent = around.getStore() ?? ROOT_CONTEXT;
      const span = otel.startSpan(
        redact(nameOf(name, fields)),
        { kind, attributes: named(fields) },
        parent,
      );
      try {
        return await around.run(trace.setSpan(parent, span), () =>
          work((more) => void span.setAttributes(named(more))),
        );
      } catch (error) {
        markFailed(span, error);
        throw error;
      } finally {
        span.end();
      }
    },
  };
  return {
    tracer,
    current() {
      const context = around.getStore();
      const span = context && trace.getSpanContext(context);
      return span ? { trace_id: span.traceId, span_id: span.spanId } : {};
    },
    close: () => withinTime(provider.shutdown(), warn),
  };
}

async function exporterOf(protocol: TraceProtocol, variables: Variables): Promise<SpanExporter> {
  const { OTLPTraceExporter } =
    protocol === 'http/json'
      ? await import('@opentelemetry/exporter-trace-otlp-http')
      : await import('@opentelemetry/exporter-trace-otlp-proto');
  const endpoint =
    variables['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] ??
    variables['OTEL_EXPORTER_OTLP_ENDPOINT'] ??
    'http://localhost:4318';
  const agent = URL.canParse(endpoint)
    ? await proxyAgentFor(new URL(endpoint), proxyFromEnvironment(variables))
    : undefined;
  return new OTLPTraceExporter(agent ? { httpAgentOptions: () => agent } : {});
}

function nameOf(name: SpanName, { command, operation }: SpanFields): string {
  if (name === 'run') return `jobvault ${String(command ?? '')}`.trim();
  return name === 'request' ? String(operation ?? name) : name;
}

const STANDARD_NAMES: Readonly<Record<string, string>> = {
  status: 'http.response.status_code',
  host: 'server.address',
};

/** Records the kind of failure, not its message, which may quote the service. */
function markFailed(span: Span, error: unknown): void {
  const type = codeOf(error) ?? (error instanceof Error ? error.name : typeof error);
  span.setAttribute('error.type', type);
  span.setStatus({ code: SpanStatusCode.ERROR, message: type });
}

/** Logs only the first failure: an unreachable collector would cause one every five seconds. */
function warnOnce({ logger, redact }: Telling): DiagLogFunction {
  let hasWarned = false;
  return (message) => {
    if (hasWarned) return;
    hasWarned = true;
    logger.warn({ reason: redact(message).slice(0, 300) }, 'traces could not be sent');
  };
}

async function withinTime(work: Promise<void>, warn: DiagLogFunction): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(() => {
      warn(`the collector did not answer within ${MAX_FLUSH_MS / 1000} s`);
      resolve();
    }, MAX_FLUSH_MS);
  });
  const done = work.catch((error: unknown) => {
    warn(codeOf(error) ?? (error instanceof Error ? error.message : String(error)));
  });
  await Promise.race([done, late]);
  clearTimeout(timer);
}

function ignore(): void {
  // on purpose
}
