import { describe, expect, it } from 'vitest';
import { fileReferences } from '../../../src/flatten/file-references.js';
import { blocksOf } from '../../../src/flatten/job-blocks.js';
import { answerOf, recordOf, rowsOf } from '../../support/flattened-job.js';

const referencesOf = (...blocks: string[]) => fileReferences(blocksOf(answerOf(...blocks)));

describe('which blocks point to files', () => {
  it('a TABLE or IMAGE does, as an object or as a bare text', () => {
    expect(
      referencesOf(
        '{"type":"TABLE","content":{"name":"a.csv","url":"https://h/a","expires_at":"2024-11-21T09:56:34.290544Z"}}',
        '{"type":"IMAGE","content":"tables/a b.png"}',
      ),
    ).toEqual([
      {
        ...{ blockIndex: 0, kind: 'TABLE', name: 'a.csv', url: 'https://h/a' },
        expiresAt: 1_732_182_994_290_544n,
      },
      { blockIndex: 1, kind: 'IMAGE', name: null, url: 'tables/a b.png', expiresAt: null },
    ]);
  });

  it('a type never heard of does when its content has a url', () => {
    expect(
      referencesOf('{"type":"CHART_INFO","content":{"url":"u"}}', '{"content":{"url":"v"}}').map(
        ({ kind, url }) => [kind, url],
      ),
    ).toEqual([
      ['CHART_INFO', 'u'],
      ['', 'v'],
    ]);
  });

  it.each([
    '{"type":"CHART_INFO","content":{"url":""}}',
    '{"type":"CHART_INFO","content":{"url":null}}',
    '{"type":"CHART_INFO","content":{"url":5}}',
    '{"type":"CHART_INFO","content":{"URL":"u"}}',
    '{"type":"TASK","content":"https://h/a"}',
    '{"type":"SOURCES","content":[{"url":"u"}]}',
    '{"type":"MESSAGE","content":"https://h/a"}',
    '{"type":"TASK","url":"u"}',
    '"https://h/a"',
  ])('%s does not', (block) => {
    expect(referencesOf(block)).toEqual([]);
  });

  it.each(['""', 'null', '{}', '{"url":""}', '{"url":["u"]}', '[]', '5'])(
    'a TABLE with the content %s does, though its file cannot be found',
    (content) => {
      expect(referencesOf(`{"type":"TABLE","content":${content}}`)).toMatchObject([{ url: null }]);
    },
  );

  it('a block of a question never does', () => {
    const record = recordOf('{"question":{"blocks":[{"type":"TABLE","content":"https://h/a"}]}}');
    expect(fileReferences(blocksOf(record))).toEqual([]);
  });

  it.each(['"soon"', '1732182994', 'null', '"2024-02-30T00:00:00Z"'])(
    'an expiry of %s is none',
    (expiry) => {
      expect(
        referencesOf(`{"type":"TABLE","content":{"url":"u","expires_at":${expiry}}}`)[0]!.expiresAt,
      ).toBeNull();
    },
  );
});

describe('the row of an artifact', () => {
  const table = answerOf(
    '{"type":"MESSAGE","content":"see"}',
    '{"type":"TABLE","content":{"name":"../../etc/passwd\\u0000","url":"https://u:p@h/a (1).csv?X-Amz-Signature=s#f","expires_at":"2024-11-21T09:56:34Z"}}',
  );

  it('tells what was stored, and the URL without credentials, query or fragment', () => {
    expect(rowsOf('artifacts', table)).toEqual([
      {
        ...{ user_id: 'u', session_id: 's', job_id: 'j', job_version: 1, block_index: 1 },
        ...{ kind: 'TABLE', name: '../../etc/passwd\u0000', url: 'https://h/a (1).csv' },
        ...{ expires_at: 1_732_182_994_000_000n, status: 'stored', reason: null, sha256: 'abc' },
        ...{ bytes: 12n, media_type: 'text/csv', path: 'artifacts/ab/abc.csv', row_count: 2n },
        ...{ column_count: 3, width: null, height: null, run_id: 'run', exported_at: 5n },
      },
    ]);
  });

  it('of a lost file tells why, and nothing that a file would have', () => {
    const files = new Map([[1, { status: 'missing', reason: 'the host says 404' } as const]]);
    expect(rowsOf('artifacts', table, { files })[0]).toMatchObject({
      ...{ status: 'missing', reason: 'the host says 404', sha256: null, bytes: null },
      ...{ media_type: null, path: null, row_count: null, column_count: null },
    });
  });

  it('of an empty file has 0 bytes and 0 rows, not null', () => {
    const stored = {
      ...{ path: 'artifacts/e3/e3.csv', sha256: 'e3', bytes: 0, mediaType: 'text/csv' },
      ...{ rowCount: 0, columnCount: 0, width: null, height: null },
    };
    const files = new Map([[1, { status: 'stored', reason: null, stored } as const]]);
    expect(rowsOf('artifacts', table, { files })[0]).toMatchObject({
      ...{ status: 'stored', bytes: 0n, row_count: 0n, column_count: 0 },
    });
  });

  it('of a block without a type has no kind', () => {
    const [row] = rowsOf('artifacts', answerOf('{"content":{"url":"u"}}'));
    expect(row!['kind']).toBeNull();
  });

  it('is never written before the file is settled', () => {
    expect(() => rowsOf('artifacts', table, { files: new Map() })).toThrow(
      new RangeError('block 1 has no settled file'),
    );
  });
});
