import { expect, it } from 'vitest';
import { UsageError } from '../../../src/base/error.js';
import { asDatasetId, asSessionId, asUserId } from '../../../src/model/ids.js';
import type { ServiceClient } from '../../../src/service/service-client.js';
import { pageOf, scriptedApi, success } from '../../support/http/scripted-api.js';
import {
  CANARY_KEY,
  datasetId,
  failureOf,
  sessionId,
  testClient,
  userId,
} from '../../support/http/test-client.js';

const json = (body: string): unknown => JSON.parse(body);

it('the operations on sessions lists sessions with paging, search and user in the query', async () => {
  await using api = await scriptedApi(pageOf([{ id: 's1', name: 'one' }], 7));
  await using client = testClient(api.url);
  const page = await client.listSessions({
    userId,
    pageNumber: 2,
    pageSize: 50,
    search: 'a b&c',
  });
  expect(api.seen[0]).toMatchObject({
    method: 'GET',
    url: '/v2/team/sessions?page_number=2&page_size=50&search=a%20b%26c&user_id=user-1',
    body: '',
  });
  expect(page).toMatchObject({
    pageNumber: 2,
    fault: 'page 2 was requested, but the answer is page 1',
    pageSize: 10,
    totalItems: 7,
    records: [{ value: { id: 's1', name: 'one' }, text: '{"id":"s1","name":"one"}' }],
  });
  expect(page.served.dateMs! % 1000).toBe(0);
});

it('the operations on sessions leaves out what was not asked for', async () => {
  await using api = await scriptedApi(pageOf([]));
  await using client = testClient(api.url);
  await client.listSessions({ userId, search: '' });
  expect(api.seen[0]!.url).toBe('/v2/team/sessions?user_id=user-1');
});

it('the operations on sessions gets one session, and keeps its text', async () => {
  await using api = await scriptedApi({
    body: '{"code":0,"data": {"id":"session-1", "n":1.50} }',
  });
  await using client = testClient(api.url);
  const session = await client.getSession({ userId, sessionId });
  expect(api.seen[0]!.url).toBe('/v2/team/sessions/session-1?user_id=user-1');
  expect(session).toMatchObject({
    value: { id: 'session-1', n: 1.5 },
    text: '{"id":"session-1", "n":1.50}',
  });
});

it('the operations on sessions creates a session with the settings and the user in the body', async () => {
  await using api = await scriptedApi(success({ id: 'new' }));
  await using client = testClient(api.url);
  const id = await client.createSession({
    userId,
    name: 'n',
    outputLanguage: 'ZH-CN',
    jobMode: 'AUTO',
    maxContextualJobHistory: 0,
    agentId: 'DATA_ANALYSIS_AGENT',
  });
  expect(id).toBe('new');
  expect(api.seen[0]).toMatchObject({ method: 'POST', url: '/v2/team/sessions' });
  expect(api.seen[0]!.headers['content-type']).toBe('application/json');
  expect(json(api.seen[0]!.body)).toEqual({
    name: 'n',
    output_language: 'ZH-CN',
    job_mode: 'AUTO',
    max_contextual_job_history: 0,
    agent_id: 'DATA_ANALYSIS_AGENT',
    user_id: 'user-1',
  });
});

it.each([null, {}, undefined])(
  'the operations on sessions modifies and deletes when data is %j',
  async (data) => {
    await using api = await scriptedApi(success(data));
    await using client = testClient(api.url);
    await client.modifySession({ userId, sessionId, name: 'n' });
    await client.deleteSession({ userId, sessionId });
    expect(api.seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST /v2/team/sessions/session-1',
      'DELETE /v2/team/sessions/session-1',
    ]);
    expect(json(api.seen[0]!.body)).toEqual({ name: 'n', user_id: 'user-1' });
    expect(json(api.seen[1]!.body)).toEqual({ user_id: 'user-1' });
  },
);

it('the operations on sessions reads a page of history', async () => {
  await using api = await scriptedApi(pageOf([{ job_id: 'j1', question: { blocks: [] } }]));
  await using client = testClient(api.url);
  const page = await client.getHistory({ userId, sessionId, pageNumber: 1, pageSize: 100 });
  expect(api.seen[0]!.url).toBe(
    '/v2/team/sessions/session-1/history?page_number=1&page_size=100&user_id=user-1',
  );
  expect(page.records.map(({ value }) => value.job_id)).toEqual(['j1']);
});

