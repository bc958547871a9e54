import { expect, it } from 'vitest';
import { LiveHistory } from '../../../src/artifacts/live-history.js';
import type { JobRecord } from '../../../src/model/records.js';
import { PageGrant } from '../../../src/service/page.js';
import type { PageReader } from '../../../src/service/page-reader.js';
import { readAll } from '../../../src/service/read-all.js';
import { ListingService } from '../../support/http/listing-service.js';

const ids = Array.from({ length: 40 }, (_, i) => `job-${i}`);

async function admitted() {
  const service = new ListingService(ids, { order: 'oldest', maxPageSize: 10, totals: 'right' });
  const reader = service.reader(new PageGrant(10)) as unknown as PageReader<JobRecord>;
  const history = new LiveHistory(reader);
  const live = [];
  for await (const page of readAll(reader)) {
    for (const item of page.items) {
      history.track(item);
      live.push(item);
    }
  }
  service.requests = 0;
  return { service, history, live };
}

it('jobs whose URLs have run out share the read that shows that they are gone', async () => {
  const { service, history, live } = await admitted();
  service.items = ['another'];
  const fresh = await Promise.all(live.map((item) => history.refresh(item)));
  expect(fresh.every((one) => one === undefined)).toBe(true);
  expect(service.requests).toBeLessThanOrEqual(3);
});

it('jobs whose URLs have run out do not take the record of a cache, which may be older', async () => {
  const { history, live } = await admitted();
  const { reader } = history;
  const read = reader.read.bind(reader);
  reader.read = async (range) => {
    const page = await read(range);
    const served = { ...page.items[0]!.served, stale: 'Age: 12' };
    return { ...page, items: page.items.map((item) => ({ ...item, served })) };
  };
  const [first] = live;
  expect(await history.refresh(first!)).toBeUndefined();
  expect(history.latest(first!.id)).toBe(first);
  reader.read = read;
  expect((await history.refresh(live[20]!))?.served.stale).toBeUndefined();
});

it('jobs whose URLs have run out are found where they have moved to', async () => {
  const { service, history, live } = await admitted();
  service.items = [...Array.from({ length: 15 }, (_, i) => `new-${i}`), ...ids];
  const fresh = await Promise.all(live.map((item) => history.refresh(item)));
  expect(fresh.map((one) => one?.id)).toEqual(live.map(({ id }) => id));
  expect(fresh.every((one, index) => one?.position === live[index]!.position + 15)).toBe(true);
  expect(service.requests).toBeLessThan(2 * ids.length);
});
