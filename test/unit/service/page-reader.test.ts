import { describe, expect, it } from 'vitest';
import { InvalidRequestError, StaleAnswerError } from '../../../src/service/service-errors.js';
import { PageGrant } from '../../../src/service/page.js';
import { type PageRange } from '../../../src/service/page-range.js';
import { PageReader } from '../../../src/service/page-reader.js';
import { readAll } from '../../../src/service/read-all.js';
import type { Page } from '../../../src/service/service-client.js';
import { ListingService, type Item } from '../../support/http/listing-service.js';

const REFUSED = Object.assign(Object.create(InvalidRequestError.prototype) as Error, {});

function listing(
  count: number,
  maxPageSize: number,
  totals: 'right' | 'page' | 'absent' = 'right',
) {
  const ids = Array.from({ length: count }, (_, i) => `id-${i}`);
  return new ListingService(ids, { order: 'oldest', maxPageSize, totals });
}

function readerOf(fetchPage: (range: PageRange) => Page<Item>, grant: PageGrant) {
  const fetched = (range: PageRange) =>
    new Promise<Page<Item>>((resolve) => {
      resolve(fetchPage(range));
    });
  return new PageReader<Item>({ fetchPage: fetched, idOf: ({ id }) => id, grant, what: 'items' });
}

describe('page reader', () => {
  const AGE = 'Age: 12';

  /** @param isStale by the number of the request, from 1 */
  function behindCache(isStale: (request: number) => boolean, sentAtMonotonicMs = 0) {
    const asked: PageRange[] = [];
    const service = listing(8, 10);
    const reader = readerOf((range) => {
      asked.push(range);
      const stale = isStale(asked.length) ? AGE : undefined;
      return { ...service.page(range), served: { sentAtMonotonicMs, dateMs: null, stale } };
    }, new PageGrant(10));
    return { asked, reader };
  }

  it('a page from the memory of a cache is not asked for again where it is none', async () => {
    const { asked, reader } = behindCache(() => false);
    expect((await reader.readFirst()).flaws).toEqual([]);
    expect(asked).toHaveLength(1);
  });

  it('a cached page is asked for once more with another size, and the second answer is taken', async () => {
    const { asked, reader } = behindCache((request) => request === 1);
    const placed = await reader.readFirst();
    expect(asked).toEqual([
      { pageNumber: 1, pageSize: 10 },
      { pageNumber: 1, pageSize: 9 },
    ]);
    expect([placed.ids.length, placed.size, placed.flaws]).toEqual([8, 9, []]);
    expect(placed.page.served.stale).toBeUndefined();
  });

  it('a cached page is asked for with a size that another moment would not choose', async () => {
    const { asked, reader } = behindCache((request) => request === 1, 1.7);
    await reader.readFirst();
    expect(asked[1]).toEqual({ pageNumber: 1, pageSize: 8 });
  });

  it('a cached page has a flaw that names the header where the second answer is one, too', async () => {
    const { asked, reader } = behindCache(() => true);
    const { flaws, size } = await reader.readFirst();
    expect([asked.length, size]).toEqual([2, 10]);
    expect(flaws).toEqual([
      'a cache answered for page 1 from its memory (Age: 12), also when asked for another page size',
    ]);
  });

  it('a cached page is asked for as before where the service refuses another size', async () => {
    const asked: number[] = [];
    const service = listing(8, 10);
    const reader = readerOf(({ pageNumber, pageSize }) => {
      asked.push(pageSize);
      if (pageSize !== 10) throw REFUSED;
      const stale = asked.length === 1 ? AGE : undefined;
      const served = { sentAtMonotonicMs: 0, dateMs: null, stale };
      return { ...service.page({ pageNumber, pageSize }), served };
    }, new PageGrant(10));
    expect((await reader.readFirst()).flaws).toEqual([]);
    expect(asked).toEqual([10, 9, 10]);
  });

  it('a page from the memory of a cache does not hide any other failure of the second request', async () => {
    const failure = new Error('no connection');
    const { asked, reader } = behindCache((request) => {
      if (request === 2) throw failure;
      return true;
    });
    await expect(reader.readFirst()).rejects.toBe(failure);
    expect(asked).toHaveLength(2);
  });

  it('a page from the memory of a cache makes a doubt of its listing, without another pass', async () => {
    const { asked, reader } = behindCache(() => true);
    const pages = readAll(reader);
    const first = await pages.next();
    expect(first).toMatchObject({ done: false, value: { items: { length: 8 } } });
    const end = await pages.next();
    expect(end.done && end.value.gap).toBeInstanceOf(StaleAnswerError);
    expect(end.done && end.value.gap?.message).toBe(
      'items: 8 seen, 8 announced, and a cache answered for page 1 from its memory (Age: 12), also when asked for another page size',
    );
    expect(asked).toHaveLength(2);
  });

  it('a page from the memory of a cache does not show that a page is the last one', async () => {
    const service = new ListingService(
      Array.from({ length: 15 }, (_, i) => `id-${i}`),
      { order: 'oldest', maxPageSize: 10, totals: 'page' },
    );
    const reader = readerOf((range) => {
      const stale = range.pageNumber > 1 ? AGE : undefined;
      const page = service.page(range.pageNumber > 1 ? { pageNumber: 9, pageSize: 10 } : range);
      return { ...page, served: { sentAtMonotonicMs: 0, dateMs: null, stale } };
    }, new PageGrant(100));
    expect(await reader.isCut(await reader.readFirst())).toBe(true);
  });
});