it('the operations on datasets lists, reads, creates, modifies and deletes', async () => {
  const status = { synched_count: 1, invalid_count: 0, synching_count: '2', more: true };
  await using api = await scriptedApi(
    pageOf([{ id: 'd1' }]),
    { body: { code: { code: 0 }, data: { id: 'dataset-1', keywords: ['k'] } } },
    success(status),
    success({ id: 'd2' }),
    success(null),
    success({}),
  );
  await using client = testClient(api.url);
  expect((await client.listDatasets({ userId })).records).toHaveLength(1);
  expect((await client.getDatasetOverview({ userId, datasetId })).value).toEqual({
    id: 'dataset-1',
    keywords: ['k'],
  });
  expect(await client.getDatasetStatus({ userId, datasetId })).toEqual({
    ...status,
    synching_count: 2,
  });
  expect(await client.createDataset({ userId, name: 'n', description: '' })).toBe('d2');
  await client.modifyDataset({ userId, datasetId, description: 'd' });
  await client.deleteDataset({ userId, datasetId });
  expect(api.seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'GET /v2/team/datasets?user_id=user-1',
    'GET /v2/team/datasets/dataset-1/overview?user_id=user-1',
    'GET /v2/team/datasets/dataset-1/status?user_id=user-1',
    'POST /v2/team/datasets',
    'POST /v2/team/datasets/dataset-1',
    'DELETE /v2/team/datasets/dataset-1',
  ]);
  expect(json(api.seen[4]!.body)).toEqual({ description: 'd', user_id: 'user-1' });
});

it('every request carries the key, a trace id of its own and what can be unpacked', async () => {
  await using api = await scriptedApi(pageOf([]));
  await using client = testClient(`${api.url}/prefix/`, { traceId: `ü${'x'.repeat(200)}` });
  await client.listSessions({ userId });
  await client.listSessions({ userId });
  const [first, second] = api.seen;
  expect(first!.url).toBe('/prefix/v2/team/sessions?user_id=user-1');
  expect(first!.headers).toMatchObject({
    'x-pd-api-key': CANARY_KEY,
    'accept-encoding': 'gzip, deflate, br',
    'user-agent': 'jobvault',
    'cache-control': 'no-cache, no-store',
    pragma: 'no-cache',
  });
  const ids = [first, second].map((seen) => String(seen!.headers['x-pd-external-trace-id']));
  expect(ids).toEqual([`_${'x'.repeat(125)}-1`, `_${'x'.repeat(125)}-2`]);
});

it('every request can carry the key in another header', async () => {
  await using api = await scriptedApi(pageOf([]));
  await using client = testClient(api.url, { apiKeyHeader: 'X-Other' });
  await client.listSessions({ userId });
  expect(api.seen[0]!.headers['x-other']).toBe(CANARY_KEY);
  expect(api.seen[0]!.headers['x-pd-api-key']).toBeUndefined();
});

it('every request keeps an id inside its segment of the path', async () => {
  await using api = await scriptedApi(({ url }) =>
    success({ id: decodeURIComponent(/sessions\/([^?]*)/.exec(url)?.[1] ?? '') }),
  );
  await using client = testClient(api.url);
  const ids = ['a/../b', 'a?user_id=other', '%2e%2e', 'ü#', '...'];
  for (const id of ids) await client.getSession({ userId, sessionId: asSessionId(id) });
  expect(api.seen.map(({ url }) => url)).toEqual(
    ids.map((id) => `/v2/team/sessions/${encodeURIComponent(id)}?user_id=user-1`),
  );
});

it('every request is counted, retries included', async () => {
  await using api = await scriptedApi(
    { status: 500 },
    { status: 429, headers: { 'retry-after': '0' } },
    pageOf([]),
  );
  await using client = testClient(api.url);
  await client.listSessions({ userId });
  expect(client.stats).toMatchObject({ requests: 3, retries: 2, rateLimited: 1 });
});

