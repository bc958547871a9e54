/** Reads the trace settings from the standard OTEL_* variables. Source: OpenTelemetry's “SDK configuration”. */

export type Variables = Readonly<Record<string, string | undefined>>;

export type TraceProtocol = 'http/protobuf' | 'http/json';

/** `unsupported`: the variables ask for something that jobvault cannot do. */
export type TraceSettings =
  | { readonly kind: 'none' }
  | { readonly kind: 'unsupported'; readonly reason: string }
  | { readonly kind: 'otlp'; readonly protocol: TraceProtocol };

/** Traces are sent only if an exporter or an endpoint is named, not to the default endpoint. */
export function traceSettingsOf(variables: Variables): TraceSettings {
  if (variables['OTEL_SDK_DISABLED']?.trim().toLowerCase() === 'true') return { kind: 'none' };
  const named = variables['OTEL_TRACES_EXPORTER']?.trim();
  if (named === 'none') return { kind: 'none' };
  if (named && named !== 'otlp') {
    return unsupported('OTEL_TRACES_EXPORTER', named, 'otlp, none');
  }
  const hasEndpoint =
    variables['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] ?? variables['OTEL_EXPORTER_OTLP_ENDPOINT'];
  if (!named && !hasEndpoint) return { kind: 'none' };
  // an empty variable counts as unset
  const protocol =
    variables['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL']?.trim() ||
    variables['OTEL_EXPORTER_OTLP_PROTOCOL']?.trim() ||
    'http/protobuf';
  if (protocol === 'http/protobuf' || protocol === 'http/json') return { kind: 'otlp', protocol };
  return unsupported('OTEL_EXPORTER_OTLP_PROTOCOL', protocol, 'http/protobuf, http/json');
}

/** The ratio of runs that are traced; 1 if it is not set or invalid. */
export function sampleRatioOf(variables: Variables): number {
  const sampler = (variables['OTEL_TRACES_SAMPLER'] ?? '').trim().replace(/^parentbased_/, '');
  if (sampler === 'always_off') return 0;
  if (sampler !== 'traceidratio') return 1;
  const ratio = Number(variables['OTEL_TRACES_SAMPLER_ARG'] ?? '1');
  return ratio >= 0 && ratio <= 1 ? ratio : 1;
}

function unsupported(name: string, given: string, allowed: string): TraceSettings {
  const reason = `${name} is ${JSON.stringify(given.slice(0, 40))}; allowed is ${allowed}`;
  return { kind: 'unsupported', reason };
}
