/** A transcript is a text: nothing that the service sent may pass for a line of ours. */
import { expect, it } from 'vitest';
import { transcriptJob, type TranscribedJob } from '../../../src/evidence/transcript.js';
import type { MadeJob } from '../../../src/making/conversations.js';
import type { Row } from '../../../src/model/table-schema.js';
import { parseTimestamp } from '../../../src/model/times/timestamp.js';

const NO_TIMES = { created_at: null, created_after: null, created_before: null };
const NO_ROWS = { blocks: [], sources: [], proposed_questions: [], earlier: [] };
const NOTHING_FOUND = { isUndated: false, redaction: null, matchedIn: [] };

/** @param file its row of the table `artifacts`, beside what every such row here has */
function fileOf(file: Row, packPath: string | null): TranscribedJob['files'][number] {
  const all = { kind: 'TABLE', status: 'stored', reason: null, suspicious: null, bytes: 9n };
  return { row: { ...all, ...file }, packPath } as unknown as TranscribedJob['files'][number];
}

function transcript(
  question: string | null,
  answer: string | null,
  fileName: string,
  {
    times,
    files,
    ...made
  }: Partial<MadeJob> & { times?: Row } & Partial<Pick<TranscribedJob, 'files'>> = {},
): string {
  const job = { question_text: question, answer_text: answer, ...NO_TIMES, ...times };
  return transcriptJob({
    plan: { job: 'job-1', place: 3, state: { settled: true } },
    made: { job, ...NO_ROWS, ...NOTHING_FOUND, ...made },
    record: { packPath: 'records/000001.json', number: 2, offset: 40 },
    files: files ?? [fileOf({ name: fileName }, 'artifacts/a.csv')],
  } as unknown as TranscribedJob);
}

it('indents what was asked and answered, so that no answer looks like another job', () => {
  const forged = `Fine.\n\n${'-'.repeat(72)}\nquestion 4 of the conversation, job-2\r\nQUESTION\nWho?`;
  const lines = transcript('How\nmany?', forged, 'a.csv').split('\n');
  expect(lines.filter((line) => line === '-'.repeat(72))).toHaveLength(1);
  expect(lines.filter((line) => line.startsWith('question '))).toEqual([
    'question 3 of the conversation, job-1',
  ]);
  expect(lines.filter((line) => line === 'QUESTION')).toHaveLength(1);
  expect(lines.slice(5, 8)).toEqual(['QUESTION', '    How', '    many?']);
  expect(lines).toContain('    QUESTION');
});

it('shows as its escape what turns a line around or steers a terminal; names on one line', () => {
  const text = transcript('a\u001b[2Jb', 'c\u2028d\rQUESTION', 'x\u202efdp.\nANSWER');
  expect(text).toContain('    a\\u001b[2Jb\n');
  expect(text.split('\n').filter((line) => line.startsWith('QUESTION'))).toHaveLength(1);
  expect(text).toContain('TABLE "x\\u202efdp. ANSWER": data/artifacts/a.csv\n');
  for (const mark of ['\u001b', '\u2028', '\r', '\u202e']) expect(text).not.toContain(mark);
});

const AT = '2026-05-17T00:24:50.304Z';
const BEFORE = '2026-05-17T00:12:00Z';

it.each([
  [{ created_at: AT }, 'asked 2026-05-17 00:24 UTC, as its id tells'],
  [
    { created_after: BEFORE, created_before: AT },
    'asked between 2026-05-17 00:12 UTC and 2026-05-17 00:24 UTC, as the questions before and after it in the conversation tell',
  ],
  [
    { created_before: BEFORE },
    'asked before 2026-05-17 00:12 UTC, as the questions before and after it in the conversation tell',
  ],
  [
    { created_after: BEFORE },
    'asked after 2026-05-17 00:12 UTC, as the questions before and after it in the conversation tell',
  ],
])('says when a job was asked, and how that is known: %j', (times, line) => {
  const micros = Object.entries(times).map(([name, at]) => [name, parseTimestamp(at) ?? null]);
  const rows = { times: Object.fromEntries(micros) as Row };
  expect(transcript('a', 'b', 'c', rows).split('\n')[3]).toBe(line);
});