const long = '🙂'.repeat(129);
const cases: [string, (client: ServiceClient) => Promise<unknown>, RegExp][] = [
  ['no user', (c) => c.listSessions({ userId: asUserId('') }), /^user_id is empty/],
  ['half a character', (c) => c.listSessions({ userId: asUserId('\ud800') }), /half a surrogate/],
  ['page 0', (c) => c.listSessions({ userId, pageNumber: 0 }), /^page_number is 0; .* from 1 up/],
  ['half a page', (c) => c.listDatasets({ userId, pageSize: 1.5 }), /^page_size is 1.5/],
  ['a long search', (c) => c.listSessions({ userId, search: long }), /^search has 129 char.*128/],
  [
    'a long name',
    (c) => c.createSession({ userId, name: long }),
    /^name has 129 characters \("(🙂){40}…"\)/u,
  ],
  ['no name', (c) => c.createSession({ userId, name: '' }), /^name is empty/],
  [
    'an unknown language',
    (c) => c.createSession({ userId, name: 'n', outputLanguage: 'XX' as 'DE' }),
    /^output_language is "XX"; allowed are AUTO, EN.*ZH-TW$/,
  ],
  [
    'an unknown mode',
    (c) => c.modifySession({ userId, sessionId, name: 'n', jobMode: 'auto' as 'AUTO' }),
    /^job_mode is "auto"; allowed are AUTO, DATA_ANALYTICS$/,
  ],
  [
    'too much history',
    (c) => c.createSession({ userId, name: 'n', maxContextualJobHistory: 11 }),
    /^max_contextual_job_history is 11; allowed are whole numbers from 0 to 10$/,
  ],
  [
    'an unknown agent',
    (c) => c.createSession({ userId, name: 'n', agentId: 'X' as 'DATA_ANALYSIS_AGENT' }),
    /^agent_id is/,
  ],
  ['nothing to modify', (c) => c.modifyDataset({ userId, datasetId }), /^neither name nor descr/],
  [
    'a long description',
    (c) => c.createDataset({ userId, name: 'n', description: 'x'.repeat(5001) }),
    /5001/,
  ],
  [
    'a dot as id',
    (c) => c.getSession({ userId, sessionId: asSessionId('..') }),
    /^session id is "\.\."/,
  ],
  [
    'an empty id',
    (c) => c.deleteDataset({ userId, datasetId: asDatasetId('') }),
    /^dataset id is empty/,
  ],
];

it.each(cases)(
  'a request that makes no sense is refused before anything is sent: %s',
  async (_what, ask, message) => {
    await using api = await scriptedApi(success({ id: 'x' }));
    await using client = testClient(api.url);
    const error = await failureOf(ask(client));
    expect(error).toBeInstanceOf(UsageError);
    expect((error as Error).message).toMatch(message);
    expect(api.seen).toEqual([]);
  },
);

it('a request that makes no sense is allowed up to the limit, counted in characters', async () => {
  await using api = await scriptedApi(success({ id: 'x' }));
  await using client = testClient(api.url);
  await client.createSession({ userId, name: '🙂'.repeat(128) });
  expect(api.seen).toHaveLength(1);
});

it.each([
  ['baseUrl', { baseUrl: 'nowhere' }],
  ['baseUrl', { baseUrl: 'ftp://host' }],
  ['baseUrl', { baseUrl: 'http://user:secret-pw@host' }],
  ['baseUrl', { baseUrl: 'http://host?key=secret-pw' }],
  ['apiKey', { apiKey: 'secret-pw\n' }],
  ['apiKey', { apiKey: '' }],
  ['apiKey', { apiKey: '7-chars' }],
  ['apiKeyHeader', { apiKeyHeader: 'x y' }],
  ['rate', { rate: 0 }],
  ['maxAttempts', { maxAttempts: Number.NaN }],
  ['retryBudgetMs', { retryBudgetMs: -1 }],
])(
  'a request that makes no sense is refused when the client is made: %s in %o',
  (_option, options) => {
    const make = (): unknown => testClient('http://host', options);
    expect(make).toThrow(UsageError);
    expect(make).not.toThrow(/secret-pw/);
  },
);

it('closing the client calls off what is under way and refuses what comes later', async () => {
  await using api = await scriptedApi(() => undefined);
  const client = testClient(api.url);
  const underWay = failureOf(client.listSessions({ userId }));
  await expect.poll(() => api.seen.length).toBe(1);
  await client.close();
  expect(await underWay).toMatchObject({ name: 'ClientClosedError' });
  const later = await failureOf(client.listSessions({ userId }));
  expect(later).toMatchObject({ name: 'ClientClosedError', disposition: 'fatal' });
  await client.close();
});
