import { describe, expect, it } from 'vitest';
import { aligned, counted } from '../../../src/cli/aligned.js';
import { exportReport } from '../../../src/cli/export-report.js';
import { planReport } from '../../../src/cli/plan-report.js';
import { gapIn, summaryOf } from '../../support/export-summaries.js';

describe('the report of an export', () => {
  it('tells what was archived, in lines of the same shape', () => {
    const empty = summaryOf();
    const report = exportReport({
      ...{ ...empty, commits: [4, 5, 6], jobs: { archived: 1200 }, duration_ms: 200_000 },
      ...{ rows: { jobs: 1200, blocks: 9000 }, users: { total: 3, complete: 2, failed: 1 } },
      artifacts: { ...empty.artifacts, stored: 17, reused: 3, bytes: 1_400_000 },
    });
    expect(report.split('\n')).toEqual([
      'Complete: 1,200 jobs archived in out (commits 4 to 6)',
      '  users     3 asked for, 2 complete, 1 failed',
      '  sessions  0 listed: 0 new, 0 changed, 0 unchanged, 0 failed',
      '  rows      1200 jobs, 9000 blocks',
      '  files     17 stored (1.4 MB), 3 reused',
      '  requests  0 to the service, 0 to file hosts, 0 retries, 0 rate limited',
      '  time      3 m 20 s',
      '  gaps      none',
      '',
    ]);
  });

  it.each([
    ['complete', 'Complete: '],
    ['gaps', 'Finished with gaps: '],
    ['interrupted', 'Interrupted, what was ready is saved: '],
    ['failed', 'Failed, what was ready is saved: '],
  ] as const)('of a run that is %s begins with "%s"', (status, beginning) => {
    expect(exportReport(summaryOf({ status }))).toMatch(
      new RegExp(`^${beginning}0 jobs archived in out \\(nothing committed\\)\n`),
    );
  });

  it('names one commit, and no rows as nothing new', () => {
    const report = exportReport(summaryOf({ commits: [7] }));
    expect(report).toContain('(commit 7)');
    expect(report).toContain('rows      nothing new\n');
  });

  it('says of each gap where it is and why', () => {
    const gaps = [
      gapIn({ status: 'refused', reason: 'no permission' }),
      gapIn({ session: 's', status: 'incomplete' }),
      gapIn({ session: 's', job: 'j', block_index: 0, kind: 'TABLE', status: 'missing' }),
      gapIn({ session: 's', job: 'j', block_index: 2, kind: null, status: 'expired' }),
    ];
    const lines = exportReport(summaryOf({ gaps, status: 'gaps' })).split('\n');
    expect(lines.slice(-7)).toEqual([
      '  gaps      4:',
      '    user ada: refused: no permission',
      '    user ada, session s: incomplete: it broke',
      '    user ada, session s, job j, block 0 (TABLE): missing: it broke',
      '    user ada, session s, job j, block 2: expired: it broke',
      'The next export tries again what is missing.',
      '',
    ]);
  });

  it('tells ten gaps and counts the rest', () => {
    const gaps = (count: number) => Array.from({ length: count }, () => gapIn());
    expect(exportReport(summaryOf({ gaps: gaps(10) }))).not.toContain('more');
    const report = exportReport(summaryOf({ gaps: gaps(12) }));
    expect(report.match(/it broke/g)).toHaveLength(10);
    expect(report).toMatch(/\n {4}… and 2 more: --json lists them all\n$/);
  });

  it('lets no id from the service steer the terminal', () => {
    const report = exportReport(summaryOf({ gaps: [gapIn({ session: 's\u001b[2J' })] }));
    expect(report).toContain('session s\uFFFD[2J');
  });
});

it('a dry run says that it wrote nothing, and what there is', () => {
  const plan = {
    ...{ users: 2, failed: 1, sessions: { listed: 5, archived: 3 } },
    jobs: { announced: 40, archived: 30 },
  };
  expect(planReport(plan as Parameters<typeof planReport>[0])).toBe(
    'Dry run: nothing was written\n' +
      '  users     2 asked for, 1 failed\n' +
      '  sessions  5 listed, 3 of them in the archive\n' +
      '  jobs      40 announced, 30 in the archive\n',
  );
});

it('one is singular, every other number plural', () => {
  expect([0, 1, 2, 1234567].map((count) => counted(count, 'job'))).toEqual([
    ...['0 jobs', '1 job', '2 jobs', '1,234,567 jobs'],
  ]);
});

it('no lines are aligned to nothing', () => {
  expect(aligned([])).toBe('');
});
