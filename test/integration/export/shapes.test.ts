/** Answers in every shape that the interface and its notes tell of, through the whole pipeline. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sha256Hex } from '../../../src/base/digest.js';
import type { ExportSummary } from '../../../src/export/export-summary.js';
import type { Row } from '../../../src/model/table-schema.js';
import { TABLE_NAMES } from '../../../src/model/tables.js';
import { ExportRig } from '../../support/rigs/export-rig.js';
import { png } from '../../support/tables/tiny-image.js';
import { fault } from '../../support/base/fault.js';

const CSV = 'month,revenue\n2026-01,9\n2026-02,11\n';
const SENTENCE = 'A chart of revenue by month, compared with the period before';

/** Exact JSON texts, since some of it survives no JSON.stringify. */
const RECORDS = {
  'plain-urls':
    '{"job_id":"plain-urls","question":{"blocks":[{"type":"MESSAGE","content":"Well?"}]},"answer":{"blocks":[' +
    '{"type":"TABLE","content":"{{url:t/plain.csv}}","stage":"Analyze","group_id":"-1"},' +
    '{"type":"TABLE","content":"{{url:t/plain.csv}}","stage":"Respond"}]}}',
  'same-file':
    '{"job_id":"same-file","question":{"blocks":[]},"answer":{"blocks":[' +
    '{"type":"TABLE","content":{"name":"r.csv","url":"{{url:t/same.csv}}","expires_at":"{{expires_at}}"},"stage":"Analyze"},' +
    '{"type":"TABLE","content":{"name":"r.csv","url":"{{url:t/same.csv}}","expires_at":"{{expires_at}}"},"stage":"Respond"},' +
    `{"type":"IMAGE","content":{"name":"${SENTENCE}","url":"{{url:t/chart}}","expires_at":"{{expires_at}}"},"stage":"Respond"},` +
    '{"type":"CHART_INFO","content":{"url":"{{url:t/chart.json}}","expires_at":"{{expires_at}}","chart_type":"bar"},"stage":"Respond"}]}}',
  groups:
    '{"job_id":"groups","question":{"blocks":[]},"answer":{"blocks":[' +
    '{"type":"MESSAGE","content":"a","group_id":"","group_name":"","stage":"Analyze"},' +
    '{"type":"MESSAGE","content":"b","group_id":"-1","stage":"Analyze"},' +
    '{"type":"MESSAGE","content":"c","group_id":-1,"stage":"Analyze"},' +
    '{"type":"MESSAGE","content":"d","stage":"Analyze"},' +
    '{"type":"MESSAGE","content":"e","group_id":"g-1","group_name":"Plan","stage":"Analyze"},' +
    '{"type":"HOLOGRAM","content":{"depth":9007199254740993,"z":1.50e2},"stage":"Respond","group_id":"g-1"}]}}',
  surrogates:
    '{"job_id":"surrogates","question":{"blocks":[{"type":"MESSAGE","content":"half \\ud83d"}]},' +
    '"answer":{"blocks":[{"type":"MESSAGE","content":"\\ude42 other half","stage":"Respond"}]}}',
  numbers:
    '{"job_id":"numbers","question":{"blocks":[]},"answer":{"blocks":[' +
    '{"type":"TASK","content":{"id":12345678901234567890,"ratio":0.10000000000000000555},"stage":"Respond"},' +
    '{"type":"SOURCES","content":[{"source":"a.pdf","page_no":9007199254740993}],"stage":"Respond"},' +
    '{"type":"SOURCE","content":[{"source":"b.pdf","datasource_id":"d","external_id":""}],"stage":"Respond"}]}}',
  prototypes:
    '{"job_id":"prototypes","__proto__":{"polluted":1},"question":{"blocks":[]},"answer":{"blocks":[' +
    '{"type":"TASK","content":{"__proto__":{"polluted":2},"constructor":{"prototype":{"polluted":3}}},"stage":"Respond"},' +
    '{"type":"SOURCES","content":[{"__proto__":{"source":"no.pdf"}}],"stage":"Respond"}]}}',
  'no-question': '{"job_id":"no-question","answer":{"blocks":[{"type":"MESSAGE","content":"x"}]}}',
  'no-answer': '{"job_id":"no-answer","question":{"blocks":[{"type":"MESSAGE","content":"y"}]}}',
  nothing: '{"job_id":"nothing","question":null,"answer":{"blocks":null}, "spare": [1, 2]}',
} as const;

