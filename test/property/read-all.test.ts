import fc from 'fast-check';
import { expect, it } from 'vitest';
import { PageGrant } from '../../src/service/page.js';
import { readAll } from '../../src/service/read-all.js';
import { ListingService, type ListingBehaviour } from '../support/http/listing-service.js';
import { fault } from '../support/base/fault.js';

async function read(service: ListingService, grant = new PageGrant(100)) {
  const ids: string[] = [];
  const pages = readAll(service.reader(grant));
  for (;;) {
    const next = await pages.next();
    if (next.done) return { ids, verdict: next.value };
    ids.push(...next.value.items.map((item) => item.id));
  }
}

const listing = fc.record({
  count: fc.integer({ min: 0, max: 60 }),
  maxPageSize: fc.integer({ min: 1, max: 20 }),
  order: fc.constantFrom<ListingBehaviour['order']>('newest', 'oldest', 'shuffled'),
  totals: fc.constantFrom<ListingBehaviour['totals']>('right', 'right', 'right', 'page', 'absent'),
  tellsSize: fc.boolean(),
  seed: fc.integer(),
  changes: fc.array(
    fc.record({
      request: fc.integer({ min: 0, max: 12 }),
      kind: fc.constantFrom('insert', 'delete', 'swap', 'clamp'),
      at: fc.double({ min: 0, max: 0.999, noNaN: true }),
    }),
    { maxLength: 6 },
  ),
});

it(
  'yields each record that stayed exactly once, or reports a gap, while others change',
  fault('F-12', 'F-17'),
  async () => {
    await fc.assert(
      fc.asyncProperty(listing, async (plan) => {
        const initial = Array.from({ length: plan.count }, (_, i) => `id-${i}`);
        const throughout = new Set(initial);
        const service = new ListingService(initial, {
          order: plan.order,
          maxPageSize: plan.maxPageSize,
          totals: plan.totals,
          // a total of the page alone, and no size: that is what a listing of one page looks like
          tellsSize: plan.tellsSize || plan.totals === 'page',
          fraction: seededFraction(plan.seed),
          change(request, self) {
            for (const change of plan.changes.filter((c) => c.request === request)) {
              if (change.kind === 'clamp') self.maxPageSize = 1 + Math.floor(change.at * 20);
              if (change.kind === 'delete' || change.kind === 'swap') {
                const [gone] = self.items.splice(Math.floor(change.at * self.items.length), 1);
                if (gone) throughout.delete(gone);
              }
              if (change.kind === 'insert' || change.kind === 'swap') {
                self.items.push(`new-${request}-${self.items.length}-${change.at}`);
              }
            }
          },
        });
        const { ids, verdict } = await read(service, new PageGrant(20));
        expect(new Set(ids).size).toBe(ids.length);
        const missing = [...throughout].filter((id) => !ids.includes(id));
        if (verdict.gap === undefined) expect(missing).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  },
);

it('needs no look more than there are pages when nothing changes', fault('F-15'), async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 198 }),
      fc.constantFrom<ListingBehaviour['order']>('newest', 'oldest'),
      async (count, order) => {
        const initial = Array.from({ length: count }, (_, i) => `id-${i}`);
        const service = new ListingService(initial, { order, maxPageSize: 100, totals: 'right' });
        const grant = new PageGrant(100);
        grant.totalsAreGlobal = true;
        const { ids, verdict } = await read(service, grant);
        expect(verdict.gap).toBeUndefined();
        expect(ids.length).toBe(count);
        // one more where the records fill the pages: pages that overlap hold 100, and then 98 more
        const isFull = count === 100 || count === 198;
        expect(service.requests).toBe(Math.max(1, Math.ceil(count / 100)) + (isFull ? 1 : 0));
      },
    ),
  );
});

it(
  'reads a listing whole whose order changes with every request, or says what is missing',
  fault('F-17'),
  async () => {
    let given = 0; // chance may hide one record for ten looks in a row
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 150 }), fc.integer(), async (count, seed) => {
        const initial = Array.from({ length: count }, (_, i) => `id-${i}`);
        const service = new ListingService(initial, {
          order: 'shuffled',
          maxPageSize: 100,
          totals: 'right',
          fraction: seededFraction(seed),
        });
        const { ids, verdict } = await read(service);
        if (verdict.gap) {
          given++;
          expect(verdict.gap.message).toContain(`${ids.length} seen, ${count} announced`);
        } else expect(ids.toSorted()).toEqual(initial.toSorted());
      }),
    );
    expect(given).toBeLessThan(5);
  },
);

it('ends with a named gap when the same page comes for ever', fault('F-16'), async () => {
  const initial = Array.from({ length: 250 }, (_, i) => `id-${i}`);
  const service = new ListingService(initial, {
    order: 'oldest',
    maxPageSize: 100,
    totals: 'right',
  });
  const page = service.page.bind(service);
  service.page = ({ pageSize }) => page({ pageNumber: 1, pageSize });
  const { ids, verdict } = await read(service);
  expect(ids.length).toBe(100);
  expect(verdict.gap?.message).toContain('the items: 100 seen, 250 announced');
  expect(service.requests).toBeLessThan(40);
});

function seededFraction(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return (state >>> 0) / 2 ** 32;
  };
}
