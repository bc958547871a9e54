/** How many passes over a listing prove it or give it up, and which pages they request. */
import { expect, it } from 'vitest';
import { PageGrant } from '../../../src/service/page.js';
import { type PageRange } from '../../../src/service/page-range.js';
import { readAll } from '../../../src/service/read-all.js';
import type { Page } from '../../../src/service/service-client.js';
import {
  ListingService,
  type Item,
  type ListingBehaviour,
} from '../../support/http/listing-service.js';

/** Far more than any of these listings needs: a loop without a bound ends here. */
const ENDLESS = 1000;

type Spoil = (page: Page<Item>, request: number, range: PageRange) => Page<Item>;

class Listing {
  readonly service: ListingService;
  readonly asked: PageRange[] = [];

  constructor(
    readonly count: number,
    behaviour: Partial<ListingBehaviour> = {},
    spoil: Spoil = (page) => page,
  ) {
    const ids = Array.from({ length: count }, (_, i) => `id-${i}`);
    const usual = { order: 'oldest', maxPageSize: 10, totals: 'right' } as const;
    this.service = new ListingService(ids, { ...usual, ...behaviour });
    const page = this.service.page.bind(this.service);
    this.service.page = (range) => {
      this.asked.push(range);
      if (this.asked.length > ENDLESS) throw new Error('asked for ever');
      return spoil(page(range), this.asked.length, range);
    };
  }

  async read(grant = new PageGrant(10)) {
    const ids: string[] = [];
    const ranges: (readonly [PageRange, readonly string[]])[] = [];
    const pages = readAll(this.service.reader(grant));
    for (;;) {
      const next = await pages.next();
      if (next.done) return { ids, ranges, gap: next.value.gap?.message, verdict: next.value };
      const { items, again, range, page } = next.value;
      expect(items.length + again.length).toBe(page.records.length);
      ranges.push([range, page.records.map(({ value }) => value.id)]);
      ids.push(...items.map(({ id }) => id));
    }
  }
}

/** Each pass over the listing sees these ids, of an announced total; the last pass repeats. */
function passes(
  shown: readonly (readonly string[])[],
  announced: (pass: number, page: number) => number,
) {
  let pass = -1;
  return new Listing(0, {}, (page, _, { pageNumber }) => {
    if (pageNumber === 1) pass++;
    const ids = pageNumber === 1 ? (shown[Math.min(pass, shown.length - 1)] ?? []) : [];
    const records = ids.map((id) => ({ value: { id }, text: JSON.stringify({ id }) }));
    return { ...page, totalItems: announced(pass, pageNumber), records };
  });
}

/** Of pages that cannot overlap. */
function tiles(): PageGrant {
  const grant = new PageGrant(10);
  grant.alignedPagesOnly = true;
  return grant;
}

function newer(count: number): string[] {
  return Array.from({ length: count }, (_, at) => `newer-${at}`);
}

/** Some services answer so where a page number is too high. */
function repeatingItsLastPage(listing: Listing): Listing {
  const page = listing.service.page.bind(listing.service);
  const last = listing.count / 10;
  listing.service.page = ({ pageNumber, pageSize }) => ({
    ...page({ pageNumber: Math.min(pageNumber, last), pageSize }),
    pageNumber,
  });
  return listing;
}

it('a listing that is not proven is given up after five passes without a new id', async () => {
  const listing = new Listing(15, {}, (page) => ({ ...page, totalItems: 17 }));
  const { ids, gap } = await listing.read();
  expect(ids).toHaveLength(15);
  expect(gap).toBe(
    'the items: 15 seen, 17 announced, and after 6 passes it is not proven that none is missing',
  );
  // two pages and what should be behind them; once also two pages behind that
  expect(listing.asked).toHaveLength(6 * 3 + 2);
});

it('an unproven listing counts its first pass as one that could bring an id', async () => {
  const { ids, gap, ranges } = await passes([[]], () => 5).read();
  expect([ids, ranges]).toEqual([[], []]);
  expect(gap).toContain('0 seen, 5 announced, and after 6 passes');
});

