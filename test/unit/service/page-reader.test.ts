import { describe, expect, it } from 'vitest';
import { InvalidRequestError } from '../../../src/service/errors/invalid-request-error.js';
import { PageGrant } from '../../../src/service/page-grant.js';
import { PageReader } from '../../../src/service/page-reader.js';
import type { PageRange } from '../../../src/service/page-range.js';
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

describe('a page size that is refused', () => {
  it('is lowered step by step, and stays so', async () => {
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

  it('ends in the refusal where a single record is too many', async () => {
    const reader = readerOf(() => {
      throw REFUSED;
    }, new PageGrant(10));
    await expect(reader.readFirst()).rejects.toBe(REFUSED);
  });

  it('is not made larger again than another listing has learned meanwhile', async () => {
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

  it('is distinguished from every other failure', async () => {
    const failure = new Error('no connection');
    const grant = new PageGrant(100);
    const reader = readerOf(() => {
      throw failure;
    }, grant);
    await expect(reader.readFirst()).rejects.toBe(failure);
    expect(grant.size).toBe(100);
  });
});

describe('what an answer grants', () => {
  it('is believed where it is less than was asked for, and where as many records came', async () => {
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
    ['page', 8, undefined, 0],
  ] as const)(
    'says of totals that are %s of %i what they count: %j',
    async (totals, count, ...is) => {
      const grant = new PageGrant(8);
      const reader = listing(count, 8, totals).reader(grant);
      await reader.read({ pageNumber: 1, pageSize: 8 });
      const { page } = await reader.read({ pageNumber: 2, pageSize: 8 });
      expect([grant.totalsAreGlobal, reader.totalOf(page)]).toEqual([...is]);
    },
  );

  it('is learned once: a later answer does not change what totals count', async () => {
    const grant = new PageGrant(8);
    grant.totalsAreGlobal = false;
    await listing(25, 8).reader(grant).read({ pageNumber: 1, pageSize: 8 });
    expect(grant.totalsAreGlobal).toBe(false);
  });
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
