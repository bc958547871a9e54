import { expect, it } from 'vitest';
import { conversationText as pieces } from '../../../../src/cli/output/conversation-text.js';
import { jobWith } from '../../../../src/archive/reading/rows/session-rows.js';
import { answerOf, recordOf, rowsOf, STORED } from '../../../support/tables/flattened-job.js';
import { fault } from '../../../support/base/fault.js';

const conversationText = (conversation: Parameters<typeof pieces>[0]): string =>
  [...pieces(conversation)].join('');

const SESSION = { session_id: 's', user_id: 'u', name: 'Sales' };

function shownJob(record: ReturnType<typeof recordOf>, changes: Parameters<typeof rowsOf>[2] = {}) {
  const [job] = rowsOf('jobs', record, changes);
  const [blocks, artifacts] = ['blocks', 'artifacts'].map((name) => rowsOf(name, record, changes));
  return jobWith(job!, { blocks: blocks!, artifacts: artifacts! });
}

const textOf = (record: ReturnType<typeof recordOf>, changes: Parameters<typeof rowsOf>[2] = {}) =>
  conversationText({ session: SESSION, jobs: [shownJob(record, changes)] });

it('a conversation begins with its name and its user', () => {
  expect(conversationText({ session: SESSION, jobs: [] })).toBe('Sales\nsession s, user u\n');
  expect(conversationText({ session: { session_id: 's', user_id: 'u' }, jobs: [] })).toMatch(
    /^\(no name\)\n/,
  );
});

it('a conversation says where nothing shows the order of its questions', () => {
  const [row = {}] = rowsOf('jobs', answerOf());
  const asked = (times: readonly (bigint | null)[], numbers = [...times.keys()]) =>
    conversationText({
      session: SESSION,
      jobs: times.map((created_at, at) => {
        return jobWith({ ...row, created_at, job_index: numbers[at] ?? null });
      }),
    });
  const head = 'Sales\nsession s, user u\nthe order of its questions is not known: their ';
  const noTimes = `${head}ids have no times that show it\n`;
  const contradicted = `${head}numbers (job_index) repeat, or contradict the times in their ids\n`;
  expect(asked([null, null]).startsWith(noTimes)).toBe(true);
  expect(asked([1n, null]).startsWith(noTimes)).toBe(true);
  expect(asked([2n, null, 1n]).startsWith(contradicted)).toBe(true);
  expect(asked([1n, null, 2n], [0, 1, 1]).startsWith(contradicted)).toBe(true);
  for (const known of [[null], [1n, null, 2n], [1n, 1n]]) {
    expect(asked(known)).not.toContain('order');
  }
});

it('the text counts steps as the report does: consecutive blocks of one group are one', () => {
  const block = (type: string, group: string) => ({
    ...{ type, content: 'x', stage: 'Analyze' },
    ...{ group_id: group, group_name: `Step ${group}` },
  });
  const record = recordOf(
    JSON.stringify({
      question: { blocks: [] },
      answer: { blocks: [block('MESSAGE', 'a'), block('CODE', 'a'), block('CODE', 'b')] },
    }),
  );
  expect(textOf(record)).toContain('\n[2 steps of analysis]\n');
});

it('a conversation shows question and answer, and counts the steps between', () => {
  const record = recordOf(
    JSON.stringify({
      question: { blocks: [{ type: 'MESSAGE', content: 'Why?' }] },
      answer: {
        blocks: [
          { type: 'MESSAGE', content: 'thinking', stage: 'Analyze' },
          { type: 'MESSAGE', content: 'Because.', stage: 'Respond' },
          { type: 'CODE', content: 'x = 1', stage: 'Respond' },
          { type: 'SOURCES', content: [{ source: 'sales.csv', file_type: 'csv' }] },
          { type: 'SOURCES', content: [{ id: 7 }] },
          { type: 'QUESTIONS', content: ['More?'] },
        ],
      },
    }),
  );
  const text = textOf(record, { jobVersion: 2 });
  expect(text).toContain(
    '\nj, version 2, time unknown\n\nQ: Why?\n\n[1 step of analysis]\n\nBecause.\n',
  );
  expect(text).toContain(
    '\n[CODE]\nx = 1\n\n[SOURCES]\n- sales.csv\n\n[SOURCES]\n- {"id":7}\n\n[QUESTIONS]\n- More?\n',
  );
  expect(text).not.toContain('thinking');
});

