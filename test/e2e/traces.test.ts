/** Traces as a collector gets them, from the built program and its environment alone. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { CliRig } from '../support/rigs/cli-rig.js';
import { scriptedApi, type ScriptedApi } from '../support/http/scripted-api.js';

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: number };
}
interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: readonly Attribute[];
  readonly status: { readonly code: number };
}
interface OtlpBody {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}

let rig: CliRig;
let collector: ScriptedApi;

beforeEach(async () => {
  rig = await CliRig.start({ users: 2, sessions: 1, jobs: 2, artifactsPerJob: 1 });
  collector = await scriptedApi({ status: 200, body: {} });
});
afterEach(async () => {
  await rig[Symbol.asyncDispose]();
  await collector[Symbol.asyncDispose]();
});

const json = () => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
});
const bodies = () => collector.seen.map(({ body }) => JSON.parse(body) as OtlpBody);
const spansSent = () =>
  bodies().flatMap(({ resourceSpans }) =>
    resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
  );
const attribute = (attributes: readonly Attribute[], key: string) =>
  attributes.find((one) => one.key === key)?.value;

it('one run is one trace: users, requests, downloads and checkpoints below it', async () => {
  const summary = await rig.export({
    isProgram: true,
    environment: { ...json(), OTEL_SERVICE_NAME: 'nightly', OTEL_EXPORTER_OTLP_HEADERS: 'x-a=b' },
  });
  const spans = spansSent();
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const roots = spans.filter(({ parentSpanId }) => !parentSpanId);
  expect(roots.map(({ name }) => name)).toEqual(['jobvault export']);
  expect(attribute(roots[0]?.attributes ?? [], 'jobvault.run')).toEqual({
    stringValue: summary.run,
  });
  for (const { parentSpanId } of spans) {
    if (parentSpanId) expect(byId.has(parentSpanId)).toBe(true);
  }
  const count = (name: string) => spans.filter((span) => span.name === name).length;
  expect(count('user')).toBe(2);
  expect(count('get job history')).toBeGreaterThan(0);
  expect(count('download')).toBe(summary.requests.files);
  expect(count('checkpoint')).toBe(summary.commits.length);
  expect(collector.seen[0]).toMatchObject({ url: '/v1/traces', headers: { 'x-a': 'b' } });
  const resource = bodies()[0]?.resourceSpans[0]?.resource.attributes ?? [];
  expect(attribute(resource, 'service.name')).toEqual({ stringValue: 'nightly' });
});

it('attributes hold no key, no question and no URL', async () => {
  await rig.export({ isProgram: true, environment: json() });
  const questions = await rig.select('jobs', 'question_text');
  const told = JSON.stringify(spansSent().map(({ name, attributes }) => [name, attributes]));
  const texts = questions.map((row) => String(row['question_text']));
  expect(texts.length).toBeGreaterThan(0);
  for (const secret of ['demo-key', '://', 'X-Amz', ...texts]) expect(told).not.toContain(secret);
});

it('every line of the log names the trace and the span that it belongs to', async () => {
  const { stderr } = await rig.runProgram(rig.exportWords('--log-level', 'debug'), {
    environment: { ...json(), JOBVAULT_LOG_FORMAT: 'json' },
  });
  const ids = new Set(spansSent().map(({ spanId }) => spanId));
  const lines = stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ msg }) => msg === 'the service answered');
  expect(lines.length).toBeGreaterThan(0);
  for (const line of lines) {
    expect(line['trace_id']).toBe(spansSent()[0]?.traceId);
    expect(ids.has(String(line['span_id']))).toBe(true);
  }
});

it('goes as protobuf where nothing else is said, as the standard has it', async () => {
  const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
  await rig.export({ isProgram: true, environment });
  expect(collector.seen[0]?.headers['content-type']).toBe('application/x-protobuf');
  expect(collector.seen[0]?.body).toContain('jobvault export');
});

it.each([
  ['nothing asks for it', {}],
  ['OTEL_SDK_DISABLED', { OTEL_SDK_DISABLED: 'true' }],
  ['OTEL_TRACES_EXPORTER is none', { OTEL_TRACES_EXPORTER: 'none' }],
  ['the sampler is always_off', { OTEL_TRACES_SAMPLER: 'always_off' }],
])('nothing is sent where %s', async (what, environment) => {
  await rig.export({
    environment: what === 'nothing asks for it' ? {} : { ...json(), ...environment },
  });
  expect(collector.seen).toHaveLength(0);
});

it('a collector that is away costs a warning and no exit code', async () => {
  const environment = { ...json(), OTEL_EXPORTER_OTLP_TIMEOUT: '500' };
  await collector[Symbol.asyncDispose]();
  const end = await rig.runProgram(rig.exportWords(), { environment });
  expect(end.exitCode).toBe(0);
  expect(end.stderr.match(/traces could not be sent/g)).toHaveLength(1);
});

it('what a collector answers is redacted before it is cut', async () => {
  const server = createServer((_request, response) => {
    response.writeHead(400, `${'x'.repeat(294)} demo-key`).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const end = await rig.runProgram(rig.exportWords(), {
    environment: { ...json(), OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` },
  });
  server.close();
  expect(end.stderr).toContain('traces could not be sent');
  expect(end.stderr).toMatch(/x{294} \*\*\*/);
});

it('a protocol that jobvault does not speak is named', async () => {
  const end = await rig.run(rig.exportWords(), {
    environment: { ...json(), OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
  });
  expect(end.exitCode).toBe(0);
  expect(end.stderr).toContain('OTEL_EXPORTER_OTLP_PROTOCOL is "grpc"');
});
