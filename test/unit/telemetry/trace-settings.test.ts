import { describe, expect, it } from 'vitest';
import { sampleRatioOf, traceSettingsOf } from '../../../src/telemetry/trace-settings.js';

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };

describe('whether traces are sent', () => {
  it.each([
    ['nothing is said', {}, 'none'],
    ['an endpoint is named', ENDPOINT, 'otlp'],
    ['one for traces is named', { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://c:4318' }, 'otlp'],
    ['the exporter is named', { OTEL_TRACES_EXPORTER: 'otlp' }, 'otlp'],
    ['the SDK is disabled', { ...ENDPOINT, OTEL_SDK_DISABLED: 'TRUE' }, 'none'],
    ['the exporter is none', { ...ENDPOINT, OTEL_TRACES_EXPORTER: 'none' }, 'none'],
    ['the exporter is another', { OTEL_TRACES_EXPORTER: 'zipkin' }, 'unsupported'],
    [
      'the protocol is another',
      { ...ENDPOINT, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
      'unsupported',
    ],
    ['the endpoint is empty', { OTEL_EXPORTER_OTLP_ENDPOINT: '' }, 'none'],
  ])('where %s', (_what, variables, kind) => {
    expect(traceSettingsOf(variables).kind).toBe(kind);
  });

  it('whether traces are sent takes the protocol of traces before the common one, and protobuf where there is none', () => {
    const common = { ...ENDPOINT, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' };
    const own = { ...common, OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json' };
    expect(traceSettingsOf(own)).toEqual({ kind: 'otlp', protocol: 'http/json' });
    expect(traceSettingsOf(ENDPOINT)).toEqual({ kind: 'otlp', protocol: 'http/protobuf' });
  });
});

it.each([
  [{}, 1],
  [{ OTEL_TRACES_SAMPLER: 'always_on' }, 1],
  [{ OTEL_TRACES_SAMPLER: 'parentbased_always_off' }, 0],
  [{ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.25' }, 0.25],
  [{ OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: 'x' }, 1],
])('of %j the share is %d', (variables, share) => {
  expect(sampleRatioOf(variables)).toBe(share);
});