it("a conversation shows a source's cited passage, or a long one's beginning, and page", () => {
  const source = (content: string | null, page_no: number | null = null) => ({
    ...{ source: 'terms.pdf', content, page_no },
  });
  const content = [
    source('the osprey\n  clause', 4),
    source(null, 2),
    source(`${'x'.repeat(499)}🎉`),
    source('y'.repeat(501)),
  ];
  expect(textOf(answerOf(JSON.stringify({ type: 'SOURCES', content })))).toContain(
    [
      '\n[SOURCES]',
      '- terms.pdf, page 4: “the osprey clause”',
      '- terms.pdf, page 2',
      `- terms.pdf: “${'x'.repeat(499)}…” (--json has the whole)`,
      `- terms.pdf: “${'y'.repeat(500)}…” (--json has the whole)\n`,
    ].join('\n'),
  );
});

it('a conversation shows when a job was made if that is known', () => {
  const jobId = 'job-cm3ikdeuj02zk01l1yeuirt77' as never;
  expect(textOf(answerOf(), { jobId })).toContain(`${String(jobId)}, 2024-11-15T09:56:06Z\n`);
  expect(textOf(answerOf())).toContain('─\nj, time unknown\n\nQ: (no text)\n');
});

it('a conversation shows the bounds of a time known only from the jobs around it', () => {
  const at = BigInt(Date.UTC(2026, 7, 1)) * 1000n;
  const textOfJob = (job: object) =>
    conversationText({
      session: SESSION,
      jobs: [jobWith({ job_id: 'j', ...job })],
    });
  const [after, before] = [{ created_after: at }, { created_before: at }];
  expect(textOfJob(after)).toContain('\nj, after 2026-08-01T00:00:00Z\n');
  expect(textOfJob(before)).toContain('\nj, before 2026-08-01T00:00:00Z\n');
  expect(textOfJob({ ...after, ...before })).toContain(
    '\nj, between 2026-08-01T00:00:00Z and 2026-08-01T00:00:00Z\n',
  );
});

it('a conversation shows where each file is, or why it is lost', () => {
  const record = answerOf(
    '{"type":"TABLE","content":{"name":"sales.csv","url":"u"}}',
    '{"type":"IMAGE","content":"v"}',
  );
  const lost = { status: 'expired', reason: 'its URL had run out' } as const;
  const text = textOf(record, {
    files: new Map([
      ['answer/0/0', STORED],
      ['answer/1/0', lost],
    ]),
  });
  expect(text).toContain('[TABLE] sales.csv → artifacts/ab/abc.csv\n');
  expect(text).toContain('[IMAGE] v → expired: its URL had run out\n');
});

it('a conversation cannot steer the terminal', fault('F-65'), () => {
  const record = answerOf(
    JSON.stringify({ type: 'MESSAGE', content: 'a\u001b]0;title\u0007\u009b2Jb\r\n\tc\u007f' }),
  );
  const text = conversationText({
    session: { ...SESSION, name: '\u001b[31mred' },
    jobs: [shownJob(record)],
  });
  expect(text).toContain('a\\u001b]0;title\\u0007\\u009b2Jb\n\tc\\u007f\n');
  expect(text).not.toMatch(/(?![\n\t])\p{Cc}/u);
});

it('the text says where there is no answer: an empty place looks like one that was lost', () => {
  const asked = (blocks: readonly object[]) =>
    textOf(
      recordOf(
        JSON.stringify({
          question: { blocks: [{ type: 'MESSAGE', content: 'Why?' }] },
          ...(blocks.length > 0 && { answer: { blocks } }),
        }),
      ),
    );
  const block = (content: string, stage?: string) => ({ type: 'MESSAGE', content, stage });
  expect(asked([])).toContain('\n(no answer in this archive)\n');
  expect(asked([block('thinking', 'Analyze')])).toContain(
    '\n[1 step of analysis]\n\n(no answer in this archive; the steps, which --json has, may say why)\n',
  );
  expect(asked([block('Because.', 'Respond')])).not.toContain('no answer');
  expect(asked([block('Because.')])).toContain(
    '\nBecause.\n\n(no answer in this archive: nothing of it is a text, a table or an image in the stage Respond)\n',
  );
});
