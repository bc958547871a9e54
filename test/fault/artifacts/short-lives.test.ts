/** Real sockets under overload: URLs that die long before their turn, and a host that enforces it. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { systemClock } from '../../../src/base/runtime.js';
import { scriptedApi } from '../../support/http/scripted-api.js';
import { simulatedPage } from '../../support/http/simulated-downloads.js';
import { testFetcher } from '../../support/http/test-fetcher.js';
import { fault } from '../../support/base/fault.js';

it(
  'URLs that live shorter than the queue is long are refreshed until every file is stored',
  fault('F-18'),
  async () => {
    const [lifeMs, downloadMs, pages, filesPerPage] = [400, 80, 6, 25];
    let refusals = 0;
    await using host = await scriptedApi(({ url }, response) => {
      const issuedMs = Number(new URL(url, 'http://h').searchParams.get('issued'));
      if (systemClock.monotonic() > issuedMs + lifeMs) {
        refusals++;
        return { status: 403 };
      }
      void delay(downloadMs).then(() => response.end(`name\n${url.split('?')[0] ?? ''}\n`));
      return undefined;
    });
    await using fetcher = testFetcher({ concurrency: 4 });
    let readings = 0;
    const onRequest = () => {
      readings++;
    };
    const fetching = [];
    for (let index = 0; index < pages; index++) {
      const clock = systemClock;
      const page = simulatedPage({
        clock,
        name: `p${index}`,
        files: filesPerPage,
        lifeMs,
        requestMs: 10,
        onRequest,
      });
      const locations = () =>
        page.locations().map(({ url, deadlineMs }) => ({
          url: url.replace('https://files.example', host.url),
          deadlineMs: deadlineMs - lifeMs / 10,
        }));
      await fetcher.ready();
      await page.read();
      fetching.push(
        ...locations().map((location, at) =>
          fetcher.fetch({
            kind: 'TABLE',
            location,
            refresh: async () => {
              await page.read();
              return locations()[at];
            },
          }),
        ),
      );
    }
    const outcomes = await Promise.all(fetching);
    expect(outcomes.filter(({ status }) => status !== 'stored')).toEqual([]);
    expect(outcomes).toHaveLength(pages * filesPerPage);
    expect(readings).toBeLessThanOrEqual((pages * filesPerPage) / 3);
    expect(refusals).toBeLessThan(pages * filesPerPage);
  },
);
