import { NO_PLACE } from '../../../../../src/base/next-step.js';
import { expect, it } from 'vitest';
import { counted } from '../../../../../src/base/text/counted.js';
import { aligned } from '../../../../../src/cli/output/aligned.js';
import { exportView, planView } from '../../../../../src/cli/output/reports/export-report.js';
import { viewText, type ViewOptions } from '../../../../../src/cli/output/view.js';
import type { ExportSummary } from '../../../../../src/export/export-summary.js';
import { usersNotFinished } from '../../../../../src/export/export-summary.js';
import { paintOf, withColours } from '../../../../../src/cli/output/terminal.js';
import { gapIn, summaryOf } from '../../../../support/tables/export-summaries.js';
import { testTerminal } from '../../../../support/programs/test-terminal.js';
import { fault } from '../../../../support/base/fault.js';

function exportReport(
  summary: ExportSummary,
  ending: Parameters<typeof exportView>[1] = {},
  options: ViewOptions = {},
): string {
  const place = { ...NO_PLACE, archive: summary.archive };
  return viewText(exportView(summary, ending), { place, ...options });
}

it('the report of an export shows what was archived, in lines of the same shape', () => {
  const empty = summaryOf();
  const report = exportReport({
    ...empty,
    commits: [4, 5, 6],
    jobs: { archived: 1200, unchanged: 0 },
    duration_ms: 200_000,
    rows: { jobs: 1200, blocks: 9000 },
    users: {
      ...usersNotFinished(0),
      total: 6,
      complete: 2,
      failed: 1,
      with_gaps: 1,
      not_finished: 2,
    },
    artifacts: { ...empty.artifacts, stored: 17, reused: 3, suspicious: 2, bytes: 1_400_000 },
    sessions: { listed: 152, new: 2, changed: 0, unchanged: 150, failed: 0 },
    newly_gone_sessions: 3,
    suspicious_files: 2,
    requests: { api: 12, files: 7, retries: 0, rate_limited: 1 },
  });
  expect(report.split('\n')).toEqual([
    'Complete after 3 m 20 s: 1,200 versions of questions archived in out (commits 4 to 6)',
    '',
    '  users              6  2 complete, 1 with gaps, 1 failed, 2 not finished',
    '  conversations    152  2 new, 150 unchanged, 3 gone from the service',
    '  versions       1,200  10,200 rows in 2 tables',
    '  files             20  17 stored (1.4 MB), 3 reused, 2 of these suspicious',
    '  requests          19  12 to the service, 7 to file hosts, 1 rate limited',
    '  gaps               0  nothing is missing',
    '',
    "Suspicious: 2 files stored as the service sent them, with doubtful content: empty, an error message, not what the type says, or a picture that had the same bytes as others when it was fetched, also where these were erased since; so until the service sends others. They are listed, with reasons, by jobvault query out 'SELECT user_id, session_id, job_id, name, suspicious FROM current_artifacts WHERE suspicious IS NOT NULL'",
    '',
  ]);
});

it('the report of an export that ended early adds up, and says which files it knows of', () => {
  const empty = summaryOf();
  const report = exportReport({
    ...empty,
    status: 'interrupted',
    artifacts: { ...empty.artifacts, stored: 1, suspicious: 1 },
    sessions: { listed: 5, new: 1, changed: 1, unchanged: 1, failed: 0 },
  });
  expect(report).toContain('conversations  5  1 new, 1 changed, 1 unchanged, 2 not checked\n');
  expect(report).toContain('\nSuspicious, of this run: 1 file stored as the service sent it');
});

it.each([
  ['complete', 'Complete after '],
  ['gaps', 'Finished with gaps after '],
] as const)(
  'the report of an export of a run that is %s begins with "%s"',
  fault('F-69'),
  (status, beginning) => {
    expect(exportReport(summaryOf({ status }))).toMatch(
      new RegExp(
        `^${beginning}0 ms: 0 versions of questions archived in out \\(nothing committed\\)\n`,
      ),
    );
  },
);

