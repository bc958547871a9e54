import { expect, it } from 'vitest';
import { InvalidRequestError } from '../../../src/service/service-errors.js';
import { PageGrant } from '../../../src/service/page.js';
import { readAll } from '../../../src/service/read-all.js';
import type { Page } from '../../../src/service/service-client.js';
import { ListingService, type Item } from '../../support/http/listing-service.js';

const REFUSED = Object.create(InvalidRequestError.prototype) as Error;

function listing(count: number, totals: 'right' | 'absent' = 'right'): ListingService {
  const ids = Array.from({ length: count }, (_, i) => `id-${i}`);
  return new ListingService(ids, { order: 'oldest', maxPageSize: 10, totals });
}

async function read(service: ListingService, grant = new PageGrant(10)) {
  const reader = service.reader(grant);
  const first = await reader.readFirst();
  const pages = readAll(reader, first);
  const found: string[] = [];
  for (;;) {
    const next = await pages.next();
    if (next.done) return { found, verdict: next.value, requests: service.requests };
    const { items, again, page } = next.value;
    // whatever was sent is told, as new or as sent before
    expect(items.length + again.length).toBe(page.records.length);
    expect(again.every(({ id }) => found.includes(id))).toBe(true);
    found.push(...items.map(({ id }) => id));
  }
}

it('reading a listing begins with the page that the caller has, and asks for it no second time', async () => {
  const { found, verdict, requests } = await read(listing(15));
  expect(found).toHaveLength(15);
  expect(verdict).toEqual({ distinct: 15, totalItems: 15, gap: undefined });
  expect(requests).toBe(2);
});

it('lays pages side by side where a smaller size is refused, and reads everything twice', async () => {
  const service = listing(25);
  const page = service.page.bind(service);
  service.page = (range): Page<Item> => {
    if (range.pageSize !== 10) throw REFUSED;
    return page(range);
  };
  const grant = new PageGrant(10);
  const { found, verdict, requests } = await read(service, grant);
  expect(found).toHaveLength(25);
  expect([verdict.gap, grant.alignedPagesOnly, requests]).toEqual([undefined, true, 6]);
});

it('reading a listing ends in any other failure', async () => {
  const failure = new Error('no connection');
  const service = listing(25);
  const page = service.page.bind(service);
  let failures = 0;
  service.page = (range): Page<Item> => {
    if (service.requests === 1 && failures++ === 0) throw failure;
    return page(range);
  };
  const grant = new PageGrant(10);
  await expect(read(service, grant)).rejects.toBe(failure);
  expect(grant.alignedPagesOnly).toBe(false);
});

it('reading a listing names three flaws and counts the others', async () => {
  const service = listing(10);
  const page = service.page.bind(service);
  service.page = (range): Page<Item> => {
    const unusable = [10, 11, 12, 13, 14].map((index) => ({ index, reason: 'is odd' }));
    return range.pageNumber === 1 ? { ...page(range), unusable } : page(range);
  };
  const { verdict } = await read(service);
  expect(verdict.gap?.message).toContain(
    'record 11 of page 1 is odd; record 12 of page 1 is odd; record 13 of page 1 is odd; and 2 more',
  );
});

it('says that nothing is certain where no total is announced and each pass differs', async () => {
  let turn = 0;
  const service = listing(12, 'absent');
  const page = service.page.bind(service);
  service.page = (range): Page<Item> => {
    service.items.push(service.items.splice(turn++ % 7, 1)[0]!);
    return page(range);
  };
  const { verdict, requests } = await read(service);
  expect(verdict.gap?.message).toMatch(
    /^the items: 12 seen, an unknown number announced, and after \d+ passes it is not proven that none is missing$/,
  );
  expect(requests).toBeLessThan(120);
});
