import { expect, it } from 'vitest';
import { JobPlaces } from '../../../../src/export/history/job-places.js';
import type { JobRecord } from '../../../../src/model/records.js';
import type { FreshPage } from '../../../../src/service/read-all.js';

/** A ULID that was made so many minutes after the year 2026 began. */
function told(minute: number): string {
  const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
  let ms = Date.UTC(2026, 0, 1) + minute * 60_000;
  let time = '';
  for (let place = 0; place < 10; place++) {
    time = `${digits.charAt(ms % 32)}${time}`;
    ms = Math.floor(ms / 32);
  }
  return `${time}${'0'.repeat(16)}`;
}
const micros = (minute: number) => BigInt(Date.UTC(2026, 0, 1) + minute * 60_000) * 1000n;

/** A page of a history: of `size` at most, beginning with the page's number times that. */
function page(ids: readonly string[], pageNumber = 1, size = 3): FreshPage<JobRecord> {
  const records = ids.map((id) => ({ value: { job_id: id } as JobRecord, text: '' }));
  const start = (pageNumber - 1) * size;
  const served = { sentAtMonotonicMs: 0, dateMs: null };
  const range = { pageNumber, pageSize: size };
  return {
    items: records.map((record, at) => {
      return { id: ids[at] ?? '', record, position: start + at, served, range };
    }),
    again: [],
    page: {
      pageNumber,
      pageSize: size,
      totalItems: null,
      records,
    } as unknown as FreshPage<JobRecord>['page'],
    range,
  };
}

const placesOf = (total: number | null) => new JobPlaces({ totalOf: () => total });
const numbers = (places: JobPlaces, ...pages: FreshPage<JobRecord>[]) =>
  pages.map((one) => places.placesOn(one).map(({ index }) => index));

it('the number of a job counts from the oldest where the newest comes first', () => {
  const pages = [page([told(5), told(4), told(3)]), page([told(2), told(1)], 2)];
  const places = placesOf(5);
  expect(numbers(places, ...pages)).toEqual([
    [4, 3, 2],
    [1, 0],
  ]);
  expect(places.positionOf(4)).toBe(0);
});

it('the number of a job is the place in the history where the oldest comes first', () => {
  const pages = [page([told(1), 'x', told(3)]), page([told(4)], 2)];
  expect(numbers(placesOf(4), ...pages)).toEqual([[0, 1, 2], [3]]);
});

it('a number is the place in the history, without times, where an id is a cuid by chance', () => {
  const cuids = ['cm3ikdeuj02zk01l1yeuirt78', 'cm3ikdeuj02zk01l1yeuirt77'];
  const places = placesOf(4);
  const alone = placesOf(2).placesOn(page(cuids));
  expect(alone.map(({ time }) => time?.source)).toEqual(['cuid', 'cuid']);
  const pages = [
    page(['k8vq2m0x4z7h1n5b9d3f6g0t2', ...cuids]),
    page(['cm3ikdeuj02zk01l1yeuirt76'], 2),
  ];
  const [first, later] = pages.map((one) => places.placesOn(one));
  const told = [...(first ?? []), ...(later ?? [])];
  expect(told.map(({ index, time, bounds }) => [index, time, bounds.after])).toEqual(
    [0, 1, 2, 3].map((index) => [index, null, null]),
  );
});

it('the number of a job stays when newer jobs come', () => {
  expect(numbers(placesOf(2), page([told(2), told(1)]))).toEqual([[1, 0]]);
  expect(numbers(placesOf(4), page([told(4), 'x', told(2)]), page([told(1)], 2))).toEqual([
    [3, 2, 1],
    [0],
  ]);
});

it('the number of a job needs no total where a page holds the whole history', () => {
  expect(numbers(placesOf(null), page([told(2), told(1)]))).toEqual([[1, 0]]);
});

it('the number of a job is by time in a history without an order', () => {
  expect(numbers(placesOf(null), page([told(2), told(9), told(1)], 1, 10))).toEqual([[1, 2, 0]]);
});

it('a number is the service’s position if ids have no timestamp, or the total is unknown', () => {
  expect(numbers(placesOf(3), page(['a', 'b', 'c']))).toEqual([[0, 1, 2]]);
  const [first, second] = [page([told(5), told(4), told(3)]), page([told(2)], 2)];
  const unknown = placesOf(null);
  expect(numbers(unknown, first, second)).toEqual([[0, 1, 2], [3]]);
  expect(placesOf(null).placesOn(first)[0]).toMatchObject({ isFromOldest: false });
  expect(placesOf(9).placesOn(first)[0]).toMatchObject({ isFromOldest: true });
});

it('what bounds a job without a time are the jobs before and after it, also on the page before', () => {
  const places = placesOf(6);
  const bounds = [page([told(9), 'x', told(5)]), page(['y', told(2), 'z'], 2)].flatMap((one) =>
    places.placesOn(one).map((place) => place.bounds),
  );
  expect(bounds).toEqual([
    { after: micros(9), before: micros(9) },
    { after: micros(5), before: micros(9) },
    { after: micros(5), before: micros(5) },
    { after: micros(2), before: micros(5) },
    { after: micros(2), before: micros(2) },
    { after: null, before: micros(2) },
  ]);
});

it('what bounds a job without a time is nothing on the page after it, when that was read first', () => {
  const places = placesOf(4);
  places.placesOn(page([told(8), told(9)], 2));
  expect(places.placesOn(page([told(1), 'x', 'y']))[1]?.bounds).toEqual({
    after: micros(1),
    before: null,
  });
});

it.each([
  ['front', [8, 7, 6, 5, 4, 3, 2, 1]],
  ['back', [1, 2, 3, 4, 5, 6, 7, 8]],
  [null, [1, 2, 3, 4, 5, 6, 7]],
  [null, [1, 2, 3, 4, 5, 6, 8, 7]],
] as const)('new jobs come at the %s where times in ids tell: %j', (end, minutes) => {
  const places = placesOf(20);
  expect(places.growth).toBeNull();
  places.placesOn(page(minutes.map(told), 1, 8));
  expect(places.growth).toBe(end);
  places.placesOn(page([told(9), told(10)], 2, 8));
  expect(places.growth).toBe(end);
});
