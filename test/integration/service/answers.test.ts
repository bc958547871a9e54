import { describe, expect, it } from 'vitest';
import { MalformedResponseError, ServiceError } from '../../../src/service/service-errors.js';
import { asDatasetId } from '../../../src/model/ids.js';
import type { ServiceClient } from '../../../src/service/service-client.js';
import {
  refusal,
  scriptedApi,
  success,
  type ScriptedAnswer,
} from '../../support/http/scripted-api.js';
import { failureOf, sessionId, testClient, userId } from '../../support/http/test-client.js';
import { fault } from '../../support/base/fault.js';

async function failureWith(answer: ScriptedAnswer): Promise<{ error: ServiceError; sent: number }> {
  await using api = await scriptedApi(answer);
  await using client = testClient(api.url, { retryBudgetMs: 900 });
  const error = await failureOf(client.getHistory({ userId, sessionId }));
  expect(error).toBeInstanceOf(ServiceError);
  return { error: error as ServiceError, sent: api.seen.length };
}

describe('a refusal', () => {
  it.each([
    [300001, 400, 'InvalidRequestError', 'fatal', 'usage'],
    [300002, 200, 'PermissionDeniedError', 'skip', 'authentication'],
    [300003, 200, 'NotFoundError', 'skip', 'usage'],
    [300009, 200, 'SessionCapError', 'fatal', 'usage'],
    [1002, 403, 'AuthenticationError', 'fatal', 'authentication'],
    [1003, 403, 'UserRefusedError', 'skip', 'authentication'],
    [1004, 403, 'AuthenticationError', 'fatal', 'authentication'],
    [424242, 200, 'ServiceFailureError', 'skip', 'unreachable'],
  ])(
    'with code %i and status %i is a %s, at once',
    fault('F-6', 'F-7'),
    async (code, status, name, disposition, failure) => {
      const { error, sent } = await failureWith(refusal(code, status, 'because'));
      expect(error).toMatchObject({
        name,
        disposition,
        failure,
        status,
        serviceCode: code,
        attempts: 1,
        traceId: 'trace-no',
        externalTraceId: 'run-1-1',
        operation: 'get job history',
      });
      expect(error.message).toMatch(
        new RegExp(
          `^could not get job history: .*HTTP ${status}, code ${code}, “because”.*service trace trace-no, our trace run-1-1`,
        ),
      );
      expect(sent).toBe(1);
    },
  );

  it.each([
    [refusal(9999, 500), 'ServerFailureError', 4],
    [refusal(9999, 200), 'ServerFailureError', 4],
    [{ status: 503, body: '<html>' }, 'ServerFailureError', 4],
    [{ status: 408, body: '' }, 'ServerFailureError', 4],
    [{ status: 429, body: '' }, 'RateLimitedError', 1],
    [refusal(201, 200), 'RateLimitedError', 1],
  ])(
    'that may pass (%j) is tried again while the budget lasts',
    fault('F-6'),
    async (answer, name, attempts) => {
      const { error, sent } = await failureWith(answer);
      expect(error).toMatchObject({ name, disposition: 'retry', failure: 'unreachable', attempts });
      expect(sent).toBe(attempts);
      if (attempts > 1) expect(error.message).toContain(`after ${attempts} attempts`);
    },
  );

  it.each([401, 403, 407])('with a bare %i means that the key is no good', async (status) => {
    const headers = { 'content-type': 'text/html' };
    const { error } = await failureWith({ status, headers, body: '<h1>Forbidden</h1>' });
    expect(error).toMatchObject({ name: 'AuthenticationError', status });
    expect(error.message).toContain('“Forbidden”');
  });

  it('with a bare 404 is never taken for a session that is gone', async () => {
    const { error } = await failureWith({ status: 404, body: '{"error":"no route"}' });
    expect(error).toMatchObject({ name: 'ServiceFailureError', disposition: 'skip', attempts: 1 });
  });

  it.each([
    [402, { body: { msg: 'out of credit' } }, /HTTP 402, “out of credit”/],
    [404, { body: { detail: 'no route' } }, /HTTP 404, “{"detail":"no route"}”/],
    [409, { body: ['busy'] }, /HTTP 409/],
    [410, { body: '' }, /HTTP 410/],
    [422, { headers: { 'content-type': 'text/plain' }, body: 'no' }, /HTTP 422, “no”/],
  ])("with %i and no envelope is the service's own no, at once", async (status, answer, told) => {
    const { error, sent } = await failureWith({ status, ...answer });
    expect(error).toMatchObject({ name: 'ServiceFailureError', disposition: 'skip', status });
    expect(error.message).toMatch(told);
    expect(sent).toBe(1);
  });

  it.each([
    ['HTML', { headers: { 'content-type': 'text/html' }, body: '<p>Not Found</p>' }],
    ['JSON', { body: { error: 'no route' } }],
    ['an envelope', { body: { code: 300003, message: 'unknown operation' } }],
    ['nothing', { body: '' }],
  ])('of a list with 404 says that the address is wrong: %s', async (_what, answer) => {
    await using api = await scriptedApi({ status: 404, ...answer });
    await using client = testClient(api.url);
    for (const list of ['listSessions', 'listDatasets'] as const) {
      const error = await failureOf(client[list]({ userId }));
      expect(error).toMatchObject({ code: 'SERVICE_WRONG_ADDRESS', failure: 'unreachable' });
      expect((error as Error).message).toContain('check the base URL');
    }
    expect(api.seen).toHaveLength(6);
  });

  it('tells its reason as message or as msg, in the overview, too', async () => {
    for (const body of [
      { code: 300002, msg: 'because' },
      { code: { code: 300002, msg: 'because' } },
    ]) {
      expect((await failureWith({ body })).error.message).toContain('“because”');
    }
  });

  it('in the nested code of the overview is noticed', fault('F-7'), async () => {
    const { error } = await failureWith({ body: { code: { code: 300002, message: 'nested' } } });
    expect(error).toMatchObject({ name: 'PermissionDeniedError', serviceCode: 300002 });
    expect(error.message).toContain('“nested”');
  });

  it('is noticed when its code is a string of digits', fault('F-7'), async () => {
    const { error } = await failureWith({ body: { code: '300003' } });
    expect(error).toMatchObject({ name: 'NotFoundError', serviceCode: 300003 });
  });
});

