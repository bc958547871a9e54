import { describe, expect, it } from 'vitest';
import { fileReferences, placeKey } from '../../../src/flatten/file-references.js';
import { answerOf, recordOf } from '../../support/tables/flattened-job.js';
import { presigned } from '../../support/http/presigned.js';
import { fault } from '../../support/base/fault.js';

/** Of an answer with one block: kind and URL of each. */
function pointersOf(block: unknown): (readonly [string, string | null])[] {
  return fileReferences(answerOf(JSON.stringify(block))).map(({ kind, url }) => [kind, url]);
}

const A = 'https://h/a.csv';
const B = 'https://h/b.png';
const SIGNED = presigned(A);

describe('a file is pointed to by', () => {
  it.each([
    ['a TABLE that is a URL', { type: 'TABLE', content: A }, [['TABLE', A]]],
    ['an IMAGE in lower case', { type: 'image', content: B }, [['IMAGE', B]]],
    ['a bare storage key', { type: 'IMAGE', content: 'x/a b.png' }, [['IMAGE', 'x/a b.png']]],
    ['an object with a url', { type: 'Table', content: { name: 'a', url: A } }, [['TABLE', A]]],
    ['a url in a list', { type: 'TABLE', content: { url: [A] } }, [['TABLE', A]]],
    [
      'each entry of a list',
      { type: 'IMAGE', content: [A, { url: B }] },
      [
        ['IMAGE', A],
        ['IMAGE', B],
      ],
    ],
    [
      'a url however deep, of a type never heard of',
      { type: 'Chart_Info', content: { charts: [{ url: A }, { more: { url: B } }] } },
      [
        ['CHART_INFO', A],
        ['CHART_INFO', B],
      ],
    ],
    ['a key under url', { type: 'CHART_INFO', content: { url: 'u' } }, [['CHART_INFO', 'u']]],
    ['a block without a type', { content: { url: 'v' } }, [['', 'v']]],
    ['a member called image', { type: 'CHART_INFO', content: { image: B } }, [['CHART_INFO', B]]],
    [
      'members that end with url',
      { type: 'X', content: { image_url: { url: A }, thumbnailUrl: B } },
      [
        ['X', A],
        ['X', B],
      ],
    ],
    ['a list called images', { type: 'X', content: { images: [B] } }, [['X', B]]],
    ['a src of any scheme', { type: 'X', content: { src: 's3://b/k' } }, [['X', 's3://b/k']]],
    ['a link that ends like a file', { type: 'X', content: { href: A } }, [['X', A]]],
    ['a member beside the content', { type: 'X', preview: B, content: 'a' }, [['X', B]]],
    [
      'a Markdown image',
      { type: 'MESSAGE', content: `x ![a [b] c](${B} "t") y` },
      [['MARKDOWN_IMAGE', B]],
    ],
    [
      'an image by reference',
      { type: 'MESSAGE', content: `![c][1]\n\n[1]: <${B}>` },
      [['MARKDOWN_IMAGE', B]],
    ],
    [
      'an image in HTML',
      { type: 'MESSAGE', content: `<img alt="" src='${B}'>` },
      [['MARKDOWN_IMAGE', B]],
    ],
    [
      'a Markdown image in a text that is not the content',
      { type: 'TASK', content: { note: `![c](${B})` } },
      [['MARKDOWN_IMAGE', B]],
    ],
    [
      'a presigned URL in prose',
      { type: 'MESSAGE', content: `at ${SIGNED}.` },
      [['PRESIGNED_LINK', SIGNED]],
    ],
    [
      'a presigned URL in code',
      { type: 'CODE', content: `get("${SIGNED}")` },
      [['PRESIGNED_LINK', SIGNED]],
    ],
    [
      'a presigned URL in SOURCES',
      { type: 'SOURCE', content: [{ source: 'a', link: SIGNED }] },
      [['PRESIGNED_LINK', SIGNED]],
    ],
    [
      'a presigned URL in QUESTIONS',
      { type: 'QUESTIONS', content: [SIGNED] },
      [['PRESIGNED_LINK', SIGNED]],
    ],
    [
      'a presigned Markdown image, once',
      { type: 'MESSAGE', content: `![c](${SIGNED})` },
      [['MARKDOWN_IMAGE', SIGNED]],
    ],
    [
      'a presigned URL in the alternative text of an image',
      { type: 'MESSAGE', content: `![see ${SIGNED} there](${B}) <img alt="${SIGNED}" src="${A}">` },
      [
        ['MARKDOWN_IMAGE', B],
        ['PRESIGNED_LINK', SIGNED],
        ['MARKDOWN_IMAGE', A],
        ['PRESIGNED_LINK', SIGNED],
      ],
    ],
  ])('%s', fault('F-47'), (_what, block, expected) => {
    expect(pointersOf(block)).toEqual(expected);
  });

  it.each([
    { type: 'CHART_INFO', content: { url: '' } },
    { type: 'CHART_INFO', content: { url: null } },
    { type: 'CHART_INFO', content: { url: 5 } },
    { type: 'CHART_INFO', content: { image: 'a chart of sales', src: 'top' } },
    { type: 'CHART_INFO', content: { $schema: 'https://h/schema.json' } },
    { type: 'TASK', content: 'https://h/a' },
    { type: 'TASK', content: { href: 'https://h/page', link: 'https://h/' } },
    { type: 'SOURCES', content: [{ url: 'https://h/page', image: B }] },
    { type: 'QUESTIONS', content: ['What is at https://h/a.csv?'] },
    { type: 'MESSAGE', content: '[page](https://h/a.csv) and https://h/a?policy=gold&expires=1' },
    { type: 'MESSAGE', content: '<img src=x onerror="alert(2)">' },
    { type: 'MESSAGE', content: '![c](data:image/png;base64,iVBORw0KGgo=)' },
    { type: 'MESSAGE', content: `\`![c](${B})\` and\n\n\`\`\`\n\n![c](${B})\n\n\`\`\`\n` },
    { type: 'CODE', content: `![c](${B})` },
    'https://h/a',
    null,
    5,
  ])('no: %j', (block) => {
    expect(pointersOf(block)).toEqual([]);
  });

  it.each([
    ['IMAGE', (url: string) => url],
    ['IMAGE', (url: string) => ({ name: 'chart', url })],
    ['IMAGE', (url: string) => ({ image: url })],
    ['TABLE', (url: string) => [{ url }]],
    ['CHART_INFO', (url: string) => ({ url })],
  ])('data in a %s, which is its file', (type, contentOf) => {
    const url = 'data:image/png;base64,iVBORw0KGgo=';
    expect(pointersOf({ type, content: contentOf(url) })).toEqual([[type, url]]);
  });

  it('an image behind a backtick that no other closes in its paragraph', () => {
    const content = `a \` b\n\n![c](${B})\n\nc \` d`;
    expect(pointersOf({ type: 'MESSAGE', content })).toEqual([['MARKDOWN_IMAGE', B]]);
  });

  it.each(['""', 'null', '{}', '{"url":""}', '[]', '5'])(
    'a TABLE with the content %s, though its file cannot be found',
    (content) => {
      expect(fileReferences(answerOf(`{"type":"TABLE","content":${content}}`))).toMatchObject([
        { kind: 'TABLE', url: null },
      ]);
    },
  );
});

