/** A DELETE that is lost on its way, without any answer: the session is read again before the next one. */
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { outcomes, PruneRig } from '../../support/rigs/prune-rig.js';
import { fault } from '../../support/base/fault.js';

let rig: PruneRig;
/** Called for each DELETE before it is handed on; true: it is lost, and its connection with it. */
let isLost: () => boolean;
/** What came for the session, in order. */
let seen: string[] = [];

const front = createServer((incoming, answer) => {
  seen.push(`${incoming.method} ${incoming.url?.includes('/history') ? 'history' : 'session'}`);
  if (incoming.method === 'DELETE' && isLost()) {
    incoming.socket.destroy();
    return;
  }
  const { method, url, headers } = incoming;
  const onward = request(`${rig.emulator.baseUrl}${url}`, { method, headers }, (from) => {
    answer.writeHead(from.statusCode ?? 500, from.headers);
    from.pipe(answer);
  });
  incoming.pipe(onward);
});

beforeEach(async () => {
  rig = await PruneRig.start();
  rig.addSession('ann', 'a1');
  isLost = () => false;
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  await rig.rig.export({ baseUrl: baseUrl() });
  seen = [];
});
afterEach(async () => {
  front.closeAllConnections();
  await new Promise((resolve) => front.close(resolve));
  await rig[Symbol.asyncDispose]();
});

const baseUrl = () => `http://127.0.0.1:${(front.address() as AddressInfo).port}`;

it('is not repeated where a question was asked meanwhile', fault('F-50'), async () => {
  isLost = () => {
    rig.grow('ann', 'a1');
    return true;
  };
  expect(outcomes(await rig.pruned({ baseUrl: baseUrl() }))).toEqual({ a1: 'grown' });
  expect(seen.filter((one) => one.startsWith('DELETE'))).toHaveLength(1);
  expect(rig.left()).toEqual(['a1']);
});

it('is repeated after another final check', async () => {
  let lost = 0;
  isLost = () => lost++ < 2;
  expect(outcomes(await rig.pruned({ baseUrl: baseUrl() }))).toEqual({ a1: 'deleted' });
  const attempt = ['GET session', 'GET history', 'DELETE session'];
  expect(seen.slice(seen.indexOf('GET session', 1))).toEqual([
    ...[...attempt, ...attempt, ...attempt],
    'GET session',
  ]);
});
