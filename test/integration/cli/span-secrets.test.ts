/** What a collector gets of a run whose users and answers hold secrets: ids and trace ids are texts of others. */
import { afterEach, expect, it, vi } from 'vitest';
import { sendTraces } from '../../../src/telemetry/send-traces.js';
import { redactText } from '../../../src/base/text/redact.js';
import { silentLogger } from '../../../src/base/logger.js';
import { scriptedApi } from '../../support/http/scripted-api.js';

afterEach(() => void vi.unstubAllEnvs());

it('Attributes and names of spans are redacted: those given at the start, and those noted later', async () => {
  await using collector = await scriptedApi({ status: 200, body: {} });
  const variables = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', collector.url);
  const redact = (text: string): string => redactText(text, ['canary-key']);
  const tracing = await sendTraces('http/json', variables, {
    logger: silentLogger,
    redact,
  });
  const user = 'https://files.example/a?X-Amz-Signature=canary-one#ann';
  await tracing.tracer.span('run', { command: 'export canary-key' }, () =>
    tracing.tracer.span('user', { user }, (note) => {
      note({ traceId: 'trace of canary-key', status: 200, isWhole: true });
      return tracing.tracer.span('request', { operation: 'list canary-key' }, () =>
        Promise.resolve(),
      );
    }),
  );
  await tracing.close();
  const sent = collector.seen.map(({ body }) => body).join('');
  expect(sent).toContain('https://files.example/a?…');
  expect(sent).toContain('{"key":"http.response.status_code","value":{"intValue":200}}');
  expect(sent).toContain('{"key":"jobvault.is_whole","value":{"boolValue":true}}');
  expect(sent.match(/canary/g)).toBeNull();
});
