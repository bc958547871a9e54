import { afterEach, describe, expect, it } from 'vitest';
import { startEmulator, type Emulator } from '../../../src/emulator/emulator.js';
import type { EmulatorOptions } from '../../../src/emulator/options.js';
import { asSessionId, asUserId, type UserId } from '../../../src/model/ids.js';
import type { ServiceClientOptions } from '../../../src/service/create-service-client.js';
import { failureOf, testClient, type TestClient } from '../../support/http/test-client.js';
import { fault } from '../../support/base/fault.js';

const open: Emulator[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((emulator) => emulator.close()));
});

async function start(
  options: EmulatorOptions = {},
  clientOptions: Partial<ServiceClientOptions> = {},
): Promise<{ emulator: Emulator; client: TestClient; userId: UserId }> {
  const emulator = await startEmulator({
    users: 1,
    sessions: 3,
    jobs: 3,
    exactJobs: true,
    ...options,
  });
  open.push(emulator);
  const client = testClient(emulator.baseUrl, { apiKey: 'demo-key', ...clientOptions });
  return { emulator, client, userId: asUserId(emulator.state.userIds()[0]!) };
}

describe('against the emulator', () => {
  it('a session lives from creation to deletion', async () => {
    const { client, userId } = await start({ sessions: 0 });
    const sessionId = await client.createSession({ userId, name: 'first', outputLanguage: 'DE' });
    await client.modifySession({ userId, sessionId, name: 'second' });
    expect((await client.getSession({ userId, sessionId })).value).toMatchObject({
      id: sessionId,
      name: 'second',
      output_language: 'DE',
    });
    expect((await client.getHistory({ userId, sessionId })).records).toEqual([]);
    await client.deleteSession({ userId, sessionId });
    const gone = await failureOf(client.getSession({ userId, sessionId }));
    expect(gone).toMatchObject({ name: 'NotFoundError', serviceCode: 300003 });
  });

  it('a dataset lives from creation to deletion', async () => {
    const { client, userId } = await start();
    const datasetId = await client.createDataset({ userId, name: 'data', description: 'd' });
    await client.modifyDataset({ userId, datasetId, description: 'other' });
    const overview = await client.getDatasetOverview({ userId, datasetId });
    expect(overview.value).toMatchObject({ id: datasetId, name: 'data', description: 'other' });
    expect(await client.getDatasetStatus({ userId, datasetId })).toMatchObject({
      invalid_count: 0,
    });
    const listed = await client.listDatasets({ userId, search: 'data', pageSize: 100 });
    expect(listed.records.map(({ value }) => value.id)).toContain(datasetId);
    await client.deleteDataset({ userId, datasetId });
    const gone = await failureOf(client.getDatasetOverview({ userId, datasetId }));
    expect(gone).toMatchObject({ name: 'NotFoundError' });
  });

  it('a page larger than granted says so, and a refused one is an invalid request', async () => {
    const { emulator, client, userId } = await start({ maxPageSize: 2 });
    const page = await client.listSessions({ userId, pageSize: 1000 });
    expect(page).toMatchObject({ pageNumber: 1, pageSize: 2, totalItems: 3 });
    expect(page.records).toHaveLength(2);
    emulator.faults.refusePageSizeAbove = 50;
    const error = await failureOf(client.listSessions({ userId, pageSize: 51 }));
    expect(error).toMatchObject({ name: 'InvalidRequestError', status: 400, serviceCode: 300001 });
  });

  it('the 151st session is one too many', async () => {
    const { client, userId } = await start({ sessions: 150, jobs: 0 });
    const error = await failureOf(client.createSession({ userId, name: 'n' }));
    expect(error).toMatchObject({ name: 'SessionCapError' });
  });

  it('an expired and an unknown key are told from a user who is refused', async () => {
    const { emulator, client, userId } = await start({ expiredApiKeys: ['an-old-key'] });
    for (const [apiKey, serviceCode] of [
      ['an-old-key', 1002],
      ['no-such-key', 1004],
    ] as const) {
      await using other = testClient(emulator.baseUrl, { apiKey });
      const error = await failureOf(other.listSessions({ userId }));
      expect(error).toMatchObject({ name: 'AuthenticationError', serviceCode });
    }
    for (const [code, name] of [
      [1003, 'UserRefusedError'],
      [300002, 'PermissionDeniedError'],
    ] as const) {
      emulator.faults.refusedUsers = { [userId]: code };
      expect(await failureOf(client.listSessions({ userId }))).toMatchObject({ name });
    }
  });

  it('a deletion that works and answers 500 has worked', async () => {
    const { emulator, client, userId } = await start();
    emulator.faults.deleteAnswers500AfterDeleting = true;
    const [first] = (await client.listSessions({ userId })).records;
    await client.deleteSession({ userId, sessionId: first!.value.id });
    expect((await client.listSessions({ userId })).totalItems).toBe(2);
  });

  it.each([
    { kind: 'error', status: 503, retryAfter: 'nonsense' },
    { kind: 'html' },
    { kind: 'invalid-json' },
    { kind: 'reset', afterBytes: 300 },
    { kind: 'truncate', afterBytes: 300 },
    { kind: 'hang' },
    { kind: 'drip', bytes: 1, pauseMs: 20 },
  ] as const)(
    'a page comes whole after two faults of the kind $kind',
    fault('F-2'),
    async (answer) => {
      const { emulator, client, userId } = await start({}, { requestTimeoutMs: 300 });
      const sessionId = (await client.listSessions({ userId })).records[0]!.value.id;
      emulator.faults.api = [{ operations: ['getHistory'], first: 2, answer }];
      const page = await client.getHistory({ userId, sessionId });
      expect(page.records).toHaveLength(3);
      for (const { value, text } of page.records) expect(JSON.parse(text)).toEqual(value);
      expect(client.stats.retries).toBe(2);
    },
  );

  it('50 MB of padding are stopped at the cap, packed or not', async () => {
    const { emulator, client, userId } = await start({}, { maxBodyBytes: 1_000_000 });
    for (const gzip of [true, false]) {
      emulator.faults.api = [{ answer: { kind: 'padded', bytes: 50_000_000, gzip } }];
      const error = await failureOf(client.listSessions({ userId }));
      expect(error).toMatchObject({ name: 'BodyTooLargeError' });
    }
  });

  it('many callers at once stay within the limit of the service', async () => {
    const { emulator, client, userId } = await start({ rateLimit: 50 }, { rate: 50 });
    const ask = (): Promise<unknown> =>
      client.getSession({ userId, sessionId: asSessionId('none') });
    const outcomes = await Promise.allSettled(Array.from({ length: 60 }, ask));
    const names = outcomes.map((outcome) =>
      outcome.status === 'rejected' ? (outcome.reason as Error).name : '',
    );
    expect(new Set(names)).toEqual(new Set(['NotFoundError']));
    expect(emulator.stats.rateLimited).toBeLessThanOrEqual(1);
  });
});