it('a page size that is refused is lowered step by step, and stays so', async () => {
  const asked: number[] = [];
  const service = listing(25, 100);
  const grant = new PageGrant(100);
  const reader = readerOf((range) => {
    asked.push(range.pageSize);
    if (range.pageSize > 10) throw REFUSED;
    return service.page(range);
  }, grant);
  const { ids } = await reader.readLargest((size) => (size === 10 ? 2 : 1));
  expect(ids[0]).toBe('id-10');
  expect(asked).toEqual([100, 50, 20, 10]);
  expect(grant.size).toBe(10);
});

it('a page size that is refused ends in the refusal where a single record is too many', async () => {
  const reader = readerOf(() => {
    throw REFUSED;
  }, new PageGrant(10));
  await expect(reader.readFirst()).rejects.toBe(REFUSED);
});

it('a page size that is refused grows no more than another listing has learned meanwhile', async () => {
  const grant = new PageGrant(100);
  const reader = readerOf((range) => {
    if (range.pageSize === 100) {
      grant.size = 5;
      throw REFUSED;
    }
    return listing(25, 100).page(range);
  }, grant);
  expect((await reader.readFirst()).size).toBe(5);
});

it('a page size that is refused is distinguished from every other failure', async () => {
  const failure = new Error('no connection');
  const grant = new PageGrant(100);
  const reader = readerOf(() => {
    throw failure;
  }, grant);
  await expect(reader.readFirst()).rejects.toBe(failure);
  expect(grant.size).toBe(100);
});

it('a grant is believed where it is less than was asked for, and as many records came', async () => {
  const grant = new PageGrant(20);
  const service = listing(25, 8);
  const reader = service.reader(grant);
  const page = await reader.read({ pageNumber: 2, pageSize: 20 });
  expect([page.start, page.size, grant.size]).toEqual([8, 8, 8]);
  grant.size = 5;
  expect((await reader.read({ pageNumber: 1, pageSize: 20 })).size).toBe(8);
  expect(grant.size).toBe(5);
});

it.each([
  ['right', 25, true, 25],
  ['page', 25, false, null],
  ['absent', 25, undefined, null],
  ['right', 8, true, 8],
  ['page', 8, false, null],
] as const)(
  'what an answer grants says of totals that are %s of %i what they count: %j',
  async (totals, count, ...is) => {
    const grant = new PageGrant(8);
    const reader = listing(count, 8, totals).reader(grant);
    await reader.read({ pageNumber: 1, pageSize: 8 });
    const { page } = await reader.read({ pageNumber: 2, pageSize: 8 });
    expect([grant.totalsAreGlobal, reader.totalOf(page)]).toEqual([...is]);
  },
);

it('what an answer grants is learned once: a later answer does not change what totals count', async () => {
  const grant = new PageGrant(8);
  grant.totalsAreGlobal = false;
  await listing(25, 8).reader(grant).read({ pageNumber: 1, pageSize: 8 });
  expect(grant.totalsAreGlobal).toBe(false);
});

it('records that are none have places, and ids that no record has', async () => {
  const reader = readerOf(
    ({ pageNumber, pageSize }) => ({
      ...listing(1, 10).page({ pageNumber: 1, pageSize }),
      pageNumber,
      pageSize: 3,
      unusable: [
        { index: 0, reason: 'is not an object' },
        { index: 2, reason: 'has no usable id' },
      ],
      fault: 'it says that it is another page',
    }),
    new PageGrant(3),
  );
  const { ids, items, flaws } = await reader.read({ pageNumber: 2, pageSize: 3 });
  expect(ids).toEqual(['\ud8003', 'id-0', '\ud8005']);
  expect(items.map(({ id, position }) => [id, position])).toEqual([['id-0', 4]]);
  expect(flaws).toEqual([
    'it says that it is another page',
    'record 1 of page 2 is not an object',
    'record 3 of page 2 has no usable id',
  ]);
});