describe('an export of awkward histories', () => {
  let rig: ExportRig;
  let summary: ExportSummary;
  let session: string;
  const tables = new Map<string, readonly Row[]>();

  beforeAll(async () => {
    rig = await ExportRig.start();
    rig.state.putFile('t/plain.csv', CSV);
    rig.state.putFile('t/same.csv', `${CSV}2026-03,7\n`);
    rig.state.putFile('t/chart', png({ width: 3, height: 2 }), 'image/png');
    rig.state.putFile('t/chart.json', '{"type":"bar"}', 'application/json');
    session = rig.state.addSession('ann', {
      name: 'n'.repeat(140),
      max_contextual_job_history: 76,
      output_language: 'KLINGON',
      pinned: true,
    });
    for (const text of Object.values(RECORDS)) rig.state.addJob('ann', session, text);
    summary = await rig.export({ users: ['ann'] });
    for (const name of TABLE_NAMES) tables.set(name, await rig.rows(name));
  });
  afterAll(() => rig[Symbol.asyncDispose]());

  const of = (table: string, job: keyof typeof RECORDS) =>
    (tables.get(table) ?? []).filter((row) => row['job_id'] === job);

  const pick = (rows: readonly Row[], ...columns: string[]) =>
    rows.map((row) => columns.map((column) => row[column]));

  it('archives every one of them without a gap', () => {
    expect(summary).toMatchObject({
      status: 'complete',
      jobs: { archived: Object.keys(RECORDS).length },
    });
  });

  it('takes a TABLE that is nothing but a URL for the file behind it', () => {
    const digest = sha256Hex(CSV);
    const columns = ['kind', 'name', 'status', 'sha256', 'row_count', 'column_count'];
    expect(pick(of('artifacts', 'plain-urls'), ...columns)).toEqual([
      ['TABLE', 'plain.csv', 'stored', digest, 2n, 2],
      ['TABLE', 'plain.csv', 'stored', digest, 2n, 2],
    ]);
    for (const { url } of of('artifacts', 'plain-urls')) {
      expect(url).toBe(rig.state.urlOf('t/plain.csv'));
    }
    expect(pick(of('blocks', 'plain-urls').slice(1), 'artifact_sha256', 'content_text')).toEqual([
      [digest, null],
      [digest, null],
    ]);
  });

  it(
    'fetches a file of two blocks once, keeps it once, and names it in both rows',
    fault('F-23'),
    async () => {
      expect(rig.emulator.stats.fileRequests).toBe(4);
      expect(summary.artifacts).toMatchObject({ stored: 4, reused: 2 });
      expect(await rig.files('artifacts')).toHaveLength(4);
      const rows = pick(of('artifacts', 'same-file'), 'block_index', 'kind', 'name', 'media_type');
      expect(rows).toEqual([
        [0, 'TABLE', 'r.csv', 'text/csv'],
        [1, 'TABLE', 'r.csv', 'text/csv'],
        [2, 'IMAGE', SENTENCE, 'image/png'],
        [3, 'CHART_INFO', 'chart.json', 'application/json'],
      ]);
      const paths = of('artifacts', 'same-file').map(({ path }) => path);
      expect(paths[0]).toBe(paths[1]);
      expect(pick(of('artifacts', 'same-file').slice(2, 3), 'width', 'height')).toEqual([[3, 2]]);
    },
  );

  it('gives no group id to a block without a meaningful group', () => {
    expect(pick(of('blocks', 'groups'), 'content_text', 'group_id')).toEqual([
      ['a', null],
      ['b', null],
      ['c', null],
      ['d', null],
      ['e', 'g-1'],
      [null, 'g-1'],
    ]);
  });

  it('keeps a block of a type never heard of, digit by digit', fault('F-9'), () => {
    const [hologram] = of('blocks', 'groups').filter(({ type }) => type === 'HOLOGRAM');
    expect(hologram?.['content_json']).toBe('{"depth":9007199254740993,"z":1.50e2}');
    expect(pick(of('blocks', 'numbers').slice(0, 1), 'content_json')).toEqual([
      ['{"id":12345678901234567890,"ratio":0.10000000000000000555}'],
    ]);
    expect(pick(of('sources', 'numbers'), 'source', 'external_id', 'extra_json')).toEqual([
      ['a.pdf', null, '{"page_no":9007199254740993}'],
      ['b.pdf', '', null],
    ]);
    expect(pick(of('blocks', 'numbers').slice(1), 'type', 'type_raw')).toEqual([
      ['SOURCES', 'SOURCES'],
      ['SOURCES', 'SOURCE'],
    ]);
  });

  it(
    'counts texts in which a lone surrogate was replaced, and keeps the original',
    fault('F-39'),
    () => {
      // question_text, answer_text, and the two blocks they come from
      expect(summary.altered_texts).toBe(4);
      expect(pick(of('jobs', 'surrogates'), 'question_text', 'answer_text')).toEqual([
        ['half \ufffd', '\ufffd other half'],
      ]);
      expect(of('raw_jobs', 'surrogates')[0]?.['record']).toBe(RECORDS.surrogates);
    },
  );

  it.each(['groups', 'numbers', 'prototypes', 'no-question', 'no-answer', 'nothing'] as const)(
    'keeps the record of %s to the letter',
    (job) => {
      expect(pick(of('raw_jobs', job), 'record')).toEqual([[RECORDS[job]]]);
    },
  );

  it('leaves prototypes alone', fault('F-9'), () => {
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(pick(of('blocks', 'prototypes'), 'content_json')[0]).toEqual([
      '{"__proto__":{"polluted":2},"constructor":{"prototype":{"polluted":3}}}',
    ]);
    expect(pick(of('sources', 'prototypes'), 'source', 'extra_json')).toEqual([
      [null, '{"__proto__":{"source":"no.pdf"}}'],
    ]);
  });

  it('makes a job of a record without a question or an answer', () => {
    const columns = ['question_text', 'answer_text', 'question_block_count', 'answer_block_count'];
    expect(pick(of('jobs', 'no-question'), ...columns)).toEqual([[null, null, 0, 1]]);
    expect(pick(of('jobs', 'no-answer'), ...columns)).toEqual([['y', null, 1, 0]]);
    expect(pick(of('jobs', 'nothing'), ...columns)).toEqual([[null, null, 0, 0]]);
  });

  it('accepts session settings outside their documented range', () => {
    const columns = ['name', 'max_contextual_job_history', 'output_language', 'agent_id'];
    const rows = tables.get('sessions') ?? [];
    expect(pick(rows, ...columns)).toEqual([['n'.repeat(128), 76, 'KLINGON', null]]);
    expect(pick(rows, 'extra_json', 'job_count', 'is_complete')).toEqual([
      ['{"pinned":true}', Object.keys(RECORDS).length, true],
    ]);
  });

  it('finds nothing new in any of them the next time', async () => {
    expect(await rig.export({ users: ['ann'], full: true })).toMatchObject({
      status: 'complete',
      rows: {},
      jobs: { archived: 0 },
    });
  });
});