it('a listing that is not proven is given up after fifty passes if each has a new id', async () => {
  const shown = Array.from({ length: 100 }, (_, pass) => [`id-${pass}`]);
  const within = (_: number, page: number) => 10_000 + page;
  for (const announced of [() => 10_000, (pass: number) => 10_000 + pass, within]) {
    const { ids, gap } = await passes(shown, announced).read();
    expect(ids).toHaveLength(50);
    expect(gap).toContain('50 seen');
    expect(gap).toContain('after 50 passes');
  }
});

it('an unproven listing is read on if each pass comes nearer to a proof, of known ids', async () => {
  const ids = Array.from({ length: 7 }, (_, at) => `id-${at}`);
  const once = ids.map((id) => [id]);
  const listing = passes([...once, ...once], () => 7);
  const { ids: seen, gap } = await listing.read();
  expect([seen, gap]).toEqual([ids, undefined]);
  // once also the seven pages behind the first one that brought nothing
  expect(listing.asked).toHaveLength(14 * 2 + 7);
});

it('a listing that is not proven may have one pass with a flaw after passes without', async () => {
  const shown = [['a'], ['a', 'b']];
  const listing = passes(shown, () => 2);
  const page = listing.service.page.bind(listing.service);
  listing.service.page = (range) => {
    const sent = page(range);
    // the only page of the second pass
    return listing.asked.length === 4 ? { ...sent, fault: 'it is odd' } : sent;
  };
  const { ids, gap } = await listing.read();
  expect([ids, gap]).toEqual([['a', 'b'], undefined]);
  expect(listing.asked).toHaveLength(5);
});

it.each([1, 3])('a listing that is not proven names all of %d flaws', async (count) => {
  const unusable = Array.from({ length: count }, (_, index) => ({ index, reason: 'is odd' }));
  const { gap } = await new Listing(5, {}, (page) => ({ ...page, unusable })).read();
  expect(gap).toMatch(new RegExp(`record ${count} of page 1 is odd$`));
});

it('a listing is given up if the same page comes for ever, after eleven requests a pass', async () => {
  const listing = new Listing(10, {}, (page) => ({ ...page, totalItems: 9_000_000_000 }));
  const page = listing.service.page.bind(listing.service);
  listing.service.page = ({ pageSize }) => page({ pageNumber: 1, pageSize });
  expect((await listing.read()).gap).toContain('after 6 passes');
  expect(listing.asked).toHaveLength(6 * 11);
});

it.each([
  ['announced', 22],
  ['not announced', null],
])(
  'an unproven listing is not believed with a hole of one record (total %s)',
  async (_, totalItems) => {
    // one more to a page than asked for, from the second page on
    const listing = new Listing(22, {}, (page, _request, { pageNumber }) => {
      if (pageNumber === 1) return { ...page, totalItems };
      const start = (pageNumber - 1) * 11;
      const records = Array.from({ length: Math.max(0, Math.min(11, 22 - start)) }, (_, at) => {
        const id = `id-${start + at}`;
        return { value: { id }, text: JSON.stringify({ id }) };
      });
      return { ...page, pageSize: 11, totalItems, records };
    });
    const { ids, gap } = await listing.read();
    expect(ids).not.toContain('id-10');
    expect(gap).toContain('it is not proven that none is missing');
  },
);

it('the end is not a full page that reaches the total: a service may count to a limit', async () => {
  const listing = new Listing(25, {}, (page) => ({
    ...page,
    totalItems: Math.min(20, page.totalItems ?? 0),
  }));
  const { ids, gap } = await listing.read();
  expect(ids).toHaveLength(25);
  expect(gap).toContain('25 seen, 20 announced');
});

it.each([10, 18, 20])(
  'the end of a listing costs one request where %i records fill its pages',
  async (count) => {
    const listing = new Listing(count);
    expect((await listing.read()).verdict).toEqual({
      distinct: count,
      totalItems: count,
      gap: undefined,
    });
    expect(listing.asked).toHaveLength(count === 10 ? 2 : 3);
  },
);

