import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../src/base/text/canonical-json.js';
import { sha256Hex } from '../../../src/base/digest.js';
import { contentHash, sessionRowHash, settingsHash } from '../../../src/flatten/content-hash.js';
import type { SessionRecord } from '../../../src/model/records.js';
import { answerOf, recordOf } from '../../support/tables/flattened-job.js';
import { presigned } from '../../support/http/presigned.js';
import { fault } from '../../support/base/fault.js';

const hashOf = (block: string): string => contentHash(answerOf(block));

/** The same block as three reads send it. */
function reads(blockOf: (url: (plain: string) => string, read: number) => object): string[] {
  return [1, 2, 3].map((read) => JSON.stringify(blockOf((plain) => presigned(plain, read), read)));
}

it('the hash of a text of megabytes is that of its JSON, wherever a surrogate pair lies', () => {
  for (const first of ['', 'x']) {
    const content = `${first}${'🎉\n"売上\ud800'.repeat(400_000)}`;
    const block = { content, type: 'MESSAGE' };
    const record = { answer: { blocks: [block] }, job_id: 'j', question: { blocks: [] } };
    expect(hashOf(JSON.stringify(block))).toBe(sha256Hex(canonicalJson(record)));
  }
});

describe('the hash does not change from read to read', () => {
  it.each(['https://h/a.csv', 'https://h/a (1) [x]|y.csv', 'https://h/a.csv?v=1'])(
    'when %s is signed again and expires later',
    (plain) => {
      const hashes = reads((url, read) => ({
        type: 'TABLE',
        content: { name: 'a', url: url(plain), expires_at: `2024-11-2${read}T09:56:34.290544Z` },
      })).map(hashOf);
      expect(new Set(hashes).size).toBe(1);
    },
  );

  it.each(['https://h/a.csv', 'https://h/a (1).csv'])('when %s is the whole content', (plain) => {
    const hashes = reads((url) => ({ type: 'TABLE', content: url(plain) })).map(hashOf);
    expect(new Set(hashes).size).toBe(1);
  });

  it.each([
    ['a Markdown image', (url: string) => `# Sales\n\n![chart](${url})\n\nrose.`],
    ['a Markdown link with brackets', (url: string) => `[a](${url.replace('.csv', '(1).csv')}), b`],
    ['HTML', (url: string) => `<a href="${url.replaceAll('&', '&amp;')}">a</a>`],
    ['JSON in code', (url: string) => JSON.stringify({ url, n: 1 })],
    ['two links', (url: string) => `${url} ${url}`],
  ])('when the URL is in %s', (_where, textOf) => {
    const hashes = reads((url) => ({ type: 'MESSAGE', content: textOf(url('https://h/a.csv')) }));
    expect(new Set(hashes.map(hashOf)).size).toBe(1);
  });

  it('when the signature happens to hold a long run of digits beside a number like 1.0', () => {
    // a run of 16 digits once decided how every other number of the record was hashed
    const hashes = ['abcdef', '1234567890123456'].map((signature) =>
      hashOf(
        `{"type":"TASK","content":{"share":1.0,"url":"https://h/a?AWSAccessKeyId=a&Expires=1&Signature=${signature}"}}`,
      ),
    );
    expect(hashes[0]).toBe(hashes[1]);
  });

  it.each([
    ['of a file', (url: string) => ({ type: 'TABLE', content: url })],
    ['in a question', (url: string) => ({ type: 'image', content: { url, expires_at: url } })],
    ['that is nested', (url: string) => ({ type: 'X', content: { charts: [{ image: url }] } })],
  ])(
    'when a parameter of the URL %s changes that no presigning scheme knows',
    fault('F-44'),
    (_what, blockOf) => {
      const hashes = ['a', 'b'].map((t) => hashOf(JSON.stringify(blockOf(`https://h/a?t=${t}`))));
      expect(hashes[0]).toBe(hashes[1]);
    },
  );

  it('when keys come in another order, or white space differs', () => {
    expect(contentHash(recordOf('{"a":[1,{"c":2,"b":3}],"job_id":"j"}'))).toBe(
      contentHash(recordOf(' { "job_id":"j" ,\n"a" : [ 1 , { "b":3, "c":2 } ] } ')),
    );
  });

  it('when a character is spelled as an escape', () => {
    expect(hashOf('{"content":"é/🙂\\n"}')).toBe(
      hashOf('{"content":"\\u00e9\\/\\ud83d\\ude42\\u000a"}'),
    );
  });

  it('for the session likewise', () => {
    const session = (text: string) =>
      settingsHash({ value: JSON.parse(text) as SessionRecord, text });
    expect(session('{"id":"s","name":"n"}')).toBe(session('{ "name":"n", "id":"s" }'));
    expect(session('{"id":"s","name":"n"}')).not.toBe(session('{"id":"s","name":"m"}'));
    expect(session('{"id":"s","name":null}')).not.toBe(session('{"id":"s"}'));
  });
});

