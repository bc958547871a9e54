/** What people see is what was sent: texts of blocks in every output that shows them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OutputsRig } from '../../support/rigs/outputs-rig.js';
import { fault } from '../../support/base/fault.js';

type Outputs = ReadonlyMap<string, string>;

/** Output and text of each text that an output lacks, also as JSON spells it. */
function missing(outputs: Outputs, texts: readonly string[]): string[] {
  const inJson = (text: string): string =>
    JSON.stringify(text).slice(1, -1).replaceAll('<', '\\u003c').replaceAll('>', '\\u003e');
  return [...outputs].flatMap(([output, said]) =>
    texts
      .filter((text) => !said.includes(text) && !said.includes(inJson(text)))
      .map((text) => `${output}: ${text}`),
  );
}

function historyOf(
  answer: readonly object[],
  { question = [{ type: 'MESSAGE', content: 'Well?' }] }: { question?: readonly object[] } = {},
): string {
  const job = {
    job_id: 'job-1',
    question: { blocks: question },
    answer: { blocks: answer.map((block) => ({ stage: 'Respond', ...block })) },
  };
  const files = { 't.csv': { text: 'a,b\n1,2\n', media_type: 'text/csv' } };
  return JSON.stringify({
    users: [{ user_id: 'ada', sessions: [{ id: 's-1', name: 'Texts', jobs: [job] }] }],
    files,
  });
}

describe('code that looks like secrets', () => {
  let rig: OutputsRig;
  beforeAll(async () => (rig = await OutputsRig.ofHistory('code-is-no-secret')));
  afterAll(() => rig[Symbol.asyncDispose]());

  it('is archived byte for byte', fault('F-158'), async () => {
    const blocks = await rig.rig.rows('blocks');
    for (const { content_text: text } of blocks) expect(text).not.toContain('***');
    expect(blocks.map((row) => row['content_text'])).toContain(
      '```c\nfor(token=strtok(s,","); token;token=strtok(NULL,",")) count++;\nint i=0;auth=check(i);password=getpass();\n```',
    );
    for (const row of await rig.rig.rows('jobs')) {
      expect(`${String(row['question_text'])} ${String(row['answer_text'])}`).not.toContain('***');
    }
  });

  it('stands in every output as it was sent', async () => {
    const outputs = await rig.outputs();
    const texts = [
      '?api_key=YOUR_KEY&limit=10',
      'Password=<yours>;Encrypt',
      '/cars;auth=none;color',
    ];
    expect(missing(outputs, [...texts, 'page=2&token=abc&sort=name'])).toEqual([]);
    expect([...outputs.values()].join('\n')).not.toContain('***');
  });

  it('is found', async () => {
    expect(await rig.matches('"token=strtok(NULL"')).toBe(1);
    expect(await rig.matches('YOUR_KEY')).toBe(1);
  });
});

describe('text beside files', () => {
  let rig: OutputsRig;
  beforeAll(async () => (rig = await OutputsRig.ofHistory('text-beside-files')));
  afterAll(() => rig[Symbol.asyncDispose]());
  const WORDS = ['quokka', 'numbat', 'bilby', 'wombat'];

  it('is shown in every output', async () => {
    const outputs = await rig.outputs();
    expect(missing(outputs, [...WORDS, 'Revenue fell by 12 percent'])).toEqual([]);
    // of a chart, also what are no words
    expect(outputs.get('report')).toMatch(/\\"may\\",\s*(?:\\n\s*)?12/);
    // what has nothing but words, name and URL needs no JSON
    expect(outputs.get('show')).not.toContain('[IMAGE] {');
    expect(outputs.get('show')).not.toContain('[MESSAGE] {');
  });

  it.each(WORDS)('is found: %s', async (word) => {
    expect(await rig.matches(word)).toBe(1);
  });

  it('chooses the jobs of a pack', async () => {
    const pack = `${rig.rig.directory}/quokka`;
    const words = ['--user', 'ada', '--match', 'quokka', '--out', pack];
    expect(await rig.said('evidence', rig.rig.out, ...words, '--json')).toContain('"jobs":1');
  });
});

