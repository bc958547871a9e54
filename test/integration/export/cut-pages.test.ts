/** A proxy that grants less than it says, and counts only the page: nothing is taken for whole because of it. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { ExportRig } from '../../support/rigs/export-rig.js';
import { fault } from '../../support/base/fault.js';

const GRANTED = 5;

interface Listing {
  readonly data: { page_size?: number; total_items?: number; readonly records?: readonly object[] };
}

/** Passes requests of lists and histories on with a smaller page size, and says that it was the one asked for. */
async function cuttingProxy(behind: string): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer((incoming, outgoing) => {
    const url = new URL(incoming.url ?? '/', behind);
    const asked = Number(url.searchParams.get('page_size'));
    if (asked > GRANTED) url.searchParams.set('page_size', String(GRANTED));
    const passOn = async () => {
      const answer = await fetch(url, { headers: { 'x-pd-api-key': 'demo-key' } });
      const body = (await answer.json()) as Listing;
      if (body.data.records) {
        body.data.page_size = asked;
        body.data.total_items = body.data.records.length;
      }
      const date = answer.headers.get('date') ?? '';
      outgoing.writeHead(answer.status, { 'content-type': 'application/json', date });
      outgoing.end(JSON.stringify(body));
    };
    passOn().catch(() => outgoing.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

it(
  'an export archives all behind a proxy that grants five records and calls these all',
  fault('F-144'),
  async () => {
    await using rig = await ExportRig.start({ users: 2, sessions: 8, jobs: 9, artifactsPerJob: 0 });
    await using proxy = await cuttingProxy(rig.emulator.baseUrl);
    const { sessions, jobs } = rig.state.totals();
    expect(await rig.export({ baseUrl: proxy.url })).toMatchObject({
      status: 'complete',
      gaps: [],
    });
    expect(await rig.rows('sessions')).toHaveLength(sessions);
    expect(await rig.rows('jobs')).toHaveLength(jobs);
  },
);

it('an export behind a cutting proxy archives what comes later to a history of five', async () => {
  await using rig = await ExportRig.start();
  const session = rig.state.addSession('ann');
  for (let job = 0; job < GRANTED; job++) rig.state.addJob('ann', session);
  await using proxy = await cuttingProxy(rig.emulator.baseUrl);
  await rig.export({ baseUrl: proxy.url });
  for (const order of ['oldest', 'newest'] as const) {
    rig.emulator.faults.order = order;
    rig.state.addJob('ann', session);
    await rig.export({ baseUrl: proxy.url });
  }
  expect(await rig.rows('jobs')).toHaveLength(GRANTED + 2);
});