it('the end costs one request a pass if the service repeats its last page behind it', async () => {
  const listing = repeatingItsLastPage(new Listing(20));
  const { ids, gap } = await listing.read(tiles());
  expect([ids.length, gap]).toEqual([20, undefined]);
  // adjoining pages, twice
  expect(listing.asked).toHaveLength(2 * 3);
});

it.each(['right', 'absent'] as const)(
  'the end of a listing is not a page without news before that: %s total',
  async (totals) => {
    // what is newest came between the first request and the second
    const listing = new Listing(20, { order: 'newest', totals }, (page, request) => {
      if (request === 1) listing.service.items.push(...newer(10));
      return page;
    });
    const { ids, gap } = await listing.read(tiles());
    expect([ids.length, gap]).toEqual([30, undefined]);
    // the first pass goes on behind what it saw twice
    expect(listing.asked.slice(0, 3).map(({ pageNumber }) => pageNumber)).toEqual([1, 2, 3]);
  },
);

it('the end of a listing is a full page without a new id that reaches the total exactly', async () => {
  const listing = repeatingItsLastPage(
    new Listing(10, {}, (page) => ({ ...page, totalItems: 20 })),
  );
  const { gap } = await listing.read(tiles());
  expect(gap).toContain('10 seen, 20 announced');
  expect(listing.asked).toHaveLength(6 * 2);
});

it('the end of a listing is an empty page if pages cannot overlap, and needs no second pass', async () => {
  const listing = new Listing(10);
  const { ids, gap } = await listing.read(tiles());
  expect([ids.length, gap]).toEqual([10, undefined]);
  expect(listing.asked).toHaveLength(2);
});

it('the end of a listing is an empty page behind a short one, where no total is announced', async () => {
  const listing = new Listing(15, { totals: 'absent' });
  const { ids, gap } = await listing.read();
  expect([ids.length, gap]).toEqual([15, undefined]);
  expect(listing.asked).toHaveLength(2 * 3);
});

it('the end of a listing is not a full page that announces only itself', async () => {
  const { ids, gap } = await new Listing(25, { totals: 'page' }).read();
  expect([ids.length, gap]).toEqual([25, undefined]);
});

it('the end is not a full page without a total, though other listings have whole totals', async () => {
  const grant = new PageGrant(10);
  grant.totalsAreGlobal = true;
  const { ids, gap } = await new Listing(25, { totals: 'absent' }).read(grant);
  expect([ids.length, gap]).toEqual([25, undefined]);
});

it('the end is not a short page that announces more: what came is what is granted', async () => {
  const listing = new Listing(25, { maxPageSize: 7 }, (page, _, { pageSize }) => ({
    ...page,
    pageSize,
  }));
  const { ids, gap } = await listing.read();
  expect([ids.length, gap]).toEqual([25, undefined]);
  expect(listing.asked.slice(1).every(({ pageSize }) => pageSize <= 7)).toBe(true);
  // the last is full: nothing says that it is the end
  expect(listing.asked).toHaveLength(6);
});

it('the end of a listing may be more than ten pages away', async () => {
  const listing = new Listing(25, { maxPageSize: 2 });
  const { ids, gap } = await listing.read();
  expect([ids.length, gap]).toEqual([25, undefined]);
  // adjoining pages, twice
  expect(listing.asked).toHaveLength(2 * 13);
});

it('the pages that are asked for are no larger than what the service has granted meanwhile', async () => {
  const listing = new Listing(40, {
    change: (request, service) => {
      if (request === 2) service.maxPageSize = 5;
    },
  });
  const { ids, gap } = await listing.read();
  expect([ids.length, gap]).toEqual([40, undefined]);
  expect(listing.asked.slice(3).every(({ pageSize }) => pageSize <= 5)).toBe(true);
});

it('the pages that are asked for come with their records, which the same request reads again', async () => {
  const listing = new Listing(25);
  const { ranges } = await listing.read();
  expect(ranges.length).toBeGreaterThan(2);
  for (const [range, ids] of ranges) {
    const { records } = listing.service.page(range);
    expect(records.map(({ value }) => value.id)).toEqual(ids);
  }
});