it('says of a job whether it may be outside the period, and shows the code it was found in', () => {
  const code = { type: 'CODE', code_language: 'sql', content_text: 'SELECT 1\nFROM t' };
  const blocks = [code] as unknown as MadeJob['blocks'];
  const text = transcript('a', 'b', 'c', { isUndated: true, blocks, matchedIn: ['code'] });
  expect(text.split('\n').slice(2)).toEqual([
    'question 3 of the conversation, job-1',
    'no dated question beside it tells whether it was asked within the period',
    'record: number 2 in data/records/000001.json',
    'found in: code',
    '',
    'QUESTION',
    '    a',
    '',
    'CODE (sql)',
    '    SELECT 1',
    '    FROM t',
    '',
    'ANSWER',
    '    b',
    '',
    'FILES',
    'TABLE "c": data/artifacts/a.csv',
    '',
  ]);
});

it('says where there is no text', () => {
  expect(transcript(null, '', 'a')).toContain('QUESTION\n(no text)\n\nANSWER\n\n');
});

it('shows the sources and proposed questions of a job, each on a line of its own', () => {
  const lines = transcript('a', 'b', 'c', {
    sources: [
      { source: 'sales.csv', page_no: null, content: null, block_index: 2 },
      { source: 'Handbook.pdf', page_no: 7, content: 'the revenue\nof May', block_index: 1 },
    ] as unknown as MadeJob['sources'],
    proposed_questions: [{ question: 'And in\nJune?' }] as unknown as MadeJob['proposed_questions'],
  }).split('\n');
  expect(lines.slice(lines.indexOf('SOURCES') - 1, lines.indexOf('FILES'))).toEqual([
    '',
    'SOURCES',
    '    - Handbook.pdf, page 7: “the revenue of May”',
    '    - sales.csv',
    '',
    'SUGGESTED FOLLOW-UP QUESTIONS',
    '    - And in June?',
    '',
  ]);
});

it('names each file once, what is doubtful about it, and no empty table to look in', () => {
  const files = [
    fileOf({ name: 'sales.csv' }, 'artifacts/a.csv'),
    fileOf({ name: 'nothing.csv', bytes: 0n, suspicious: 'an empty file' }, 'artifacts/b.csv'),
    fileOf({ name: 'sales.csv' }, 'artifacts/a.csv'),
    fileOf(
      { name: 'login.csv', suspicious: 'a web page, possibly a login page' },
      'artifacts/c.csv',
    ),
    fileOf({ name: 'lost.csv', status: 'missing', reason: 'answered 404' }, null),
    fileOf({ name: 'had.csv', status: 'lost', reason: 'it is gone' }, null),
  ];
  const lines = transcript('a', 'b', 'c', { matchedIn: ['table'], files }).split('\n');
  const login =
    'TABLE "login.csv": data/artifacts/c.csv (stored, but doubtful: a web page, possibly a login page)';
  expect(lines.filter((line) => line.startsWith('table t'))).toEqual([
    'table to look in: TABLE "sales.csv": data/artifacts/a.csv',
    `table to look in: ${login}`,
    'table that may have had them: TABLE "had.csv": NOT IN THE PACK, lost: it is gone',
  ]);
  expect(lines.slice(lines.indexOf('FILES') + 1)).toEqual([
    'TABLE "sales.csv": data/artifacts/a.csv',
    'TABLE "nothing.csv": data/artifacts/b.csv (stored, but doubtful: an empty file)',
    login,
    'TABLE "lost.csv": NOT ARCHIVED, missing: answered 404',
    'TABLE "had.csv": NOT IN THE PACK, lost: it is gone',
    '',
  ]);
});