describe('a pointer', () => {
  it('has a place: in the question or the answer, or in the record outside of both', () => {
    const table = { type: 'TABLE', content: { name: 'a', url: A } };
    const record = recordOf(
      JSON.stringify({
        job_id: 'j',
        attachments: [{ url: A }],
        answer: { blocks: ['x', { type: 'X', content: { a: { url: A }, url: B } }], cover: SIGNED },
        question: { blocks: [table, { type: 'MESSAGE', content: `![c](${B})![c](${B})` }] },
      }),
    );
    expect(fileReferences(record).map((one) => [placeKey(one), one.kind, one.url])).toEqual([
      ['question/0/0', 'TABLE', A],
      ['question/1/0', 'MARKDOWN_IMAGE', B],
      ['question/1/1', 'MARKDOWN_IMAGE', B],
      ['answer/1/0', 'X', B],
      ['answer/1/1', 'X', A],
      ['record/0/0', 'RECORD', A],
      ['record/0/1', 'PRESIGNED_LINK', SIGNED],
    ]);
  });

  it('keeps its place when members come in another order', () => {
    const places = ['{"a":{"url":"1"},"b":{"url":"2"}}', '{"b":{"url":"2"},"a":{"url":"1"}}'].map(
      (content) =>
        fileReferences(answerOf(`{"type":"X","content":${content}}`)).map((one) => [
          placeKey(one),
          one.url,
        ]),
    );
    expect(places[0]).toEqual(places[1]);
  });

  it('has its name and when its URL expires', () => {
    const content = '{"name":"a.csv","url":"u","expires_at":"2024-11-21T09:56:34.290544Z"}';
    expect(fileReferences(answerOf(`{"type":"TABLE","content":${content}}`))).toEqual([
      {
        role: 'answer',
        blockIndex: 0,
        fileIndex: 0,
        kind: 'TABLE',
        name: 'a.csv',
        url: 'u',
        expiresAt: 1_732_182_994_290_544n,
        unfetched: null,
      },
    ]);
  });

  it.each(['"soon"', '1732182994', 'null', '"2024-02-30T00:00:00Z"'])(
    'has no expiry of %s',
    (expiry) => {
      const [one] = fileReferences(
        answerOf(`{"type":"TABLE","content":{"url":"u","expires_at":${expiry}}}`),
      );
      expect(one!.expiresAt).toBeNull();
    },
  );

  it.each(['chart.png', 'sandbox:/mnt/data/chart.png', 'attachment:chart.png'])(
    'in Markdown to %s is seen and not fetched',
    fault('F-47'),
    (target) => {
      const [one] = fileReferences(
        answerOf(JSON.stringify({ type: 'MESSAGE', content: `![c](${target})` })),
      );
      expect(one).toMatchObject({ kind: 'MARKDOWN_IMAGE', url: target });
      expect(one!.unfetched).toMatch(/^only http and https are fetched/);
    },
  );

  it('beyond the first thousand of a job is not fetched, and counted', fault('F-47'), () => {
    const urls = Array.from({ length: 1234 }, (_, n) => ({ url: `https://h/${n}` }));
    const all = fileReferences(answerOf(JSON.stringify({ type: 'X', content: urls })));
    expect(all).toHaveLength(1001);
    expect(all.at(-1)).toMatchObject({
      kind: 'MORE',
      url: null,
      fileIndex: 1000,
      unfetched: '234 more of this job, after the first 1000',
    });
  });

  it('is found in linear time, also in a text of nothing but beginnings', () => {
    const pieces = ['![', '![[', '![](a', '<img ', '`', '``a`', '![a][b]\n', '[b]: x\n', '](a'];
    const found = pieces.map((piece) => {
      const content = `${piece.repeat(100_000)} ![ <img`;
      return pointersOf({ type: 'MESSAGE', content }).length;
    });
    expect(found).toEqual([0, 0, 1001, 0, 0, 0, 0, 0, 0]);
  });
});
