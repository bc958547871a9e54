import { expect, it } from 'vitest';
import { UnusableAnswerError } from '../../../src/service/service-errors.js';
import { parseResponse } from '../../../src/service/parse-response.js';
import {
  PageGrant,
  readCreatedId,
  readPage,
  readSingle,
  type Expected,
} from '../../../src/service/page.js';
import { asUserId } from '../../../src/model/ids.js';
import type { SessionRecord } from '../../../src/model/records.js';

const facts = { operation: 'x', attempts: 1, externalTraceId: 't', redact: (text: string) => text };

/** An answer with this `data`, as JSON. */
function answered(data: string) {
  const served = { sentAtMonotonicMs: 0, dateMs: null };
  const text = `{"code":0,"data":${data}}`;
  const answer = { status: 200, header: () => null, text, served, answeredAtMonotonicMs: 0 };
  return parseResponse(answer, facts, { nowMs: 0, origin: 'http://host' });
}

function page(
  data: string,
  asked: { readonly pageNumber?: number; readonly pageSize?: number } = {},
  expected: Partial<Expected> = {},
) {
  const request = { userId: asUserId('u'), ...asked };
  return readPage<SessionRecord>(answered(data), request, { idField: 'id', ...expected });
}

/** Why the only record of a page is none; undefined where it is one. */
const flawOf = (record: string, expected: Partial<Expected> = {}) =>
  page(`{"records":[${record}]}`, {}, expected).unusable?.[0]?.reason;

it('a page has its records with their own text, and what it says of itself', () => {
  const read = page(
    '{"page_number":2,"page_size":5,"total_items":7,"records":[{"id":"a", "n":1.0},{"id":"b"}]}',
    { pageNumber: 2, pageSize: 50 },
  );
  expect(read.records.map(({ value, text }) => [value.id, text])).toEqual([
    ['a', '{"id":"a", "n":1.0}'],
    ['b', '{"id":"b"}'],
  ]);
  expect([read.pageNumber, read.pageSize, read.totalItems]).toEqual([2, 5, 7]);
  expect([read.unusable, read.fault]).toEqual([[], undefined]);
});

it.each([
  ['{"records":[]}', {}, 1, 10, null],
  ['{"records":[]}', { pageNumber: 3, pageSize: 20 }, 3, 20, null],
  ['{"page_size":0,"total_items":-1,"records":[]}', { pageSize: 20 }, 1, 20, null],
  ['{"page_size":1,"total_items":0,"records":[]}', { pageSize: 20 }, 1, 1, 0],
  ['{"page_size":"many","total_items":1.5,"records":[]}', { pageSize: 20 }, 1, 20, null],
])(
  'a page of %s, asked for by %j, is page %j of size %j with a total of %j',
  (data, asked, ...is) => {
    const { pageNumber, pageSize, totalItems, isSizeStated } = page(data, asked);
    expect([pageNumber, pageSize, totalItems]).toEqual(is);
    expect(isSizeStated).toBe(data.includes('"page_size":1,'));
  },
);

it.each([
  ['3', 'page 2 was requested, but the answer is page 3'],
  ['0', 'page 2 was requested, but the answer is page 0'],
  ['2', undefined],
  ['null', undefined],
  [`"${'x'.repeat(99)}"`, `page 2 was requested, but the answer is page "${'x'.repeat(39)}`],
])('a page has a fault where it says that it is another: %s', (echo, fault) => {
  expect(page(`{"page_number":${echo},"records":[]}`, { pageNumber: 2 }).fault).toBe(fault);
});

it.each([
  ['{}', 'the page has no list of records'],
  ['{"records":{}}', 'the page has no list of records'],
  ['{"session_id":"t","records":[]}', 'the page is of another session'],
  ['null', 'the answer has no data'],
])('a page is refused as a whole: %s', (data, why) => {
  expect(() => page(data, {}, { sessionId: 's' })).toThrow(UnusableAnswerError);
  expect(() => page(data, {}, { sessionId: 's' })).toThrow(why);
});

