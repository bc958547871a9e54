import { expect, it } from 'vitest';
import { readChanges, type Growth } from '../../../../src/export/history/changed-history.js';
import { PageGrant } from '../../../../src/service/page.js';
import type { JobRecord } from '../../../../src/model/records.js';
import type { PageReader } from '../../../../src/service/page-reader.js';
import type { Page } from '../../../../src/service/service-client.js';
import {
  ListingService,
  type Item,
  type ListingBehaviour,
} from '../../../support/http/listing-service.js';
import { fault } from '../../../support/base/fault.js';

/** A UUID of version 7 that was made so many minutes after the year 2026 began. */
function told(minute: number): string {
  const ms = (Date.UTC(2026, 0, 1) + minute * 60_000).toString(16).padStart(12, '0');
  return `${ms.slice(0, 8)}-${ms.slice(8)}-7000-8000-000000000000`;
}

const known = Array.from({ length: 30 }, (_, i) => `job-${i}`);

interface OddAnswers {
  readonly pageSize?: number;
  /** False: no answer has shown yet what totals count. */
  readonly totalsAreGlobal?: boolean;
  /** What is archived. */
  readonly archived?: readonly string[];
  /** @param request from 1 */
  readonly answer?: (page: Page<Item>, request: number) => Page<Item>;
}

/** @param items what the service has now, oldest first */
async function changesIn(
  items: readonly string[],
  growth: Growth = 'back',
  due: string[] = [],
  behaviour: Partial<ListingBehaviour> = {},
  odd: OddAnswers = {},
) {
  const usual = { order: 'oldest', maxPageSize: 10, totals: 'right' } as const;
  const service = new ListingService(items, { ...usual, ...behaviour });
  const { pageSize = 10, totalsAreGlobal = true, answer, archived = known } = odd;
  const grant = new PageGrant(pageSize);
  if (totalsAreGlobal) grant.totalsAreGlobal = true;
  const page = service.page.bind(service);
  if (answer) service.page = (range) => answer(page(range), service.requests);
  const reader = service.reader(grant) as unknown as PageReader<JobRecord>;
  const found: string[] = [];
  const pages = readChanges(reader, {
    total: archived.length,
    growth,
    due: new Set(due),
    ids: new Set(archived),
    positionOf: (id) => archived.indexOf(id),
    settledHaveChanged: () => false,
  });
  for (;;) {
    const step = await pages.next();
    if (step.done) return { found, gap: step.value.gap, requests: service.requests };
    found.push(...step.value.items.map(({ id }) => id));
  }
}

it('a history that is archived already is done with one request where nothing has changed', async () => {
  expect(await changesIn(known)).toMatchObject({ requests: 1, gap: undefined });
});

it('a history that is archived already is read where it is due, and no further', async () => {
  const { found, requests } = await changesIn(known, 'back', ['job-3']);
  expect(found).toContain('job-3');
  expect(requests).toBe(2);
});

it(
  'a history shows every new job where it has grown by two while one vanished',
  fault('F-59'),
  async () => {
    const [, ...rest] = known;
    const grown = ['new-hidden', ...rest, 'new-at-the-end'];
    // one more than before: the one new job on the last page seems to account for it
    const { found } = await changesIn([...grown, 'another']);
    expect(found).toEqual(expect.arrayContaining(['new-hidden', 'new-at-the-end', 'another']));
    const one = await changesIn([...known.slice(1), 'x', 'y'].toSpliced(4, 0, 'new-inside'));
    expect(one.found).toEqual(expect.arrayContaining(['new-inside', 'x', 'y']));
  },
);

it(
  'a history shows a new job where another vanished, at whichever end the service puts it',
  fault('F-132'),
  async () => {
    const exchanged = [...known.slice(1), 'new'];
    for (const order of ['oldest', 'newest'] as const) {
      const { found } = await changesIn(exchanged, null, [], { order });
      expect(found, order).toContain('new');
      const cut = { order, maxPageSize: 7 } as const;
      const ofCutPages = await changesIn(exchanged, null, [], cut, { pageSize: 30 });
      expect(ofCutPages.found, `${order}, pages cut`).toContain('new');
    }
  },
);

it('a history is done with a request for each end where neither has shown growth yet', async () => {
  expect(await changesIn(known, null)).toMatchObject({ requests: 2, gap: undefined });
});

it('a history is read to an empty page if no answer has its total or size, and pages are cut', async () => {
  const untold = { totals: 'absent', tellsSize: false, maxPageSize: 7 } as const;
  const { found, gap } = await changesIn([...known, 'new'], 'front', [], untold);
  expect([found.length, gap]).toEqual([31, undefined]);
});

it('a history that is archived already is read completely if a page has no known job', async () => {
  const others = Array.from({ length: 30 }, (_, i) => `other-${i}`);
  const { found } = await changesIn(others);
  expect(found).toEqual(expect.arrayContaining(others));
});

it('a history is read completely if the page that should have a known job is empty', async () => {
  const moved = ['new', ...known.slice(1)];
  const answer: OddAnswers['answer'] = (page, request) =>
    request === 1 ? { ...page, records: [] } : page;
  const { found } = await changesIn(moved, 'back', [], {}, { answer });
  expect(found).toContain('new');
});

it('a history is read completely if its total may count the page alone', async () => {
  const grown = [...known, 'new'];
  const odd = { pageSize: 30, totalsAreGlobal: false };
  const behaviour = { totals: 'page', maxPageSize: 30 } as const;
  expect((await changesIn(grown, 'front', [], behaviour, odd)).found).toContain('new');
});

// one goes with each that comes
const dated = known.map((_, minute) => told(minute));
it.each([
  ['last, unlike before', 'front', 'oldest'],
  ['first, unlike before', 'back', 'newest'],
] as const)(
  'a history of the same length shows its new job where it has turned around, newest jobs %s',
  fault('F-133'),
  async (...row) => {
    const [, growth, order] = row;
    const slid = [...dated.slice(1), told(100)];
    const { found, gap } = await changesIn(slid, growth, [], { order }, { archived: dated });
    expect(found).toContain(told(100));
    expect(gap).toBeUndefined();
  },
);

it(
  'a history of equal length shows its new job where pages are small, the end elsewhere',
  fault('F-133'),
  async () => {
    const behaviour = { maxPageSize: 7 };
    const { found } = await changesIn([...known.slice(1), 'new'], 'back', [], behaviour);
    expect(found).toContain('new');
  },
);

it.each([
  ['front', 'newest'],
  ['back', 'oldest'],
] as const)(
  'a history that grows at the %s is done with one request where nothing has changed',
  async (growth, order) => {
    const archived = dated;
    expect(await changesIn(dated, growth, [], { order }, { archived })).toMatchObject({
      requests: 1,
    });
  },
);
