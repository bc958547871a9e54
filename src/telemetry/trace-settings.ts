/** What the standard OTEL_* variables ask for, as far as it concerns traces. Source: OpenTelemetry's “SDK configuration”. */

export type Variables = Readonly<Record<string, string | undefined>>;

export type TraceProtocol = 'http/protobuf' | 'http/json';

/** `unknown`: something is asked for that jobvault cannot do, told in words. */
export type TraceWish =
  | { readonly kind: 'none' }
  | { readonly kind: 'unknown'; readonly reason: string }
  | { readonly kind: 'otlp'; readonly protocol: TraceProtocol };

/** Traces are sent where an exporter or an endpoint is named: nobody listens on the default one by chance. */
export function traceWishOf(variables: Variables): TraceWish {
  if (variables['OTEL_SDK_DISABLED']?.trim().toLowerCase() === 'true') return { kind: 'none' };
  const named = variables['OTEL_TRACES_EXPORTER']?.trim();
  if (named === 'none') return { kind: 'none' };
  if (named && named !== 'otlp') {
    return unknown('OTEL_TRACES_EXPORTER', named, 'otlp, none');
  }
  const hasEndpoint =
    variables['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] ?? variables['OTEL_EXPORTER_OTLP_ENDPOINT'];
  if (!named && !hasEndpoint) return { kind: 'none' };
  // an empty variable counts as none
  const protocol =
    variables['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL']?.trim() ||
    variables['OTEL_EXPORTER_OTLP_PROTOCOL']?.trim() ||
    'http/protobuf';
  if (protocol === 'http/protobuf' || protocol === 'http/json') return { kind: 'otlp', protocol };
  return unknown('OTEL_EXPORTER_OTLP_PROTOCOL', protocol, 'http/protobuf, http/json');
}

/** Which share of the runs is traced; 1 where nothing is said or what is said makes no sense. */
export function sampledShareOf(variables: Variables): number {
  const sampler = (variables['OTEL_TRACES_SAMPLER'] ?? '').trim().replace(/^parentbased_/, '');
  if (sampler === 'always_off') return 0;
  if (sampler !== 'traceidratio') return 1;
  const share = Number(variables['OTEL_TRACES_SAMPLER_ARG'] ?? '1');
  return share >= 0 && share <= 1 ? share : 1;
}

function unknown(name: string, given: string, allowed: string): TraceWish {
  const reason = `${name} is ${JSON.stringify(given.slice(0, 40))}; allowed is ${allowed}`;
  return { kind: 'unknown', reason };
}