describe('content in parts', () => {
  let rig: OutputsRig;
  beforeAll(async () => (rig = await OutputsRig.ofHistory('content-in-parts')));
  afterAll(() => rig[Symbol.asyncDispose]());
  const WORDS = ['zanzibar', 'pemba', 'comoros', 'mayotte', 'lamu', 'kilwa'];

  it('is text in the tables, and verbatim beside it', async () => {
    const [job] = await rig.rig.rows('jobs');
    expect(job).toMatchObject({
      question_text: 'What about the quarterly zanzibar figure?',
      answer_text: [
        'The **zanzibar** figure is 12.',
        'The pemba figure is 7.',
        '42',
        'Just one comoros question?',
        'An object mayotte question?',
        'lamu.xlsx',
        'kilwa.pdf',
      ].join('\n\n'),
    });
    const blocks = await rig.rig.rows('blocks');
    const ofAnswer = blocks.filter(({ role }) => role === 'answer');
    expect(JSON.parse(String(ofAnswer[0]?.['content_json']))).toEqual([
      { type: 'text', text: 'The **zanzibar** figure is 12.' },
    ]);
    const questions = await rig.rig.rows('proposed_questions');
    expect(questions.map(({ question }) => question)).toEqual([
      'Just one comoros question?',
      'An object mayotte question?',
    ]);
    const sources = await rig.rig.rows('sources');
    expect(sources.map(({ source }) => source)).toEqual(['lamu.xlsx', 'kilwa.pdf']);
    expect((await rig.rig.rows('artifacts')).map(({ name }) => name)).toEqual([
      'p.png',
      'json.csv',
    ]);
  });

  it('is shown in every output, as text and not as JSON', async () => {
    const outputs = await rig.outputs();
    expect(missing(outputs, WORDS)).toEqual([]);
    expect(outputs.get('show')).not.toMatch(/"(?:text|question)":/);
  });

  it.each(WORDS)('is found: %s', async (word) => {
    expect(await rig.matches(word)).toBe(1);
  });
});

describe('a URL that is all of a block', () => {
  let rig: OutputsRig;
  beforeAll(async () => (rig = await OutputsRig.ofHistory('bare-urls')));
  afterAll(() => rig[Symbol.asyncDispose]());

  it('has the name at the end of its path in every output', async () => {
    expect(missing(await rig.outputs(), ['umsatz-2026.csv', 'chart-may.png'])).toEqual([]);
  });

  it.each(['umsatz-2026.csv', 'chart-may.png'])('a file is found by it: %s', async (name) => {
    expect(await rig.matches(`"${name}"`)).toBe(1);
  });
});

it('parts of every kind show their words, and their JSON where there is more than words', async () => {
  const answer = [
    {
      type: 'MESSAGE',
      content: [{ type: 'text', text: { value: 'nested okapi', annotations: [] } }],
    },
    {
      type: 'MESSAGE',
      content: ['plain bongo', { content: [{ type: 'output_text', text: 'duiker' }] }],
    },
    {
      type: 'MESSAGE',
      content: [{ type: 'tool_use', name: 'eland', input: { sql: 'kudu', n: 7 } }],
    },
    {
      type: 'MESSAGE',
      content: [{ type: 'text', text: 'https://h.example/gnu?token=abc&page=2' }],
    },
    { type: 'MESSAGE', content: [] },
    { type: 'MESSAGE', content: [{ type: 'text', text: '' }, null, {}] },
    { type: 'CODE', content: { text: '```sql\nSELECT oryx;key=1\n```' } },
    { type: 'TABLE', content: { url: '{{url:t.csv}}', remark: 'impala', rows: 2 } },
    { type: 'TABLE', content: '{{url:t.csv}}', caption: 'a nyala beside the content' },
    { type: 'NOTE', content: 'a sitatunga of a type that nobody knows' },
  ];
  const history = historyOf(answer, {
    question: [{ type: 'MESSAGE', content: { parts: ['a lechwe?', { text: 'and a puku?' }] } }],
  });
  await using rig = await OutputsRig.of(history);
  const outputs = await rig.outputs();
  const shown = [
    'okapi',
    'bongo',
    'duiker',
    'eland',
    'kudu',
    'token=***&page=2',
    'nyala',
    'sitatunga',
  ];
  expect(missing(outputs, [...shown, 'lechwe', 'puku'])).toEqual([]);
  // a word alone may be a value: it stands where the JSON does
  const [report = '', said = ''] = ['report', 'show'].map((name) => outputs.get(name));
  for (const text of ['impala', 'oryx;key=1']) expect(report).toContain(text);
  expect(said).toMatch(/\[MESSAGE\] .*"n":\s?7/);
  expect(said).toMatch(/\[TABLE\] .*"rows":\s?2/);
  for (const word of [
    ...shown.filter((one) => !one.includes('=')),
    'impala',
    'oryx',
    'gnu',
    'puku',
  ]) {
    expect(await rig.matches(word), word).toBe(1);
  }
  const [job] = await rig.rig.rows('jobs');
  expect(job).toMatchObject({ question_text: 'a lechwe?\n\nand a puku?' });
});
