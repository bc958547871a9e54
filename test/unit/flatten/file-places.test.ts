/** Pointers to content that cannot be fetched as it stands, or that hides in a text. */
import { expect, it } from 'vitest';
import { fileReferences } from '../../../src/flatten/file-references.js';
import { answerOf } from '../../support/tables/flattened-job.js';
import { presigned } from '../../support/http/presigned.js';

/** Of an answer with one block: kind and URL of each. */
function pointersOf(block: unknown): (readonly [string, string | null])[] {
  return fileReferences(answerOf(JSON.stringify(block))).map(({ kind, url }) => [kind, url]);
}

const A = 'https://h/a.csv';
const B = 'https://h/b.png';
const SIGNED = presigned(A);
const SIGNED_IN_JSON = SIGNED.replaceAll('/', '\\/').replaceAll('&', '\\u0026');
const LONG = presigned(`https://h/${'a'.repeat(9000)}`);

it.each([
  [
    'a key under a name that says url',
    { type: 'X', content: { imageUrl: 'a', table_url: 'b', fileURL: 'c' } },
    [
      ['X', 'c'],
      ['X', 'a'],
      ['X', 'b'],
    ],
  ],
  [
    'a member called image, with a URL without a scheme',
    { type: 'X', content: { image: '//h/b.png' } },
    [['X', '//h/b.png']],
  ],
  [
    'an address in the memory of a browser',
    { type: 'IMAGE', content: 'blob:https://h/1' },
    [['IMAGE', 'blob:https://h/1']],
  ],
  [
    'such an address under url or image',
    { type: 'X', content: { url: 'blob:https://h/1', image: 'blob:https://h/2' } },
    [
      ['X', 'blob:https://h/1'],
      ['X', 'blob:https://h/2'],
    ],
  ],
  [
    'JSON that is sent as a text',
    { type: 'CHART_INFO', content: JSON.stringify({ charts: [{ url: A }], image: B }) },
    [
      ['CHART_INFO', A],
      ['CHART_INFO', B],
    ],
  ],
  [
    'JSON whose escapes hide a presigned URL',
    { type: 'CHART_INFO', content: { option: `{"note":"${SIGNED_IN_JSON}"}` } },
    [['PRESIGNED_LINK', SIGNED]],
  ],
  [
    'a presigned URL with a long path in prose',
    { type: 'MESSAGE', content: `at ${LONG} there` },
    [['PRESIGNED_LINK', LONG]],
  ],
  [
    'an image in HTML, with a URL without a scheme',
    { type: 'MESSAGE', content: '<img src="//h/b.png">' },
    [['MARKDOWN_IMAGE', '//h/b.png']],
  ],
  [
    'a TABLE that is a text with a colon, and no data',
    { type: 'TABLE', content: 'data: of sales, in north' },
    [['TABLE', 'data: of sales, in north']],
  ],
  [
    'a block of an unknown type that consists of a URL',
    { type: 'VIDEO', content: 'https://h/v?id=1' },
    [['VIDEO', 'https://h/v?id=1']],
  ],
  [
    'such a block of several',
    { type: 'video', content: [A, 'two words', '//h/b.png'] },
    [
      ['VIDEO', A],
      ['VIDEO', '//h/b.png'],
    ],
  ],
  [
    'a block of links, where a path ends like a file',
    { type: 'LINK', content: [A, 'https://h/page'] },
    [['LINK', A]],
  ],
  [
    'a path without a host, under a name that says file',
    { type: 'X', content: { image: '/files/b.png', img: './b.png', src: '../b.PNG?v=1' } },
    [
      ['X', '/files/b.png'],
      ['X', './b.png'],
      ['X', '../b.PNG?v=1'],
    ],
  ],
  [
    'an IMAGE that leads nowhere',
    { type: 'IMAGE', content: 'about:blank' },
    [['IMAGE', 'about:blank']],
  ],
])('a file is pointed to by %s', (_what, block, expected) => {
  expect(pointersOf(block)).toEqual(expected);
});

it.each([
  { type: 'CHART_INFO', content: { curl: 'curl https://h/a', url: 'about:blank' } },
  { type: 'CHART_INFO', content: '[1, 2' },
  { type: 'CHART_INFO', content: `${'['.repeat(10_000)}{"url":"u"}${']'.repeat(10_000)}` },
  { type: 'MESSAGE', content: '{"url":"https://h/a"}' },
])('no file is pointed to by %.80j', (block) => {
  expect(pointersOf(block)).toEqual([]);
});

it.each(['{"url":"about:blank"}', '{"name":"Data: sales, north"}', '{"name":"about: sales"}'])(
  'a TABLE with the content %s holds no file itself: it is missing',
  (content) => {
    expect(fileReferences(answerOf(`{"type":"TABLE","content":${content}}`))).toMatchObject([
      { kind: 'TABLE', url: null },
    ]);
  },
);

it.each([
  { type: 'IMAGE', content: '//h/b.png' },
  { type: 'CHART_INFO', content: { image: '//h/b.png' } },
  { type: 'MESSAGE', content: '<img src="//h/b.png">' },
])('a URL without a scheme is seen and not fetched: %j', (block) => {
  const [one] = fileReferences(answerOf(JSON.stringify(block)));
  expect(one).toMatchObject({ url: '//h/b.png' });
  expect(one!.unfetched).toMatch(/^only http and https are fetched/);
});