it.each([
  ['no code', { body: { data: { records: [] } } }, /no code/],
  ['a code that is no number', { body: { code: true, data: { records: [] } } }, /no code/],
  ['a success with an error status', { status: 400, body: { code: 0 } }, /contradicts itself/],
  [
    'invalid JSON',
    { body: '{"code":0,"data":{"rec' },
    /not complete JSON \(HTTP 200, “{"code":0,"data":{"rec”\)/,
  ],
  ['JSON that is not an object', { body: '[]' }, /not complete JSON/],
  ['nothing', { body: '' }, /the answer is empty/],
  [
    'bytes that are no text',
    { body: Buffer.from('{"code":0,"x":"\xff"}', 'latin1') },
    /not valid UTF-8/,
  ],
] satisfies [string, ScriptedAnswer, RegExp][])(
  'an answer that makes no sense is no empty page: %s',
  fault('F-9'),
  async (_what, answer, message) => {
    const { error, sent } = await failureWith(answer);
    expect(error).toBeInstanceOf(MalformedResponseError);
    expect(error.message).toMatch(message);
    expect(sent).toBeGreaterThan(1);
  },
);

it.each([
  ['no data', success(null), /no data/],
  ['data that is a list', success([]), /no data/],
  ['no records', success({ total_items: 0 }), /no list of records/],
  ['null records', success({ records: null }), /no list of records/],
  ['another session', success({ session_id: 'other', records: [] }), /of another session/],
] satisfies [string, ScriptedAnswer, RegExp][])(
  'an answer that makes no sense is unusable although it is a success: %s',
  async (_what, answer, message) => {
    const { error } = await failureWith(answer);
    expect(error).toMatchObject({ code: 'SERVICE_UNUSABLE_ANSWER', attempts: 3 });
    expect(error.message).toMatch(message);
  },
);

it(
  'an answer that makes no sense is quoted without tags when it is a login page',
  fault('F-8'),
  async () => {
    const { error } = await failureWith({
      headers: { 'content-type': 'text/html; charset=utf-8' },
      body: '<html><script>var a = 1;</script><title>Sign\n in</title><p>to go on</p></html>',
    });
    expect(error).toMatchObject({ name: 'MalformedResponseError', attempts: 3 });
    expect(error.message).toContain('“Sign in to go on”');
    expect(error.message).toContain('check the base URL');
  },
);

const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`;
it.each([
  ['5', 'is not an object'],
  ['{"id":"a"}', 'has no usable job_id'],
  ['{"job_id":""}', 'has no usable job_id'],
  ['{"job_id":1.5}', 'has no usable job_id'],
  ['{"job_id":"\\ud800x"}', 'has the job_id "\\ud800x", which is not valid text'],
  ['{"job_id":"j","session_id":"other"}', '("j") is of another session'],
  [
    `{"job_id":"j","answer":${deep}}`,
    '("j") is nested more than 200 levels deep, which is not archived in any form',
  ],
])('an odd record leaves the others on its page: %#', async (odd, reason) => {
  const records = `[{"job_id":"first"},${odd},{"job_id":"last"}]`;
  await using api = await scriptedApi({ body: `{"code":0,"data":{"records":${records}}}` });
  await using client = testClient(api.url);
  const page = await client.getHistory({ userId, sessionId });
  expect(page.records.map(({ value }) => value.job_id)).toEqual(['first', 'last']);
  expect(page.unusable).toEqual([{ index: 1, reason }]);
  expect(api.seen).toHaveLength(1);
});

it.each([
  ['session', (client: ServiceClient) => client.getSession({ userId, sessionId })],
  [
    'dataset',
    (client: ServiceClient) =>
      client.getDatasetOverview({ userId, datasetId: asDatasetId('dataset-1') }),
  ],
])('an odd record is refused where another %s was asked for', async (_what, ask) => {
  await using api = await scriptedApi(success({ id: 'other' }));
  await using client = testClient(api.url);
  await expect(ask(client)).rejects.toMatchObject({
    code: 'SERVICE_UNUSABLE_ANSWER',
    message: expect.stringContaining('was requested, but the answer is about "other"'),
  });
});

describe('an answer that is odd but usable', () => {
  async function page(body: string): Promise<unknown> {
    await using api = await scriptedApi({ body });
    await using client = testClient(api.url);
    return await client.getHistory({ userId, sessionId, pageNumber: 3, pageSize: 20 });
  }

  it('is survived without the numbers of the page', async () => {
    expect(await page('{"code":"0","data":{"records":[],"total_items":"many"}}')).toMatchObject({
      pageNumber: 3,
      pageSize: 20,
      totalItems: null,
    });
  });

  it('counts although it is called a page', async () => {
    await using api = await scriptedApi({
      ...success({ records: [] }),
      headers: { 'content-type': 'text/html' },
    });
    await using client = testClient(api.url);
    expect((await client.getHistory({ userId, sessionId })).records).toEqual([]);
  });

  it('is believed about the page size that it grants', fault('F-14'), async () => {
    const text =
      '{"code":0,"data":{"records":[],"page_size":"15","page_number":3,"total_items":0}}';
    expect(await page(text)).toMatchObject({ pageSize: 15, totalItems: 0 });
  });

  it(
    'keeps the digits of a number that serves as id, and every other digit in the text',
    fault('F-9'),
    async () => {
      const record = '{ "n":9007199254740993.10, "job_id" : 9007199254740993 }';
      expect(await page(`\ufeff{"code":0,"data":{"records":[${record}]}}`)).toMatchObject({
        records: [{ value: { job_id: '9007199254740993' }, text: record }],
      });
    },
  );

  it('cannot reach a prototype', fault('F-9'), async () => {
    const record =
      '{"job_id":7,"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}';
    const result = (await page(
      `{"__proto__":{"code":5},"code":0,"data":{"records":[${record}],"__proto__":{"polluted":1}}}`,
    )) as { records: [{ value: object; text: string }] };
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(Object.getPrototypeOf(result.records[0].value)).toBe(Object.prototype);
    expect(Object.hasOwn(result.records[0].value, '__proto__')).toBe(true);
    expect(result.records[0].text).toBe(record);
  });
});
