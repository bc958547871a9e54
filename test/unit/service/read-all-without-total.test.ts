/** The end of a listing that announces no total. */
import { expect, it } from 'vitest';
import { InvalidRequestError } from '../../../src/service/service-errors.js';
import { PageGrant } from '../../../src/service/page.js';
import { type PageRange } from '../../../src/service/page-range.js';
import { readAll } from '../../../src/service/read-all.js';
import type { Page } from '../../../src/service/service-client.js';
import { ListingService, type Item } from '../../support/http/listing-service.js';

type Answer = (range: PageRange, page: (range: PageRange) => Page<Item>) => Page<Item>;

/** @param answer in place of the service's own */
async function read(
  count: number,
  maxPageSize: number,
  answer: Answer = (range, page) => page(range),
) {
  const ids = Array.from({ length: count }, (_, i) => `id-${i}`);
  const untold = { totals: 'absent', tellsSize: false } as const;
  const service = new ListingService(ids, { order: 'oldest', maxPageSize, ...untold });
  const asked: PageRange[] = [];
  const page = service.page.bind(service);
  service.page = (range) => {
    asked.push(range);
    return answer(range, page);
  };
  const found: string[] = [];
  const pages = readAll(service.reader(new PageGrant(Math.max(10, maxPageSize))));
  for (;;) {
    const next = await pages.next();
    if (next.done) return { found: found.length, gap: next.value.gap?.message, asked };
    found.push(...next.value.items.map(({ id }) => id));
  }
}

it('without a total the end of a listing is seen twice, also where one page holds everything', async () => {
  const { found, gap, asked } = await read(7, 10);
  expect([found, gap]).toEqual([7, undefined]);
  const pass = [
    { pageNumber: 1, pageSize: 10 },
    { pageNumber: 2, pageSize: 7 },
  ];
  expect(asked).toEqual([...pass, ...pass]);
});

it('the end may move to the page before, which was cut, when a record in it is deleted', async () => {
  let request = 0;
  const items: Item[] = Array.from({ length: 20 }, (_, i) => ({ id: `id-${i}` }));
  const result = await read(20, 20, (range, page) => {
    const sent = page(range);
    const shown = request++ === 0 ? items : items.slice(1);
    const start = (range.pageNumber - 1) * Math.min(range.pageSize, 19);
    const records = shown.slice(start, start + Math.min(range.pageSize, 19));
    return { ...sent, records: records.map((value) => ({ ...sent.records[0]!, value })) };
  });
  expect(result).toMatchObject({ found: 20, gap: undefined });
});

it.each([1, 4, 7, 9])(
  'without a total the end of a listing is not a short page that the service has cut at %d',
  async (most) => {
    for (const count of [most, most + 1, 25]) {
      expect(await read(count, most)).toMatchObject({ found: count, gap: undefined });
    }
  },
);

it('the end is not a page that is cut by the length of its records', async () => {
  const most = [9, 3, 7, 2];
  const result = await read(40, 40, (range, page) => {
    const sent = page(range);
    const start = (range.pageNumber - 1) * range.pageSize;
    return { ...sent, records: sent.records.slice(0, most[start % most.length]) };
  });
  expect(result).toMatchObject({ found: 40, gap: undefined });
});

it('the end is an empty page where the service grants one size only', async () => {
  const result = await read(25, 10, (range, page) => {
    if (range.pageSize === 10) return page(range);
    throw Object.create(InvalidRequestError.prototype) as Error;
  });
  expect(result).toMatchObject({ found: 25, gap: undefined });
});

it('the end is in doubt where the same page comes for every number', async () => {
  const { found, gap, asked } = await read(10, 10, (range, page) =>
    page({ ...range, pageNumber: 1 }),
  );
  expect([found, gap]).toEqual([10, expect.stringContaining('an unknown number announced')]);
  expect(asked.length).toBeLessThan(100);
});

it('two passes that saw the same prove nothing where the first stopped before the end', async () => {
  const service = new ListingService(['a', 'b', 'c'], {
    order: 'oldest',
    maxPageSize: 2,
    totals: 'page',
    // the size shrinks, so that the first pass ends early; what was seen moves before the second ends
    change(request, listing) {
      if (request === 1) listing.maxPageSize = 1;
      if (request === 4) listing.items.shift();
    },
  });
  const found: string[] = [];
  for await (const { items } of readAll(service.reader(new PageGrant(20)))) {
    found.push(...items.map(({ id }) => id));
  }
  expect(found).toEqual(['a', 'b', 'c']);
});
