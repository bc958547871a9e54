/** A page that seems to be the whole listing: short, with a total that counts only the page. */
import { expect, it } from 'vitest';
import { readChanges } from '../../../src/export/history/changed-history.js';
import { InvalidRequestError } from '../../../src/service/service-errors.js';
import { PageGrant } from '../../../src/service/page.js';
import type { PageReader } from '../../../src/service/page-reader.js';
import { readAll } from '../../../src/service/read-all.js';
import type { JobRecord } from '../../../src/model/records.js';
import { ListingService, type ListingBehaviour } from '../../support/http/listing-service.js';
import { fault } from '../../support/base/fault.js';

const idsOf = (count: number) => Array.from({ length: count }, (_, i) => `id-${i}`);

function serviceOf(count: number, behaviour: Partial<ListingBehaviour>, isSizeStated = true) {
  const usual = { order: 'oldest', maxPageSize: 100, totals: 'right', tellsSize: false } as const;
  const service = new ListingService(idsOf(count), { ...usual, ...behaviour });
  const page = service.page.bind(service);
  service.page = (range) => ({ ...page(range), isSizeStated });
  return service;
}

async function read(service: ListingService, grant = new PageGrant(100)) {
  const found: string[] = [];
  const pages = readAll(service.reader(grant));
  for (;;) {
    const step = await pages.next();
    if (step.done) return { found: found.length, gap: step.value.gap };
    found.push(...step.value.items.map(({ id }) => id));
  }
}

it.each([
  ['tells the size that was asked for', 20, true],
  ['tells no size', 7, false],
  ['tells no size, and sends one record at a time', 1, false],
])(
  'a page as long as its total is not the whole listing where the service %s',
  async (_, maxPageSize, isSizeStated) => {
    for (const count of [maxPageSize + 1, maxPageSize * 2, maxPageSize * 3]) {
      const service = serviceOf(count, { maxPageSize, totals: 'page' }, isSizeStated);
      expect(await read(service)).toEqual({ found: count, gap: undefined });
    }
  },
);

it('a page as long as its total shows the jobs that came to an archived history behind it', async () => {
  const service = serviceOf(45, { maxPageSize: 20, totals: 'page' });
  const archived = new Set(idsOf(20));
  const changes = readChanges(
    service.reader(new PageGrant(100)) as unknown as PageReader<JobRecord>,
    {
      total: 20,
      growth: null,
      due: new Set(),
      ids: archived,
      positionOf: (id) => idsOf(20).indexOf(id),
      settledHaveChanged: () => false,
    },
  );
  const found: string[] = [];
  for await (const { items } of changes) found.push(...items.map(({ id }) => id));
  expect(found.toSorted()).toEqual(idsOf(45).toSorted());
});

it('a page as long as its total is whole where the page behind it is empty', async () => {
  const grant = new PageGrant(100);
  const service = serviceOf(15, {});
  expect(await read(service, grant)).toEqual({ found: 15, gap: undefined });
  expect(service.requests).toBe(2);
  const another = serviceOf(15, {});
  expect(await read(another, grant)).toEqual({ found: 15, gap: undefined });
  expect(another.requests).toBe(1);
});

it('a page as long as its total costs no request where it is shorter than any cut page', async () => {
  const service = serviceOf(9, {});
  expect(await read(service)).toEqual({ found: 9, gap: undefined });
  expect(service.requests).toBe(1);
});

it('a page as long as its total is in doubt where it comes for every number', async () => {
  const service = serviceOf(3, {}, false);
  const page = service.page.bind(service);
  service.page = ({ pageSize }) => {
    if (service.requests > 1000) throw new Error('asked for ever');
    const unusable = [{ index: 1, reason: 'is no object' }];
    return { ...page({ pageNumber: 1, pageSize }), totalItems: 4, unusable };
  };
  const { found, gap } = await read(service);
  expect([found, gap?.message]).toEqual([3, expect.stringContaining('is no object')]);
  expect(service.requests).toBeLessThan(100);
});

it('a page as long as its total is whole where the page behind it is refused', async () => {
  const service = serviceOf(15, {});
  const page = service.page.bind(service);
  service.page = (range) => {
    if (range.pageNumber > 1) throw Object.create(InvalidRequestError.prototype) as Error;
    return page(range);
  };
  expect(await read(service)).toEqual({ found: 15, gap: undefined });
});

it('a page as long as its total is read again where that changed by the next page', async () => {
  const service = serviceOf(15, {
    order: 'newest',
    change: (request, listing) => {
      if (request === 1) listing.items.push('id-new');
    },
  });
  expect(await read(service)).toEqual({ found: 16, gap: undefined });
});

it.each([5, 9, 2])(
  'a short page is not whole where an archive rests on it, and %i records are granted',
  fault('F-144'),
  async (maxPageSize) => {
    for (const count of [maxPageSize + 1, maxPageSize * 3]) {
      const service = serviceOf(count, { maxPageSize, totals: 'page' });
      expect(await read(service, new PageGrant(100, false))).toEqual({
        found: count,
        gap: undefined,
      });
    }
  },
);

it('a short page on which an archive rests costs one request where totals count all', async () => {
  const grant = new PageGrant(100, false);
  const services = [serviceOf(3, {}), serviceOf(2, {}), serviceOf(9, {}), serviceOf(1, {})];
  const read9 = await Promise.all(services.map((service) => read(service, grant)));
  expect(read9.map(({ found }) => found)).toEqual([3, 2, 9, 1]);
  const requests = services.map((service) => service.requests);
  expect(requests.toSorted()).toEqual([1, 1, 1, 2]);
});

it('a short page on which an archive rests is asked about where pages of one are refused', async () => {
  const grant = new PageGrant(100, false);
  const requestsFor = async (count: number) => {
    const service = serviceOf(count, {});
    const page = service.page.bind(service);
    service.page = (range) => {
      if (range.pageSize === 1) throw Object.create(InvalidRequestError.prototype) as Error;
      return page(range);
    };
    expect(await read(service, grant)).toEqual({ found: count, gap: undefined });
    return service.requests;
  };
  expect([await requestsFor(3), await requestsFor(4)]).toEqual([2, 1]);
});

it.each([1, 2, 5])(
  'a short page on which an archive rests is whole where totals count it (%i records)',
  async (count) => {
    const service = serviceOf(count, { totals: 'page' });
    expect(await read(service, new PageGrant(100, false))).toEqual({
      found: count,
      gap: undefined,
    });
    expect(service.requests).toBeLessThan(8);
  },
);
