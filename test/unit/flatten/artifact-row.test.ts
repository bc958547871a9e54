import { FOLDING } from '../../../src/base/text/fold-text.js';
import { expect, it } from 'vitest';
import { flattenJob } from '../../../src/flatten/flatten-job.js';
import { answerOf, jobToFlatten, rowsOf, STORED } from '../../support/tables/flattened-job.js';
import { fault } from '../../support/base/fault.js';

const table = answerOf(
  '{"type":"MESSAGE","content":"see"}',
  '{"type":"TABLE","content":{"name":"../../etc/passwd\\u0000","url":"https://u:p@h/a (1).csv?X-Amz-Signature=s#f","expires_at":"2024-11-21T09:56:34Z"}}',
);

it('the row has what was stored, and the URL without credentials, query or fragment', () => {
  expect(rowsOf('artifacts', table)).toEqual([
    {
      user_id: 'u',
      session_id: 's',
      job_id: 'j',
      job_version: 1,
      role: 'answer',
      block_index: 1,
      file_index: 0,
      kind: 'TABLE',
      name: '../../etc/passwd\u0000',
      url: 'https://h/a (1).csv',
      expires_at: 1_732_182_994_000_000n,
      status: 'stored',
      reason: null,
      sha256: 'abc',
      suspicious: null,
      bytes: 12n,
      media_type: 'text/csv',
      path: 'artifacts/ab/abc.csv',
      row_count: 2n,
      column_count: 3,
      encoding: 'utf-8',
      separator: ',',
      heading_line: 1,
      width: null,
      height: null,
      table_text: null,
      search_text: null,
      search_version: FOLDING,
      run_id: 'run',
      exported_at: 5n,
    },
  ]);
});

it('the row of an artifact of a lost file has the reason, and nothing that a file would have', () => {
  const files = new Map([
    ['answer/1/0', { status: 'missing', reason: 'the host says 404' } as const],
  ]);
  expect(rowsOf('artifacts', table, { files })[0]).toMatchObject({
    status: 'missing',
    reason: 'the host says 404',
    sha256: null,
    bytes: null,
    media_type: null,
    path: null,
    row_count: null,
    column_count: null,
  });
});

it(
  'the row of an artifact of an empty file has 0 bytes and 0 rows, not null',
  fault('F-24'),
  () => {
    const stored = {
      path: 'artifacts/e3/e3.csv',
      sha256: 'e3',
      bytes: 0,
      mediaType: 'text/csv',
      rowCount: 0,
      columnCount: 0,
      width: null,
      height: null,
      sentName: null,
      encoding: null,
      separator: null,
      headingLine: null,
      hasTableText: false,
      suspicious: 'an empty file',
    };
    const files = new Map([['answer/1/0', { status: 'stored', reason: null, stored } as const]]);
    expect(rowsOf('artifacts', table, { files })[0]).toMatchObject({
      status: 'stored',
      bytes: 0n,
      row_count: 0n,
      column_count: 0,
      suspicious: 'an empty file',
    });
  },
);

it('the row of an artifact of a table has its beginning, without the secrets of its URLs', () => {
  const tableTexts = new Map([
    ['abc', 'name\tlink\nx\thttps://files.example/a.csv?X-Amz-Signature=0123abcd'],
  ]);
  const { tables } = flattenJob(jobToFlatten(table), tableTexts);
  const rows = [...(tables.find((one) => one.table.name === 'artifacts')?.rows ?? [])];
  expect(rows.map((row) => row['table_text'])).toEqual([
    'name\tlink\nx\thttps://files.example/a.csv',
  ]);
  expect(rows.map((row) => row['search_text'])).toEqual([
    ' name link x https files . example / a . csv ',
  ]);
});

it('the row of an artifact of a table is searched by what it shows of the address of a file', () => {
  const pointed = answerOf(
    '{"type":"TABLE","content":{"name":"a","url":"https://files.example/a.csv?v=canary"}}',
  );
  const tableTexts = new Map([['abc', 'link\nhttps://files.example/a.csv?v=canary']]);
  const { tables } = flattenJob(jobToFlatten(pointed), tableTexts);
  const [row] = [...(tables.find((one) => one.table.name === 'artifacts')?.rows ?? [])];
  expect(row!['table_text']).toBe('link\nhttps://files.example/a.csv?v=***');
  expect(row!['search_text']).not.toContain('canary');
});

it('the row of an artifact of a block without a type has no kind', () => {
  const [row] = rowsOf('artifacts', answerOf('{"content":{"url":"u"}}'));
  expect(row!['kind']).toBeNull();
});

it('the row of an artifact is never written before the file is settled', () => {
  expect(() => rowsOf('artifacts', table, { files: new Map() })).toThrow(
    new RangeError('the file at answer/1/0 is not settled'),
  );
});

it.each<readonly [string, string | null, string | null]>([
  ['https://h/files/umsatz-2026.csv?X-Amz-Signature=1', null, 'umsatz-2026.csv'],
  ['https://h/Umsatz%20M%C3%A4rz.csv#top', null, 'Umsatz März.csv'],
  ['https://h/50%.csv', null, '50%.csv'],
  ['https://h', null, null],
  ['exports/may/table.csv', null, 'table.csv'],
  ['https://h/f81d4fae', 'umsatz.csv', 'umsatz.csv'],
  ['data:text/csv,a', null, null],
])('the row of an artifact of the URL %s alone has a name', (url, sentName, name) => {
  const record = answerOf(JSON.stringify({ type: 'TABLE', content: url }));
  const facts = { ...STORED, stored: { ...STORED.stored!, sentName } };
  const [row] = rowsOf('artifacts', record, { files: new Map([['answer/0/0', facts]]) });
  expect(row!['name']).toBe(name);
});