it("the hash of a session's row changes with its settings, its jobs, its completeness", () => {
  const text = '{"id":"s","name":"n"}';
  const rowOf = (name: string, jobs: number, isComplete: boolean) =>
    sessionRowHash(
      { value: { id: 's', name } as SessionRecord, text: text.replace('"n"', `"${name}"`) },
      jobs,
      isComplete,
    );
  const rows = [
    rowOf('n', 1, true),
    rowOf('m', 1, true),
    rowOf('n', 2, true),
    rowOf('n', 1, false),
  ];
  expect(new Set(rows).size).toBe(rows.length);
  expect(rowOf('n', 1, true)).toBe(rows[0]);
});

const base = { type: 'TABLE', content: { name: 'a', url: 'https://h/a?v=1', expires_at: '1' } };
const original = hashOf(JSON.stringify(base));

it.each([
  ['the type', { ...base, type: 'IMAGE' }],
  ['the name', { ...base, content: { ...base.content, name: 'b' } }],
  ['the path of the URL', { ...base, content: { ...base.content, url: 'https://h/b?v=1' } }],
  ['the host', { ...base, content: { ...base.content, url: 'https://i/a?v=1' } }],
  ['the fragment', { ...base, content: { ...base.content, url: 'https://h/a?v=1#x' } }],
  ['a new field', { ...base, content: { ...base.content, new: null } }],
  ['an expiry elsewhere', { ...base, expires_at: '1' }],
])('the hash changes with everything else with %s', (_what, changed) => {
  expect(hashOf(JSON.stringify(changed))).not.toBe(original);
});

it('the hash changes with each field of a cited passage, also those with a column', () => {
  const hashes = [
    '{"source":"a.pdf","id":"c-1","content":"net","page_no":1}',
    '{"source":"a.pdf","id":"c-2","content":"net","page_no":1}',
    '{"source":"a.pdf","id":"c-1","content":"gross","page_no":1}',
    '{"source":"a.pdf","id":"c-1","content":"net","page_no":2}',
    '{"source":"a.pdf","id":"c-1","content":"net"}',
    '{"source":"a.pdf","id":"c-1","content":"net","page_no":1,"score":1}',
  ].map((source) => hashOf(`{"type":"SOURCES","content":[${source}]}`));
  expect(new Set(hashes).size).toBe(hashes.length);
});

const distinct = (...contents: string[]) => {
  const hashes = contents.map((content) => hashOf(`{"type":"TASK","content":${content}}`));
  expect(new Set(hashes).size).toBe(contents.length);
};

it(
  'the hash changes with everything else with a digit, however many there are',
  fault('F-40'),
  () => {
    distinct('12345678901234567890', '12345678901234567891', '12345678901234567892');
    distinct('0.1234567890123456789', '0.1234567890123456788');
    distinct('9007199254740992', '9007199254740993');
  },
);

it('the hash changes with everything else with a number that no double holds', () => {
  distinct('1e400', '1e401', '-1e400', 'null', '"1e400"', '0', '1e-400');
});

