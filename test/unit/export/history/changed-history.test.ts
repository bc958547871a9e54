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

const known = Array.from({ length: 30 }, (_, i) => `job-${i}`);

interface OddAnswers {
  readonly pageSize?: number;
  /** False: no answer has shown yet what totals count. */
  readonly totalsAreGlobal?: boolean;
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
  const { pageSize = 10, totalsAreGlobal = true, answer } = odd;
  const grant = new PageGrant(pageSize);
  if (totalsAreGlobal) grant.totalsAreGlobal = true;
  const page = service.page.bind(service);
  if (answer) service.page = (range) => answer(page(range), service.requests);
  const reader = service.reader(grant) as unknown as PageReader<JobRecord>;
  const found: string[] = [];
  const pages = readChanges(reader, {
    total: known.length,
    growth,
    due: new Set(due),
    ids: new Set(known),
    positionOf: (id) => known.indexOf(id),
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

it('a history that is archived already shows every new job where it has grown by two while one vanished', async () => {
  const [, ...rest] = known;
  const grown = ['new-hidden', ...rest, 'new-at-the-end'];
  // one more than before: the one new job on the last page seems to account for it
  const { found } = await changesIn([...grown, 'another']);
  expect(found).toEqual(expect.arrayContaining(['new-hidden', 'new-at-the-end', 'another']));
  const one = await changesIn([...known.slice(1), 'x', 'y'].toSpliced(4, 0, 'new-inside'));
  expect(one.found).toEqual(expect.arrayContaining(['new-inside', 'x', 'y']));
});

it('a history that is archived already shows a new job where another vanished, at whichever end the service puts it', async () => {
  const exchanged = [...known.slice(1), 'new'];
  for (const order of ['oldest', 'newest'] as const) {
    const { found } = await changesIn(exchanged, null, [], { order });
    expect(found, order).toContain('new');
    const cut = { order, maxPageSize: 7 } as const;
    const ofCutPages = await changesIn(exchanged, null, [], cut, { pageSize: 30 });
    expect(ofCutPages.found, `${order}, pages cut`).toContain('new');
  }
});

it('a history that is archived already is done with a request for each end where neither has shown growth yet', async () => {
  expect(await changesIn(known, null)).toMatchObject({ requests: 2, gap: undefined });
});

it('a history that is archived already is read to an empty page if no answer has its total or size, and pages are cut', async () => {
  const untold = { totals: 'absent', tellsSize: false, maxPageSize: 7 } as const;
  const { found, gap } = await changesIn([...known, 'new'], 'front', [], untold);
  expect([found.length, gap]).toEqual([31, undefined]);
});

it('a history that is archived already is read completely if a page has no known job', async () => {
  const others = Array.from({ length: 30 }, (_, i) => `other-${i}`);
  const { found } = await changesIn(others);
  expect(found).toEqual(expect.arrayContaining(others));
});

it('a history that is archived already is read completely if the page that should have a known job is empty', async () => {
  const moved = ['new', ...known.slice(1)];
  const answer: OddAnswers['answer'] = (page, request) =>
    request === 1 ? { ...page, records: [] } : page;
  const { found } = await changesIn(moved, 'back', [], {}, { answer });
  expect(found).toContain('new');
});

it('a history that is archived already is read completely if its total may count the page alone', async () => {
  const grown = [...known, 'new'];
  const odd = { pageSize: 30, totalsAreGlobal: false };
  const behaviour = { totals: 'page', maxPageSize: 30 } as const;
  expect((await changesIn(grown, 'front', [], behaviour, odd)).found).toContain('new');
});