it('a run that found nothing new says how many jobs are archived, of how many users', () => {
  const jobs = { archived: 0, unchanged: 46 };
  const users = { ...usersNotFinished(0), total: 1, complete: 1 };
  expect(exportReport(summaryOf({ jobs, users })).split('\n')[0]).toBe(
    'Nothing new after 0 ms: 46 questions of 1 user unchanged in out (nothing committed)',
  );
  const decided = summaryOf({ jobs, users, status: 'incomplete-by-decision' });
  expect(exportReport(decided).split('\n')[0]).toBe(
    'Not complete, by decision, and nothing new after 0 ms: 46 questions of 1 user unchanged in out (nothing committed)',
  );
  const part = exportReport(summaryOf({ jobs, users, part: 'sessions' })).split('\n')[0];
  expect(part).toBe(
    'Read in part after 0 ms: 0 versions of questions archived in out (nothing committed)',
  );
  expect(exportReport(summaryOf({ jobs, status: 'gaps' }))).toMatch(/^Finished with gaps after/);
  const rows = { jobs: 1 };
  expect(exportReport(summaryOf({ jobs: { archived: 1, unchanged: 45 }, rows }))).toMatch(
    /^Complete after 0 ms: 1 version of questions archived in out/,
  );
  // a session has another name, or a dataset was read
  expect(exportReport(summaryOf({ jobs, rows: { sessions: 1 } }))).toMatch(
    /^Complete after 0 ms: 0 versions of questions archived in out/,
  );
});

it('the report counts nobody as complete whom a run that only tried gaps again did not read', () => {
  const users = { ...usersNotFinished(0), total: 30, complete: 8, failed: 1, not_read: 21 };
  const lines = (status: 'complete' | 'gaps') =>
    exportReport(summaryOf({ part: 'gaps', users, status, commits: [5] })).split('\n');
  expect(lines('complete').slice(0, 3)).toEqual([
    'Gaps read again after 0 ms: 9 of 30 users read, 0 versions of questions archived in out (commit 5)',
    '',
    '  users          30  8 complete, 1 failed, 21 not read, without a known gap',
  ]);
  expect(lines('complete').join('\n')).toContain('none so far; the run did not check everything');
  expect(lines('gaps')[0]).toBe(
    'Finished with gaps after 0 ms: 9 of 30 users read, 0 versions of questions archived in out (commit 5)',
  );
});

it('the report of an export of a run of some sessions says that it has read a part', () => {
  const users = { ...usersNotFinished(0), total: 1, partly: 1 };
  const report = exportReport(summaryOf({ part: 'sessions', users })).split('\n');
  expect(report.slice(0, 3)).toEqual([
    'Read in part after 0 ms: 0 versions of questions archived in out (nothing committed)',
    '',
    '  users          1  1 read in part',
  ]);
});

it.each([
  ['interrupted', 'Interrupted'],
  ['failed', 'Failed'],
] as const)(
  'the report of an export of a run that is %s begins with the reason',
  fault('F-69'),
  (status, word) => {
    const report = exportReport(summaryOf({ status }), {
      reason: 'the\u001b key\nhas expired',
    });
    expect(report.split('\n').slice(0, 3)).toEqual([
      `${word} after 0 ms: the\\u001b key has expired`,
      '0 versions of questions archived in out (nothing committed)',
      '',
    ]);
  },
);

it('points out users of whom no session was ever listed, the first five by name', () => {
  const report = (...users: string[]) =>
    exportReport(summaryOf({ never_seen: users, newly_never_seen: users }));
  expect(report()).not.toContain('never seen');
  expect(report('ada', 'b\u001b')).toMatch(
    /\n {2}never seen +2 {2}no conversation of ada, b\\u001b; is the id right\?\n/,
  );
  expect(report('a', 'b', 'c', 'd', 'e', 'f', 'g')).toContain('of a, b, c, d, e and 2 more; is');
  expect(report('ada')).toContain('nothing is missing of the users who have conversations');
});

it(
  'the report says that nothing is missing only of a run that went through everything',
  fault('F-69'),
  () => {
    const budget = {
      max_requests: 5,
      max_duration_ms: null,
      max_staleness_ms: 1000,
      requests: 5,
      checked: 3,
      left: { users: 1, sessions: 12 },
      listed: 2,
      first: 3,
      lap: { number: 4, began_at: '2026-11-05T12:00:00.000Z' },
      overdue: false,
    };
    const cutOff = exportReport(summaryOf({ status: 'not_all_read', budget }));
    expect(cutOff.split('\n').slice(0, 2)).toEqual([
      'Stopped by its budget after 0 ms: 1 user not listed, 12 conversations not checked',
      '0 versions of questions archived in out (nothing committed)',
    ]);
    const early = (['interrupted', 'failed'] as const).map((status) =>
      exportReport(summaryOf({ status })),
    );
    for (const report of [cutOff, ...early]) {
      expect(report).not.toContain('nothing is missing');
      expect(report).toContain('none so far; the run did not check everything');
    }
    const left = { users: 0, sessions: 0 };
    expect(exportReport(summaryOf({ budget: { ...budget, left } }))).toMatch(/nothing is missing/);
  },
);

