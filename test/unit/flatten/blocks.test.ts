import { describe, expect, it } from 'vitest';
import {
  answerOf,
  blockRow,
  recordOf,
  rowsOf,
  STORED,
} from '../../support/tables/flattened-job.js';
import { fault } from '../../support/base/fault.js';

const message = (content: string) => blockRow(`{"type":"MESSAGE","content":${content}}`);

describe('the content of a block', () => {
  it('MESSAGE and CODE are text, everything else the JSON it came in, with its words', () => {
    const rows = rowsOf(
      'blocks',
      answerOf(
        '{"type":"MESSAGE","content":"a\\u00e9"}',
        '{"type":"CODE","content":"x = 1"}',
        '{"type":"QUESTIONS","content":[ "a",  "b" ]}',
        '{"type":"TABLE","content":"https://h/a.csv"}',
        '{"type":"NEVER_HEARD_OF","content":"text"}',
      ),
    );
    expect(rows.map((row) => [row['content_text'], row['content_json']])).toEqual([
      ['aé', null],
      ['x = 1', null],
      [null, '[ "a",  "b" ]'],
      [null, '"https://h/a.csv"'],
      ['text', '"text"'],
    ]);
  });

  it.each([
    ['12345678901234567891', 'digits beyond 2^53'],
    ['0.10', 'a trailing zero'],
    ['1e400', 'a number that no double holds'],
    ['{ "b" : 1 ,\n "a" : 2 }', 'key order and white space'],
    ['{"a":1,"a":2}', 'a repeated key'],
    ['{"__proto__":{"x":1}}', 'a __proto__ key'],
    ['[]', 'an empty array'],
    ['null', 'null'],
    ['true', 'a boolean'],
    ['""', 'an empty text'],
  ])('of an unknown type keeps %s verbatim: %s', (content) => {
    const row = blockRow(`{"type":"TASK", "content" : ${content} , "x":1}`);
    expect(row).toMatchObject({ content_json: content, content_text: null, char_count: null });
  });

  it('of an unknown type keeps a text with its escapes verbatim, and has it as its words', () => {
    const row = blockRow('{"type":"TASK","content":"\\u0041\\/\\ud800"}');
    expect(row).toMatchObject({ content_json: '"\\u0041\\/\\ud800"', content_text: 'A/\ufffd' });
  });

  it('null, empty and absent are three things', fault('F-40'), () => {
    const cells = ['content_text', 'content_json', 'char_count'];
    const pick = (block: string) => cells.map((cell) => blockRow(block)[cell]);
    expect(pick('{"type":"MESSAGE","content":""}')).toEqual(['', null, 0]);
    expect(pick('{"type":"MESSAGE","content":null}')).toEqual([null, 'null', null]);
    expect(pick('{"type":"MESSAGE"}')).toEqual([null, null, null]);
  });

  it('of a MESSAGE that is no text is kept as JSON', () => {
    expect(message('{"text": 1.0}')).toMatchObject({
      content_text: null,
      content_json: '{"text": 1.0}',
    });
    const digits = '12345678901234567891';
    expect(message(digits)).toMatchObject({ content_text: digits, content_json: digits });
  });

  it('of a repeated key is the last, parsed and verbatim alike', () => {
    expect(blockRow('{"type":"TASK","content":"x","type":"MESSAGE","content":"y"}')).toMatchObject({
      type: 'MESSAGE',
      content_text: 'y',
    });
  });
});

describe('a block that is none', () => {
  it.each([
    ['"just text"', 'just text'],
    ['5', null],
    ['null', null],
    ['[ 1 ]', null],
    ['true', null],
  ])('is a row that keeps what was sent: %s', (block, words) => {
    expect(blockRow(block)).toMatchObject({
      role: 'answer',
      block_index: 0,
      type: null,
      type_raw: null,
      stage: null,
      group_id: null,
      group_name: null,
      content_text: words,
      content_json: block,
    });
  });

  it('an empty object is a row without anything', () => {
    expect(blockRow('{ }')).toMatchObject({ type: null, content_text: null, content_json: null });
  });

  it('fields of the wrong type count as absent', () => {
    expect(
      blockRow('{"type":5,"stage":["Respond"],"group_name":{},"group_id":true,"content":"x"}'),
    ).toMatchObject({
      type: null,
      type_raw: null,
      stage: null,
      group_name: null,
      group_id: null,
      content_json: '"x"',
    });
  });
});

describe('the type of a block', () => {
  it('SOURCE is SOURCES, and the type that was sent is in its own column', () => {
    expect(blockRow('{"type":"SOURCE","content":[]}')).toMatchObject({
      type: 'SOURCES',
      type_raw: 'SOURCE',
    });
    expect(blockRow('{"type":"SOURCES","content":[]}')['type_raw']).toBe('SOURCES');
  });

  it.each([
    ['TASK', 'TASK'],
    ['source', 'SOURCES'],
    ['Message', 'MESSAGE'],
    ['constructor', 'CONSTRUCTOR'],
    ['', ''],
  ])('%j counts as %j, and is kept as it was sent', (raw, type) => {
    expect(blockRow(JSON.stringify({ type: raw }))).toMatchObject({ type, type_raw: raw });
  });

  it('in lower case makes it a text all the same', () => {
    const row = blockRow('{"type":"message","content":"Hello"}');
    expect(row).toMatchObject({ content_text: 'Hello', content_json: null, char_count: 5 });
  });
});

