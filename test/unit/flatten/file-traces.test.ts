import { expect, it } from 'vitest';
import { fileReferences, placeKey } from '../../../src/flatten/file-references.js';
import { differingParameters, urlTraces } from '../../../src/flatten/url-traces.js';
import { type FileFacts, filesDigest } from '../../../src/flatten/file-facts.js';
import { answerOf, STORED } from '../../support/tables/flattened-job.js';
import { PRESIGNED, presigned, presigning } from '../../support/http/presigned.js';
import { fault } from '../../support/base/fault.js';

const tables = (...urls: string[]) =>
  answerOf(...urls.map((url) => JSON.stringify({ type: 'TABLE', content: { name: 'a', url } })));
const traces = (...urls: string[]) => urlTraces(tables(...urls));
const differ = (a: string[], b: string[]) => differingParameters(traces(...a), traces(...b)).length;

it.each(Object.keys(PRESIGNED))(
  'the traces of the URLs of a job are none where all is presigning: %s',
  (scheme) => {
    expect(traces(presigned('https://h/a', 1, scheme), 'https://h/b', 'a/key?x=1')).toBeNull();
  },
);

it('the traces of the URLs of a job are none of a text, which the content hash has as it is', () => {
  const content = `![c](https://h/a.png?v=1) ${presigned('https://h/a?v=1')}`;
  expect(urlTraces(answerOf(JSON.stringify({ type: 'MESSAGE', content })))).toBeNull();
});

it('the traces of the URLs of a job differ in the very parameters that say something else', () => {
  const url = (v: number, w: number, read: number) =>
    `https://h/a?v=${v}&w=${w}&${presigning(read)}`;
  expect(differ([url(1, 1, 1)], [url(1, 1, 2)])).toBe(0);
  expect(differ([url(1, 1, 1)], [url(2, 1, 1)])).toBe(1);
  expect(differ([url(1, 1, 1)], [url(2, 2, 1)])).toBe(2);
});

it.each([
  ['one is gone', ['https://h/a?v=1'], ['https://h/a']],
  ['one is new', ['https://h/a'], ['https://h/a?v=1']],
  ['one is repeated', ['https://h/a?v=1'], ['https://h/a?v=1&v=1']],
  ['two change places', ['https://h/a?v=1&w=2'], ['https://h/a?w=2&v=1']],
  [
    'two files change places',
    ['https://h/a?v=1', 'https://h/a?v=2'],
    ['https://h/a?v=2', 'https://h/a?v=1'],
  ],
  ['the host is another', ['https://h/a?v=1'], ['https://i/a?v=1']],
  ['presigning is gone', [presigned('https://h/a?v=1')], ['https://h/a?v=1']],
  ['a part of a scheme changes', ['https://h/a?policy=gold'], ['https://h/a?policy=silver']],
])('the traces of the URLs of a job differ where %s', fault('F-45'), (_what, before, after) => {
  expect(differ(before, after)).toBeGreaterThan(0);
});

it('the traces of the URLs of a job contain neither host nor name nor value', () => {
  const text = JSON.stringify(traces('https://files.example/a?token=secret&user=ada'));
  expect(text).toMatch(/^\{("[0-9a-f]{16}":"[0-9a-f]{32}",?){3}\}$/);
});

const references = fileReferences(tables('https://h/a', 'https://h/b'));
const files = (...hashes: (string | null)[]): Map<string, FileFacts> =>
  new Map(
    references.map((reference, index) => {
      const sha256 = hashes[index];
      const lost: FileFacts = { status: 'missing', reason: 'r' };
      const stored = { ...STORED.stored!, sha256: sha256 ?? '' };
      return [placeKey(reference), sha256 == null ? lost : { ...STORED, stored }];
    }),
  );
const digest = (...hashes: (string | null)[]) => filesDigest(references, files(...hashes));

it('the digest of the files of a job is none where no file is stored', () => {
  expect(digest(null, null)).toBeNull();
  expect(filesDigest([], new Map())).toBeNull();
});

it('the digest of the files of a job is another one where bytes, or the place of bytes, are', () => {
  const all = [digest('a', 'b'), digest('b', 'a'), digest('a', 'a'), digest('a', null)];
  expect(new Set([...all, digest(null, 'a')]).size).toBe(5);
  expect(digest('a', 'b')).toBe(digest('a', 'b'));
});
