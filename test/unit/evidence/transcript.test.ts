/** A transcript is a text: nothing that the service sent may pass for a line of ours. */
import { expect, it } from 'vitest';
import { transcriptJob, type TranscribedJob } from '../../../src/evidence/transcript.js';

const NO_TIMES = { createdAt: null, createdAfter: null, createdBefore: null };

function transcript(
  question: string | null,
  answer: string | null,
  fileName: string,
  more: Partial<TranscribedJob> & { readonly times?: Partial<TranscribedJob['fact']> } = {},
): string {
  const fact = { question, answer, ...NO_TIMES, ...more.times } as TranscribedJob['fact'];
  const file = { type: 'TABLE', name: fileName, status: 'stored', reason: null, doubt: null };
  return transcriptJob({
    job: 'job-1',
    place: 3,
    isUndated: false,
    redaction: null,
    code: [],
    entries: [],
    isSettled: true,
    versions: 1,
    fact,
    record: { packPath: 'records/000001.json', number: 2, offset: 40 },
    matchedIn: [],
    files: [
      {
        fact: file as TranscribedJob['files'][number]['fact'],
        packPath: 'artifacts/a.csv',
      },
    ],
    ...more,
  });
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

it.each([
  [{ createdAt: '2026-05-17T00:24:50.304000Z' }, 'asked 2026-05-17 00:24 UTC, as its id tells'],
  [
    { createdAfter: '2026-05-17T00:12:00.000000Z', createdBefore: '2026-05-17T00:24:50.304000Z' },
    'asked between 2026-05-17 00:12 UTC and 2026-05-17 00:24 UTC, as the questions before and after it in the conversation tell',
  ],
  [
    { createdBefore: '2026-05-17T00:12:00.000000Z' },
    'asked before 2026-05-17 00:12 UTC, as the questions before and after it in the conversation tell',
  ],
  [
    { createdAfter: '2026-05-17T00:12:00.000000Z' },
    'asked after 2026-05-17 00:12 UTC, as the questions before and after it in the conversation tell',
  ],
])('says when a job was asked, and how that is known: %j', (times, line) => {
  expect(transcript('a', 'b', 'c', { times }).split('\n')[3]).toBe(line);
});

it('says of a job whether it may be outside the period, and shows the code it was found in', () => {
  const code = [{ kind: 'code' as const, name: 'sql', text: 'SELECT 1\nFROM t' }];
  const text = transcript('a', 'b', 'c', { isUndated: true, code, matchedIn: ['code'] });
  expect(text.split('\n').slice(2)).toEqual([
    'question 3 of the conversation, job-1',
    'nothing tells whether it was asked within the period',
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
  const entries = [
    { kind: 'source', text: 'Handbook.pdf, page 7', passage: 'the revenue\nof May' },
    { kind: 'source', text: 'sales.csv', passage: null },
    { kind: 'question', text: 'And in\nJune?', passage: null },
  ] as const;
  const lines = transcript('a', 'b', 'c', { entries }).split('\n');
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
  const table = (name: string, sha: string, bytes: number, doubt: string | null) => ({
    fact: {
      ...{ type: 'TABLE', name, status: 'stored', reason: null, doubt },
      file: { path: `artifacts/${sha}.csv`, sha256: sha, bytes },
    } as TranscribedJob['files'][number]['fact'],
    packPath: `artifacts/${sha}.csv`,
  });
  const lost = { ...table('lost.csv', 'd', 1, null).fact, file: null, status: 'missing' };
  const files = [
    table('sales.csv', 'a', 9, null),
    table('nothing.csv', 'b', 0, 'an empty file'),
    table('sales.csv', 'a', 9, null),
    table('login.csv', 'c', 7, 'a web page, possibly a login page'),
    { fact: { ...lost, reason: 'answered 404' }, packPath: null },
    { fact: { ...lost, name: 'had.csv', status: 'lost', reason: 'it is gone' }, packPath: null },
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
