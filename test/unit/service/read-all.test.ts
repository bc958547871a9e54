import { expect, it } from 'vitest';
import { PageGrant } from '../../../src/service/page.js';
import { readAll } from '../../../src/service/read-all.js';
import type { Page } from '../../../src/service/service-client.js';
import { ListingService, type Item } from '../../support/http/listing-service.js';
import { fault } from '../../support/base/fault.js';

/** Far more than any of these listings needs: a loop without a bound ends here. */
const ENDLESS = 1000;

function listingOf(count: number, spoil: (page: Page<Item>, request: number) => Page<Item>) {
  const ids = Array.from({ length: count }, (_, i) => `id-${i}`);
  const service = new ListingService(ids, { order: 'oldest', maxPageSize: 10, totals: 'right' });
  const page = service.page.bind(service);
  service.page = (range) => {
    if (service.requests >= ENDLESS) throw new Error('asked for ever');
    return spoil(page(range), service.requests);
  };
  return { service, ids };
}

async function read(service: ListingService, recordsStay = false, shown?: ReadonlySet<string>) {
  const items: { readonly id: string; readonly position: number }[] = [];
  const pages = readAll(service.reader(new PageGrant(10), recordsStay), undefined, shown);
  for (;;) {
    const next = await pages.next();
    if (next.done) return { items, ids: items.map(({ id }) => id), gap: next.value.gap?.message };
    items.push(...next.value.items);
  }
}

it.each([
  ['one too high', (asked: number) => asked + 1],
  ['0', () => 0],
  ['1', () => 1],
  ['2,564,753,200', () => 2_564_753_200],
])(
  'another page number leaves records where asked for, and a gap that names it: %s',
  fault('F-58'),
  async (_, echo) => {
    const { service, ids } = listingOf(25, (page) => {
      const told = echo(page.pageNumber);
      const fault = `page ${page.pageNumber} was requested, but the answer is page ${told}`;
      return told === page.pageNumber ? page : { ...page, fault };
    });
    const { items, gap } = await read(service);
    expect(items.map(({ id, position }) => [id, position])).toEqual(
      [...ids.entries()].map(([at, id]) => [id, at]),
    );
    expect(gap).toContain('the items: 25 seen, 25 announced, and page');
    expect(gap).toContain(`but the answer is page ${echo(1)}`);
    expect(service.requests).toBeLessThanOrEqual(8);
  },
);

it('a page number that is not the one asked for is no gap where it passes by', async () => {
  const { service, ids } = listingOf(25, (page, request) =>
    request === 2 ? { ...page, fault: 'page 2 was asked for' } : page,
  );
  const { ids: seen, gap } = await read(service);
  expect(seen).toEqual(ids);
  expect(gap).toBeUndefined();
});

it(
  'a listing that stands still ends with a gap within a bound of requests, for any total',
  fault('F-13', 'F-58'),
  async () => {
    const { service } = listingOf(10, (page) => ({ ...page, totalItems: 9_000_000_000 }));
    const page = service.page.bind(service);
    service.page = ({ pageSize }) => page({ pageNumber: 1, pageSize });
    const { ids, gap } = await read(service);
    expect(ids).toHaveLength(10);
    expect(gap).toContain('10 seen, 9000000000 announced');
    expect(service.requests).toBeLessThan(100);
  },
);

it.each([1e15, 11])(
  'a listing that does not move on is not misled by a page size that was not asked for: %d',
  async (pageSize) => {
    const { service, ids } = listingOf(25, (page) => ({ ...page, pageSize }));
    const { ids: seen } = await read(service);
    expect(seen).toEqual(ids);
    expect(service.requests).toBeLessThan(100);
  },
);

it('a listing that stands still is incomplete after its first page though that says more', async () => {
  const { service, ids } = listingOf(25, (page) => ({
    ...page,
    pageSize: 1000,
    totalItems: null,
  }));
  const { ids: seen } = await read(service);
  expect(seen).toEqual(ids);
});