describe('the group of a block', () => {
  it.each(['""', '"-1"', '-1', '-1.0', 'null', 'false', '[]'])('%s is none', (groupId) => {
    expect(blockRow(`{"type":"MESSAGE","group_id":${groupId}}`)['group_id']).toBeNull();
  });

  it.each([
    ['"0"', '0'],
    ['0', '0'],
    ['-2', '-2'],
    ['12345678901234567891', '12345678901234567891'],
    ['" -1"', ' -1'],
    ['"8d0f…"', '8d0f…'],
  ])('%s is the group %s', (groupId, told) => {
    expect(blockRow(`{"type":"MESSAGE","group_id":${groupId}}`)['group_id']).toBe(told);
  });

  it('an empty name is empty, an absent one null', () => {
    expect(blockRow('{"group_name":""}')['group_name']).toBe('');
    expect(blockRow('{}')['group_name']).toBeNull();
  });
});

it.each([
  ['"abc"', 3],
  ['"🙂é\\n"', 3],
  ['"e\\u0301"', 2],
  ['"\\ud83d"', 1],
  ['"\\ude42\\ud83d"', 2],
  ['"\\ud83d\\ud83d\\ude42"', 2],
])('char_count of %s is %i: characters, not UTF-16 units', (content, count) => {
  expect(message(content)['char_count']).toBe(count);
});

const languageOf = (code: string) =>
  blockRow(JSON.stringify({ type: 'CODE', content: code }))['code_language'];

it.each([
  ['```python\nx = 1\n```', 'python'],
  ['\n  ```SQL\nSELECT 1\n  ```\n', 'sql'],
  ['``` c++ title="x"\n```', 'c++'],
  ['~~~~objective-c\n~~~\n~~~~~', 'objective-c'],
  ['```c#\r\nx\r\n```\r\n', 'c#'],
  ['````markdown\n```r\nx\n```\n````', 'markdown'],
])('code_language of %j is %s', (code, language) => {
  expect(languageOf(code)).toBe(language);
});

it.each([
  'x = 1',
  '',
  '```\nx\n```\n```sql\n```',
  '```sql\nx\n```\n```r\ny\n```',
  '```sql\nnever closed',
  'def f():\n  """\n```sql\nx\n```\n  """',
  'This counts:\n\n```r\nx\n```',
  '``sql\nx\n``',
  '```sql\nx\n~~~',
  '```{python}\nx\n```',
  'a ```sql',
])('code_language is not guessed from %j', (code) => {
  expect(languageOf(code)).toBeNull();
});

it('code_language is nothing that a MESSAGE has', () => {
  expect(message('"```sql\\nSELECT 1"')['code_language']).toBeNull();
});

describe('question and answer', () => {
  const sides = '{"job_id":"j","question":{"blocks":[{"type":"MESSAGE","content":"q"}]},';

  it('are distinguished by role, each counted from 0', () => {
    const record = recordOf(`${sides}"answer":{"blocks":[{"type":"TASK"},{"type":"TASK"}]}}`);
    expect(rowsOf('blocks', record).map((row) => [row['role'], row['block_index']])).toEqual([
      ['question', 0],
      ['answer', 0],
      ['answer', 1],
    ]);
  });

  it.each([
    ['', 'absent'],
    [',"answer":null', 'null'],
    [',"answer":"text"', 'a text'],
    [',"answer":[{"type":"MESSAGE"}]', 'an array'],
    [',"answer":{}', 'without blocks'],
    [',"answer":{"blocks":null}', 'with null for blocks'],
    [',"answer":{"blocks":{"0":{}}}', 'with an object for blocks'],
    [',"answer":{"blocks":[]}', 'with no block'],
  ])('of an answer that is %s there are no rows, but the record is kept', (answer) => {
    const text = `{"job_id":"j" ,"question":{"blocks":[{"type":"CODE","content":""}]}${answer}}`;
    const record = recordOf(text);
    expect(rowsOf('blocks', record).map((row) => row['role'])).toEqual(['question']);
    expect(rowsOf('raw_jobs', record)[0]!['record']).toBe(text);
    expect(rowsOf('jobs', record)[0]).toMatchObject({ answer_text: null, answer_block_count: 0 });
  });

  it('blocks that belong to a repeated key are those of the last', () => {
    const record = recordOf(
      '{"answer":{"blocks":[{"type":"A"}]},"answer":{"blocks":[1],"blocks":[{"type":"B"}]}}',
    );
    expect(rowsOf('blocks', record).map((row) => row['type'])).toEqual(['B']);
  });
});

it('a block has the hash of its first file, a question block too', () => {
  const record = recordOf(
    '{"question":{"blocks":[{"type":"MESSAGE","content":"q"},{"type":"IMAGE","content":"https://h/i"}]},"answer":{"blocks":[{"type":"TABLE","content":["https://h/a","https://h/b"]}]}}',
  );
  const other = { ...STORED, stored: { ...STORED.stored!, sha256: 'def' } };
  const files = new Map([
    ['question/1/0', other],
    ['answer/0/0', STORED],
    ['answer/0/1', other],
  ]);
  const rows = rowsOf('blocks', record, { files });
  expect(rows.map((row) => row['artifact_sha256'])).toEqual([null, 'def', 'abc']);
});
