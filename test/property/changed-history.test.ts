/** What a grown history shows is all that is new, whatever came and went between the runs and between the requests. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readChanges, type Growth } from '../../src/export/history/changed-history.js';
import type { JobRecord } from '../../src/model/records.js';
import { PageGrant } from '../../src/service/page.js';
import type { PageReader } from '../../src/service/page-reader.js';
import { ListingService } from '../support/http/listing-service.js';
import { fault } from '../support/base/fault.js';

const change = fc.record({
  kind: fc.constantFrom('insert', 'delete'),
  at: fc.double({ min: 0, max: 0.999, noNaN: true }),
});
const plan = fc.record({
  count: fc.integer({ min: 0, max: 40 }),
  pageSize: fc.integer({ min: 1, max: 15 }),
  order: fc.constantFrom('newest', 'oldest'),
  growth: fc.constantFrom<Growth>('front', 'back', null),
  between: fc.array(change, { minLength: 1, maxLength: 5 }),
  during: fc.array(fc.tuple(fc.integer({ min: 1, max: 8 }), change), { maxLength: 3 }),
  due: fc.array(fc.nat(39), { maxLength: 2 }),
});

it(
  'finds every new job of a history whose length has changed, or reports a gap',
  fault('F-17', 'F-59'),
  async () => {
    await fc.assert(
      fc.asyncProperty(plan, async ({ count, pageSize, order, growth, between, during, due }) => {
        const archived = Array.from({ length: count }, (_, i) => `job-${i}`);
        let inserted = 0;
        const apply = (
          items: string[],
          { kind, at }: typeof change extends fc.Arbitrary<infer T> ? T : never,
        ): void => {
          if (kind === 'insert')
            items.splice(Math.floor(at * (items.length + 1)), 0, `new-${inserted++}`);
          else items.splice(Math.floor(at * items.length), 1);
        };
        const items = [...archived];
        for (const one of between) apply(items, one);
        // one that came while another went, away from where new jobs come, shows in no total: for --full
        fc.pre(items.length !== count);
        const throughout = new Set(items);
        const service = new ListingService(items, {
          order,
          maxPageSize: pageSize,
          totals: 'right',
          change(request, self) {
            for (const [nth, one] of during) if (nth === request) apply(self.items, one);
            for (const id of throughout) if (!self.items.includes(id)) throughout.delete(id);
          },
        });
        const grant = new PageGrant(pageSize);
        grant.totalsAreGlobal = true;
        const found = new Set<string>();
        const pages = readChanges(service.reader(grant) as unknown as PageReader<JobRecord>, {
          total: count,
          growth,
          settledHaveChanged: () => false,
          ids: new Set(archived),
          positionOf: (id) => archived.indexOf(id),
          due: new Set(due.filter((at) => at < count).map((at) => `job-${at}`)),
        });
        let step = await pages.next();
        for (; !step.done; step = await pages.next())
          step.value.items.forEach(({ id }) => found.add(id));
        const missed = [...throughout].filter((id) => id.startsWith('new-') && !found.has(id));
        if (step.value.gap === undefined) expect(missed).toEqual([]);
      }),
      { numRuns: 2000 },
    );
  },
);