it('the hash changes with everything else with the type of a value', () => {
  distinct('1', '"1"', '[1]', 'true', 'null', '{}', '[]', '""', '0', 'false', '{"1":1}');
  distinct('12345678901234567890', '"12345678901234567890"');
  distinct('12345678901234567890', '"number:12345678901234567890"');
  distinct('1e400', '"\\u00001e400"', '"\\u0000\\u00001e400"');
  distinct('"\\u0000a"', '"\\u0000\\u0000a"', '"a"', '"\\u0000"');
});

it('the hash changes with everything else with null, empty and absent', () => {
  const blocks = ['{"content":null}', '{"content":""}', '{}', 'null', '{"content":[]}'];
  expect(new Set(blocks.map(hashOf)).size).toBe(blocks.length);
});

it('the hash changes with everything else with the order of blocks', () => {
  expect(contentHash(answerOf('1', '2'))).not.toBe(contentHash(answerOf('2', '1')));
});

it.each([
  ['a message', (url: string) => ({ type: 'MESSAGE', content: `[a](${url})` })],
  ['code', (url: string) => ({ type: 'CODE', content: `get("${url}")` })],
  ['a Markdown image', (url: string) => ({ type: 'MESSAGE', content: `![a](${url})` })],
  ['a source', (url: string) => ({ type: 'SOURCES', content: [{ source: 'a', url }] })],
  ['a proposed question', (url: string) => ({ type: 'QUESTIONS', content: [url] })],
  ['a text that is nothing but a URL', (url: string) => ({ type: 'MESSAGE', content: url })],
])(
  'the hash changes with everything else with a parameter of a URL in %s',
  fault('F-46'),
  (_what, blockOf) => {
    for (const name of ['policy', 'expires', 'signature', 'se', 'sig', 'X-Amz-Date', 'plan']) {
      const [gold, silver] = ['gold', 'silver'].map((value) =>
        hashOf(JSON.stringify(blockOf(`https://h/a?${name}=${value}`))),
      );
      expect(gold).not.toBe(silver);
    }
  },
);

it('the hash changes with what says when something expires that is no file', () => {
  distinct('{"expires_at":"1"}', '{"expires_at":"2"}', '{"url":"","expires_at":"1"}', '{"url":""}');
});

it('the hash changes with the prose around a signed URL, and with what only looks signed', () => {
  const text = (prose: string) => JSON.stringify(`${presigned('https://h/a')} ${prose}`);
  distinct(text('rose'), text('fell'), text('rose&sig=1'));
  distinct(
    ...['https://h/x?', 'https://h/x', 'https://h/x?q=1#2', 'https://h/x?q=1#3'].map(quoted),
  );
  distinct(...['sig=1', 'sig=2', 'a?sig=1', 'https://h/x?st=1', 'https://h/x?st=2'].map(quoted));
});

it('the hash changes with everything else with a member called __proto__', () => {
  distinct('{"__proto__":{"a":1}}', '{"__proto__":{"a":2}}', '{}');
  expect(({} as Record<string, unknown>)['a']).toBeUndefined();
});

it('the hash changes with everything else with a character that UTF-8 cannot hold', () => {
  distinct('"\\ud800"', '"\\ud801"', '"\\ufffd"');
});

it.each([
  ['quotes and backslashes', 'say "no" \\ twice'],
  ['control characters', 'a\tb\nc\u0000d\u001fe\u007ff\u2028'],
  ['an emoji and half of one', '\u{1f600} \ud83d'],
  ['neither', 'plain, Größe, 数'],
])('a text and a key with %s are hashed as canonical JSON has them', (_what, text) => {
  const record = { job_id: 'j', [text]: [text, { [text.repeat(99)]: text }, [], {}, -1.5, null] };
  const hash = sha256Hex(canonicalJson(record));
  // twice: keys are kept as their JSON
  expect(contentHash(recordOf(JSON.stringify(record)))).toBe(hash);
  expect(contentHash(recordOf(JSON.stringify(record)))).toBe(hash);
});

it('a long text beside a long number is hashed like any other', () => {
  const content = (tail: string) =>
    `{"content":"${'x\\n'.repeat(8_000_000)}${tail}","n":12345678901234567890}`;
  expect(hashOf(content('a'))).not.toBe(hashOf(content('b')));
});

const quoted = (text: string): string => JSON.stringify(text);