it('a record that is none leaves all others, each at its own place, and a gap that names it', async () => {
  const { service, ids } = listingOf(25, (page) => {
    if (page.pageNumber !== 1) return page;
    const records = page.records.filter((_, index) => index !== 3);
    return { ...page, records, unusable: [{ index: 3, reason: 'has no usable id' }] };
  });
  const { items, gap } = await read(service);
  expect(items.map(({ id }) => id)).toEqual(ids.filter((id) => id !== 'id-3'));
  expect(items.find(({ id }) => id === 'id-4')?.position).toBe(4);
  expect(gap).toContain('record 4 of page 1 has no usable id');
  expect(service.requests).toBeLessThanOrEqual(8);
});

const emptied = (from: number) =>
  listingOf(25, (page, request) =>
    request <= from ? page : { ...page, records: [], totalItems: 0 },
  );

it.each([1, 2])(
  'vanished records are a gap where records stay, although the rest is whole: from %d on',
  fault('F-94'),
  async (from) => {
    const { service, ids } = emptied(from);
    const { ids: seen, gap } = await read(service, true);
    expect([seen, ids.slice(0, seen.length)]).toEqual([seen, seen]);
    expect(seen.length).toBeLessThan(25);
    expect(gap).toBe(
      `the items: ${seen.length} seen, 0 announced, and ${seen.length} that were shown before are not there any more`,
    );
    expect(service.requests).toBeLessThan(10);
  },
);

it(
  'vanished records are a gap also if the caller has seen them just before',
  fault('F-94'),
  async () => {
    const { service } = emptied(0);
    const { gap } = await read(service, true, new Set(['id-3']));
    expect(gap).toContain('1 that were shown before are not there any more');
    expect((await read(emptied(0).service, true)).gap).toBeUndefined();
  },
);

it('vanished records are no gap where they are back in the next pass, or records may go', async () => {
  const { service, ids } = listingOf(25, (page, request) =>
    request === 2 || request === 3 ? { ...page, records: [], totalItems: 0 } : page,
  );
  const { ids: seen, gap } = await read(service, true);
  expect([seen, gap]).toEqual([ids, undefined]);
  expect((await read(emptied(1).service)).gap).toBeUndefined();
});

it('behind an empty page the reading goes on as long as the total promises more', async () => {
  const { service, ids } = listingOf(25, (page) => page);
  const page = service.page.bind(service);
  // a service that leaves out records after it has cut its pages
  const hidden = new Set(ids.slice(8, 22));
  service.page = (range) => {
    const whole = page(range);
    const records = whole.records.filter(({ value }) => !hidden.has(value.id));
    return { ...whole, records, totalItems: ids.length - hidden.size };
  };
  const { ids: seen, gap } = await read(service);
  expect(seen).toEqual(ids.filter((id) => !hidden.has(id)));
  expect(gap).toBeUndefined();
  expect(service.requests).toBeLessThan(20);
});

it('a total that promises more for ever is a gap after a bounded number of empty pages', async () => {
  const { service, ids } = listingOf(12, (page) => ({ ...page, totalItems: 1000 }));
  const { ids: seen, gap } = await read(service);
  expect(seen).toEqual(ids);
  expect(gap).toContain('12 seen, 1000 announced');
  expect(service.requests).toBeLessThan(100);
});

it(
  'an overlap that matches by chance proves nothing where the order changes',
  fault('F-17'),
  async () => {
    // by request; before the fourth one record is deleted and another one comes
    const orders = [
      ['b', 'c', 'd', 'a'],
      ['a', 'd', 'b', 'c'],
      ['d', 'b', 'c', 'a'],
      ['a', 'd', 'c', 'new'],
    ];
    const service = new ListingService(['a', 'b', 'c', 'd'], {
      order: 'oldest',
      maxPageSize: 3,
      totals: 'right',
      change: (request, self) => (self.items = orders[request] ?? ['a', 'c', 'd', 'new']),
    });
    const { ids, gap } = await read(service);
    expect([ids.toSorted(), gap]).toEqual([['a', 'b', 'c', 'd', 'new'], undefined]);
    expect(service.requests).toBeGreaterThan(4);
  },
);
