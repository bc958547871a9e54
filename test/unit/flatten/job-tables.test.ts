import { describe, expect, it } from 'vitest';
import { flattenJob } from '../../../src/flatten/flatten-job.js';
import { asJobId } from '../../../src/model/ids.js';
import { TABLES } from '../../../src/model/tables.js';
import {
  answerOf,
  flattened,
  jobToFlatten,
  recordOf,
  rowsOf,
  STORED,
} from '../../support/tables/flattened-job.js';

const block = (fields: object) => JSON.stringify(fields);
const said = (stage: string, content: unknown, type = 'MESSAGE') => block({ type, content, stage });

describe('jobs', () => {
  it('the answer is the Respond messages with a blank line between, and nothing else', () => {
    const record = answerOf(
      said('Analyze', 'thinking'),
      said('Respond', 'one'),
      said('Respond', 'x = 1', 'CODE'),
      said('Respond', ''),
      said('Respond', { count: 2 }),
      said('Respond', 'two\n'),
      block({ type: 'MESSAGE', content: 'of no stage' }),
    );
    expect(rowsOf('jobs', record)[0]).toMatchObject({
      answer_text: 'one\n\n\n\ntwo\n',
      question_text: null,
      question_block_count: 0,
      answer_block_count: 7,
      analyze_block_count: 1,
      respond_block_count: 5,
    });
  });

  it('an empty answer is empty, one without messages null', () => {
    expect(rowsOf('jobs', answerOf(said('Respond', '')))[0]!['answer_text']).toBe('');
    expect(rowsOf('jobs', answerOf(said('Respond', [], 'TASK')))[0]!['answer_text']).toBeNull();
  });

  it('the question is its messages and its code', () => {
    const record = recordOf(
      '{"question":{"blocks":[{"type":"MESSAGE","content":"why?"},{"type":"CODE","content":"x"},{"type":"MESSAGE"}]}}',
    );
    expect(rowsOf('jobs', record)[0]).toMatchObject({
      question_text: 'why?\n\nx',
      question_block_count: 3,
    });
  });

  it('the time comes from the id, or from nowhere', () => {
    const at = (jobId: string) => {
      const [row] = rowsOf('jobs', answerOf(), { jobId: asJobId(jobId) });
      return [row!['created_at'], row!['created_at_source']];
    };
    expect(at('job-cm3ikdeuj02zk01l1yeuirt77')).toEqual([1_731_664_566_379_000n, 'cuid']);
    expect(at('0b6f2a52-5d0a-4c1e-9f3a-0123456789ab')).toEqual([null, null]);
  });

  it('counts its artifacts and sources', () => {
    const record = answerOf(
      block({ type: 'TABLE', content: 'u' }),
      block({ type: 'CHART_INFO', content: { url: 'u' } }),
      block({ type: 'SOURCE', content: [{}, {}, null] }),
    );
    expect(rowsOf('jobs', record)[0]).toMatchObject({ artifact_count: 2, source_count: 3 });
  });
});