it('the report of an export says what to do unless the error that follows says it', () => {
  const told = (isNextStepShown: boolean) =>
    exportReport(summaryOf({ status: 'failed', gaps: [gapIn({ user: 'ann' })] }), {
      isNextStepShown,
    });
  expect(told(false)).toMatch(
    /\n\nAll gaps of a user: jobvault status out --user ann\nNext: run the same command again, it continues where this one ended; jobvault verify out checks the archive\.\n$/,
  );
  expect(told(true)).toMatch(/\n\nAll gaps of a user: jobvault status out --user ann\n$/);
});

it('the report of an export names the list of all gaps where they are of several users', () => {
  const gaps = [gapIn({ user: 'ann' }), gapIn({ user: 'ben' })];
  const told = exportReport(summaryOf({ status: 'failed', gaps }), {
    isNextStepShown: true,
  });
  expect(told).toMatch(/\n\nAll gaps: jobvault gap list out\n$/);
});

it('the report of an export has lines for a shell, which open the archive as the run did', () => {
  const gaps = [gapIn({ user: "o'neil" })];
  const place = { ...NO_PLACE, archive: './out', options: ['--config', 'etc/store.yaml'] };
  const told = exportReport(summaryOf({ status: 'failed', gaps }), {}, { place });
  expect(told).toContain(
    String.raw`All gaps of a user: jobvault status ./out --config etc/store.yaml --user 'o'\''neil'`,
  );
  expect(told).toContain('; jobvault verify ./out --config etc/store.yaml checks the archive.\n');
});

it('the report of an export names one commit, and no rows as nothing new', () => {
  const report = exportReport(summaryOf({ commits: [7] }));
  expect(report).toContain('(commit 7)');
  expect(report).toContain('  versions       0  nothing new\n');
});

it('groups gaps by what is the matter, with an example each, the most first', () => {
  const gaps = [
    gapIn({ status: 'refused', reason: 'no\npermission' }),
    gapIn({ session: 's', job: 'j', block_index: 0, kind: 'TABLE', status: 'missing' }),
    gapIn({ session: 's', job: 'j', block_index: 2, kind: null, status: 'missing' }),
    ...Array.from({ length: 10 }, () => gapIn({ session: 's', status: 'incomplete' })),
  ];
  const lines = exportReport(summaryOf({ gaps, status: 'gaps' })).split('\n');
  expect(lines.slice(-10)).toEqual([
    '  gaps           13  2 of files, 11 of lists and histories; see below',
    '',
    '  gap         count  for example',
    '  incomplete     10  user ada, session s: it broke',
    '  missing         2  user ada, session s, job j, block 0 (TABLE): it broke',
    '  refused         1  user ada: no permission',
    '',
    'All gaps of a user: jobvault status out --user ada',
    expect.stringMatching(/^Next: jobvault export --retry-gaps, .* fetches only what is missing/),
    '',
  ]);
});

it('the report of an export is coloured where that is wanted, and says the same', () => {
  const wanted = testTerminal({ isTTY: true });
  const summary = summaryOf({ status: 'gaps', gaps: [gapIn()] });
  const report = withColours(exportReport(summary, {}, { paint: paintOf(wanted) }));
  expect(report).toContain('\u001b[33mFinished with gaps after ');
  // eslint-disable-next-line no-control-regex
  expect(report.replace(/\u001b\[\d+m/g, '')).toBe(exportReport(summary));
  const unwanted = testTerminal({ isTTY: true, environment: { NO_COLOR: '1' } });
  expect(exportReport(summary, {}, { paint: paintOf(unwanted) })).toBe(exportReport(summary));
});

it('the report of an export lets no id from the service steer the terminal', fault('F-65'), () => {
  const report = exportReport(summaryOf({ gaps: [gapIn({ session: 's\u001b[2J' })] }));
  expect(report).toContain('session s\\u001b[2J');
});

it('a dry run says that it wrote nothing, and what there is', () => {
  const plan = {
    dry_run: true as const,
    users: 2,
    never_seen: [],
    newly_never_seen: [],
    vanished: [],
    newly_vanished: [],
    unknown: [],
    failed: 1,
    unproven: 0,
    sessions: { listed: 5, archived: 3 },
    jobs: { announced: 40, archived: 30 },
  };
  expect(viewText(planView(plan))).toBe(
    'Dry run: nothing was written\n' +
      '  users          2 requested, 1 failed\n' +
      '  conversations  5 listed, 3 of them in the archive\n' +
      '  questions      40 announced, 30 in the archive\n',
  );
});

it('one is singular, every other number plural', () => {
  expect([0, 1, 2, 1234567].map((count) => counted(count, 'job'))).toEqual([
    '0 jobs',
    '1 job',
    '2 jobs',
    '1,234,567 jobs',
  ]);
});

it('no lines are aligned to nothing', () => {
  expect(aligned([])).toBe('');
});