it.each([
  ['1', 'is not an object'],
  ['null', 'is not an object'],
  ['{}', 'has no usable id'],
  ['{"id":""}', 'has no usable id'],
  ['{"id":["a"]}', 'has no usable id'],
  ['{"id":1.5}', 'has no usable id'],
  ['{"id":-1}', 'has no usable id'],
  ['{"id":1e3}', 'has no usable id'],
  ['{"id":"a\\ud800"}', 'has the id "a\\ud800", which is not valid text'],
  ['{"id":"a","session_id":"t"}', '("a") is of another session'],
  [`{"id":"${'a'.repeat(101)}","session_id":"t"}`, `("${'a'.repeat(100)}…") is of another session`],
  [`{"id":"${'a'.repeat(100)}","session_id":"t"}`, `("${'a'.repeat(100)}") is of another session`],
  [
    `{"id":"a","d":${'['.repeat(200)}${']'.repeat(200)}}`,
    '("a") is nested more than 200 levels deep, which is not archived in any form',
  ],
])('a record is unusable, with its reason: %s', (record, reason) => {
  expect(flawOf(record, { sessionId: 's' })).toBe(reason);
});

it.each([
  '{"id":"a","session_id":"s"}',
  '{"id":"a","session_id":5}',
  '{"id":12345678901234567891}',
  `{"id":"a","d":${'['.repeat(199)}${']'.repeat(199)}}`,
])('a record is usable: %s', (record) => {
  expect(flawOf(record, { sessionId: 's' })).toBeUndefined();
});

it('a record may name any session where none was asked for', () => {
  expect(flawOf('{"id":"a","session_id":"t"}')).toBeUndefined();
});

it('a record whose id is a number is known by the digits of its text', () => {
  const { records } = page('{"records":[{"n":1,"id":12345678901234567891}]}');
  expect(records[0]?.value.id).toBe('12345678901234567891');
  expect(records[0]?.value).toMatchObject({ n: 1 });
});

it('a record that is odd leaves the others at their places', () => {
  const read = page('{"records":[{"id":"a"},5,{"id":"b"},{}]}');
  expect(read.records.map(({ value }) => value.id)).toEqual(['a', 'b']);
  expect(read.unusable?.map(({ index }) => index)).toEqual([1, 3]);
});

it('a single record is the answer’s data, with its own text', () => {
  const { value, text } = readSingle<SessionRecord>(answered('{"id":"a", "n":1.0}'), 'a');
  expect([value.id, text]).toEqual(['a', '{"id":"a", "n":1.0}']);
  expect(readCreatedId(answered('{"id":"new"}'))).toBe('new');
});

it.each([
  ['{"id":"b"}', '"a" was requested, but the answer is about "b"'],
  ['{}', 'the answer has no usable id'],
  ['5', 'the answer has no data'],
])('a single record is refused: %s', (data, why) => {
  expect(() => readSingle(answered(data), 'a')).toThrow(UnusableAnswerError);
  expect(() => readSingle(answered(data), 'a')).toThrow(why);
});

it('a single record that is nested too deeply is refused, as one of a page', () => {
  const nested = (levels: number) => `{"id":"a","x":${'['.repeat(levels)}${']'.repeat(levels)}}`;
  const { text } = readSingle<SessionRecord>(answered(nested(199)), 'a');
  expect(text).toBe(nested(199));
  expect(() => readSingle(answered(nested(200)), 'a')).toThrow(
    'the answer ("a") is nested more than 200 levels deep',
  );
});

it('a grant supposes nothing of a service that has not answered yet', () => {
  const { size, alignedPagesOnly, totalsAreGlobal } = new PageGrant(100);
  expect([size, alignedPagesOnly, totalsAreGlobal]).toEqual([100, false, undefined]);
});
