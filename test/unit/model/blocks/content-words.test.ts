import { expect, it } from 'vitest';
import { contentWords, wordsBeside } from '../../../../src/model/blocks/content-words.js';
import { shownContent } from '../../../../src/model/blocks/shown-content.js';

const FILE = { name: 'a.csv', url: 'https://h.example/a.csv', expires_at: '2026-01-01T00:00:00Z' };

it.each([
  ['parts', [{ type: 'text', text: 'a' }, 'b', { text: { value: 'c' } }], ['a', 'b', 'c'], false],
  ['what describes a part', { text: 'a', format: 'markdown', id: 'x', index: 2 }, ['a'], false],
  ['parts with a file', [{ text: 'a' }, { image_url: { url: FILE.url } }], ['a'], false],
  ['a part of another type', [{ type: 'call', name: 'f', input: { n: 1 } }], ['f'], true],
  ['a text that is a URL', [{ text: FILE.url }], [FILE.url], false],
  ['a link that is no file', [{ text: 'a' }, { href: 'https://h.example/p' }], ['a'], true],
  ['bytes', [{ type: 'image', data: 'iVBORw0K'.repeat(40) }], [], true],
  ['nothing', [null, {}, [], { text: '' }], [], false],
])('of a message, words are its texts: %s', (_what, content, words, hasMore) => {
  expect(contentWords(content, 'prose')).toMatchObject({ words, hasMore });
});

it.each([
  ['name, URL and expiry alone', FILE, [], false],
  ['a list of these', [FILE, FILE.url], [], false],
  ['a URL', FILE.url, [], false],
  ['a key', 'folder/a.csv', [], false],
  ['a caption', { ...FILE, caption: 'a' }, ['a'], false],
  ['any other text', { ...FILE, bemerkung: 'a' }, ['a'], false],
  ['a number', { ...FILE, rows: 2 }, [], true],
  ['JSON that is sent as a text', JSON.stringify({ ...FILE, note: 'a' }), ['a'], false],
])(
  'beside a file, words are what is neither name nor URL: %s',
  (_what, content, words, hasMore) => {
    expect(contentWords(content, 'table')).toMatchObject({ words, hasMore });
  },
);

it.each([
  ['a caption', { title: 'a', image: FILE.url }, ['a'], false],
  ['a sentence', { aim: 'to see' }, ['to see'], false],
  ['labels', { data: [['may', 12]], color: '#fff' }, [], true],
  ['a text alone', 'may', ['may'], false],
  ['a URL alone', FILE.url, [], false],
])('of another block, words are sentences and captions: %s', (_what, content, words, hasMore) => {
  expect(contentWords(content, 'json')).toMatchObject({ words, hasMore });
});

it('of a list, words are what came in no documented form: the others have rows', () => {
  expect(contentWords(['a', { question: 'b' }], 'questions').words).toEqual(['b']);
  expect(contentWords('a', 'questions').words).toEqual(['a']);
  expect(contentWords([{ source: 'a' }, 'b'], 'sources').words).toEqual(['b']);
  expect(contentWords({ source: 'a', file_type: 'csv' }, 'sources').words).toEqual(['a']);
});

it('captions beside the content are words, and nothing else of the block', () => {
  expect(wordsBeside({ type: 'TABLE', content: 'x', caption: 'a', group_name: 'b', n: 1 })).toEqual(
    ['a'],
  );
});

const row = (type: string, content: unknown, content_text: string | null = null) => ({
  type,
  content_text,
  content_json: JSON.stringify(content),
});

it.each([
  ['a table with a caption', row('TABLE', { ...FILE, note: 'a' }, 'a'), { text: 'a' }],
  ['a table with a number', row('TABLE', { ...FILE, n: 1 }), { json: true }],
  ['a table alone', row('TABLE', FILE), {}],
  ['a chart', row('CHART', { title: 'a', image: FILE.url }, 'a'), { json: true }],
  ['a chart that is a file alone', row('CHART', { image: FILE.url }), {}],
  ['parts', row('MESSAGE', [{ text: 'a' }], 'a'), { text: 'a' }],
  ['a number', row('MESSAGE', 42, '42'), { text: '42' }],
  ['a question alone', row('QUESTIONS', 'a', 'a'), { entries: ['a'] }],
])('beside files the JSON is shown where it has more: %s', (_what, block, shown) => {
  const { text = null, entries = null, json = false } = shown as Record<string, unknown>;
  expect(shownContent(block, true)).toEqual({
    text,
    entries,
    json: json === true ? block.content_json : null,
  });
});

it('without files the JSON is shown where nothing else is', () => {
  expect(shownContent(row('TABLE', FILE), false).json).toBe(JSON.stringify(FILE));
  expect(shownContent({ type: 'TABLE', content_text: 'a', content_json: null }, false)).toEqual({
    text: 'a',
    entries: null,
    json: null,
  });
  const cut = { type: 'CHART', content_text: null, content_json: '{"a":"b' };
  expect(shownContent(cut, true).json).toBe(cut.content_json);
});
