/** Requests that belong together, over real sockets: each is sent once. */
import { Agent, buildConnector } from 'undici';
import { expect, it } from 'vitest';
import { scriptedApi, success } from '../../support/http/scripted-api.js';
import { failureOf, sessionId, testClient, userId } from '../../support/http/test-client.js';
import { fault } from '../../support/base/fault.js';

const session = success({ id: sessionId, name: 'n' });

it('a DELETE among them is sent exactly once, whatever is answered', fault('F-50'), async () => {
  await using api = await scriptedApi({ status: 503, headers: { 'retry-after': '0' } });
  await using client = testClient(api.url);
  const together = client.together(1);
  const error = await failureOf(together.deleteSession({ userId, sessionId }));
  await together.close();
  expect(error).toMatchObject({ name: 'ServerFailureError', attempts: 1 });
  expect(api.seen).toHaveLength(1);
  expect(client.waitAfter(error, { attempts: 1, waitedMs: 0 })).toBe(0);
  expect(client.waitAfter(error, { attempts: 4, waitedMs: 0 })).toBeUndefined();
  expect(client.waitAfter(new Error('ours'), { attempts: 1, waitedMs: 0 })).toBeUndefined();
});

it('what is not sent of them holds nobody up', async () => {
  await using api = await scriptedApi(session);
  await using client = testClient(api.url);
  const together = client.together(3);
  await together.getSession({ userId, sessionId });
  const other = client.getSession({ userId, sessionId });
  await together.close();
  await together.close();
  await other;
  expect(api.seen).toHaveLength(2);
});

it('a DELETE is not sent where connecting takes so long that it comes too late', async () => {
  await using api = await scriptedApi(session, success({}));
  const connector = buildConnector({});
  let isSlow = false;
  const dispatcher = new Agent({
    // no connection is kept
    pipelining: 0,
    connect: (options, connected) => {
      setTimeout(() => connector(options, connected), isSlow ? 30 : 0);
    },
  });
  await using client = testClient(api.url, { dispatcher });
  const together = client.together(3);
  await together.getSession({ userId, sessionId });
  isSlow = true;
  const asked: number[] = [];
  const begun: number[] = [];
  const deleting = (isTooLate: boolean) =>
    together.deleteSession({
      ...{ userId, sessionId },
      isTooLate: () => {
        asked.push(api.seen.length);
        return isTooLate;
      },
      onRequestStart: () => void begun.push(api.seen.length),
    });
  const error = await failureOf(deleting(true));
  expect(error).toMatchObject({
    ...{ name: 'UnreachableError', mayHaveHappened: false, attempts: 1 },
    message: expect.stringContaining(
      `the connection to ${api.host} came too late: nothing was sent`,
    ) as string,
  });
  expect(api.seen.map(({ method }) => method)).toEqual(['GET']);
  expect(begun).toEqual([]);
  await deleting(false);
  expect(api.seen.map(({ method }) => method)).toEqual(['GET', 'DELETE']);
  // asked each time before the request is written, and told where it is
  expect([asked, begun]).toEqual([[1, 1], [1]]);
  await together.close();
  await dispatcher.close();
});