describe('sources', () => {
  const sourcesOf = (content: string, type = 'SOURCES') =>
    rowsOf('sources', answerOf(`{"type":"${type}","content":${content}}`));
  const cells = (content: string) => {
    const columns = ['source', 'datasource_id', 'dataset_id', 'file_type', 'external_id'];
    const [row] = sourcesOf(`[${content}]`);
    return [...columns, 'extra_json'].map((column) => row![column]);
  };

  it('one row an entry, under both spellings of the type', () => {
    for (const type of ['SOURCE', 'SOURCES']) {
      expect(sourcesOf('[{"source":"a.csv"},{"source":"b.pdf"}]', type)).toMatchObject([
        { block_index: 0, source_index: 0, source: 'a.csv', extra_json: null },
        { block_index: 0, source_index: 1, source: 'b.pdf', extra_json: null },
      ]);
    }
  });

  it('fields beyond the columns are kept verbatim', () => {
    expect(
      cells('{"source":"a", "score" : 12345678901234567891, "dataset_id":"d","__proto__":1.0}'),
    ).toEqual(['a', null, 'd', null, null, '{"score":12345678901234567891,"__proto__":1.0}']);
  });

  it('a cited passage has id, text and page in columns; what does not fit is kept verbatim', () => {
    const passage = (content: string) => {
      const [row] = sourcesOf(`[${content}]`);
      return ['source_entry_id', 'content', 'page_no', 'extra_json'].map((column) => row![column]);
    };
    const text = '{"id":"c-7","content":"net of\\nreturns","page_no":12}';
    expect(passage(text)).toEqual(['c-7', 'net of\nreturns', 12, null]);
    expect(passage('{"id":"","content":"","page_no":0}')).toEqual(['', '', 0, null]);
    expect(passage('{"source":"a"}')).toEqual([null, null, null, null]);
    for (const misfit of [
      '{"id":[7],"content":["a"],"page_no":"iv"}',
      '{"id":null,"content":null,"page_no":null}',
      '{"id":{},"content":1.0,"page_no":1.5}',
      '{"page_no":2147483648}',
    ]) {
      expect(passage(misfit)).toEqual([null, null, null, misfit]);
    }
    // an id that is a number is kept as text, with every digit, and as it is beside that
    for (const id of ['7', '12345678901234567891', '-0', '1.0']) {
      expect(passage(`{"a":{"id":3},"id": ${id} }`)).toEqual([
        id,
        null,
        null,
        `{"a":{"id":3},"id":${id}}`,
      ]);
    }
    const signed =
      'see https://h/x?X-Amz-Signature=0123456789abcdef0123456789abcdef&X-Amz-Expires=600';
    expect(passage(`{"content":${JSON.stringify(signed)}}`)[1]).not.toContain('0123456789abcdef');
  });

  it('null, empty, absent and a wrong type are four things', () => {
    expect(cells('{"external_id":""}')).toEqual([null, null, null, null, '', null]);
    expect(cells('{"external_id":null}').at(-1)).toBe('{"external_id":null}');
    expect(cells('{}').at(-1)).toBeNull();
    expect(cells('{"external_id":1.0}').at(-1)).toBe('{"external_id":1.0}');
  });

  it('an entry that is a text is its name, one that is no object is kept verbatim', () => {
    expect(cells('"a.csv"')).toEqual(['a.csv', null, null, null, null, null]);
    for (const entry of ['null', '[ 1 ]']) {
      expect(cells(entry)).toEqual([null, null, null, null, null, entry]);
    }
  });

  it.each(['{ "source":"a", "score":1.0}', '"a"'])(
    'content that is one entry and no list has its row: %s',
    (content) => {
      const extra_json = content.includes('score') ? '{"score":1.0}' : null;
      expect(sourcesOf(content)).toMatchObject([{ source_index: 0, source: 'a', extra_json }]);
    },
  );

  it.each(['null', '[]', '""'])('content that is %s has no rows', (content) => {
    expect(sourcesOf(content)).toEqual([]);
  });
});

describe('proposed questions', () => {
  const questionsOf = (content: string) =>
    rowsOf('proposed_questions', answerOf(`{"type":"QUESTIONS","content":${content}}`)).map(
      (row) => [row['question_index'], row['question']],
    );

  it('one row an entry; an empty one is empty, a null one null', () => {
    expect(questionsOf('["a", "", null]')).toEqual([
      [0, 'a'],
      [1, ''],
      [2, null],
    ]);
  });

  it('a question that is an object has its text, and one alone is one', () => {
    expect(questionsOf('[{"question":"Why?","rank":1},{"text":"How?"}]')).toEqual([
      [0, 'Why?'],
      [1, 'How?'],
    ]);
    expect(questionsOf('"Why?"')).toEqual([[0, 'Why?']]);
    expect(questionsOf('{"question":"Why?"}')).toEqual([[0, 'Why?']]);
  });

  it('an entry without the text of a question is kept as its JSON', () => {
    expect(questionsOf('[ {"q": 1.0} , 12345678901234567891]')).toEqual([
      [0, '{"q": 1.0}'],
      [1, '12345678901234567891'],
    ]);
  });
});

const full = answerOf(
  block({ type: 'MESSAGE', content: 'm', group_id: 'g', stage: 'Respond' }),
  block({ type: 'TABLE', content: { url: 'https://h/a' } }),
  block({ type: 'SOURCES', content: [{}] }),
  block({ type: 'QUESTIONS', content: ['q'] }),
);

it('every table has exactly its columns in each row', () => {
  const { tables } = flattened(full);
  expect(tables).toHaveLength(6);
  for (const { table, rows } of tables) {
    const columns = table.columns.map(({ name }) => name).toSorted();
    for (const row of rows) expect(Object.keys(row).toSorted()).toEqual(columns);
  }
});

it('every table that a job has no rows for is left out', () => {
  const names = flattened(recordOf('{"job_id":"j"}')).tables.map(({ table }) => table.name);
  expect(names).toEqual(['jobs', 'raw_jobs']);
  expect(TABLES.map(({ name }) => name)).toEqual(expect.arrayContaining(names));
});

describe('a list of thousands of sources', () => {
  const content = Array.from(
    { length: 2500 },
    (_, n) => `{"source":"part ${n}${n === 2400 ? '\\udc00' : ''}","n":${n}.0}`,
  );
  const record = answerOf(
    `{"type":"SOURCES","content":[${content.slice(0, 900).join()}]}`,
    `{"type":"SOURCES","content":[ ${content.slice(900).join(' ,\n')} ]}`,
    '{"type":"SOURCES","content":[null,["https://h/a.csv?token=secret"]]}',
  );
  const { tables, alteredTexts } = flattenJob(jobToFlatten(record));
  const sources = tables.find(({ table }) => table.name === 'sources')?.rows ?? [];

  it('has a row for each, the same ones however often they are read', () => {
    const rows = [...sources];
    expect(sources).toHaveLength(2502);
    expect(rows.map(({ source }) => source)).toEqual([
      ...content.map((_, n) => (n === 2400 ? 'part 2400\uFFFD' : `part ${n}`)),
      null,
      null,
    ]);
    expect(rows[1000]).toMatchObject({
      block_index: 1,
      source_index: 100,
      extra_json: '{"n":1000.0}',
    });
    expect([...sources]).toEqual(rows);
    expect(rowsOf('jobs', record)[0]).toMatchObject({ source_count: 2502 });
  });

  it('is masked and counted like a short one', () => {
    const last = [...sources].slice(-2).map(({ extra_json: json }) => json);
    expect(last[0]).toBe('null');
    expect(last[1]).not.toContain('secret');
    expect(alteredTexts).toBe(1);
  });
});

const broken = answerOf('{"type":"MESSAGE","content":"a\\ud800b","group_name":"\\udc00"}');

it('lone surrogates become U+FFFD, are counted, and stay in the raw record', () => {
  const { tables, alteredTexts } = flattened(broken, {
    files: new Map([['answer/0/0', STORED]]),
  });
  const rows = Object.fromEntries(tables.map(({ table, rows }) => [table.name, rows[0]]));
  expect(rows['blocks']).toMatchObject({ content_text: 'a\uFFFDb', group_name: '\uFFFD' });
  expect(rows['raw_jobs']).toMatchObject({ record: broken.text });
  expect(alteredTexts).toBe(2);
});

it('lone surrogates are no pairs: an emoji is left alone', () => {
  const { alteredTexts } = flattened(answerOf('{"type":"MESSAGE","content":"\\ud83d\\ude42"}'));
  expect(alteredTexts).toBe(0);
});
