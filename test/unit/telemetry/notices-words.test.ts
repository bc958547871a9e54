import { describe, expect, it } from 'vitest';
import { lastRunIn, metricsText } from '../../../src/telemetry/metrics.js';
import { pingAddress, webhookMessage, reportText } from '../../../src/telemetry/notices.js';
import type { RunReport } from '../../../src/telemetry/run-report.js';
import { fault } from '../../support/base/fault.js';

const report = (changes: Partial<RunReport> = {}): RunReport => ({
  command: 'export',
  archive: './a "b"\\c',
  host: 'h"1',
  config: null,
  scope: 'all',
  run: '01K',
  outcome: 'gaps',
  exitCode: 3,
  error: null,
  startedAtMs: 1_000,
  durationMs: 61_000,
  version: '0.1.0',
  counts: { jobs: 12, gaps: { expired: 2, missing: 0, refused: 1 } },
  ...changes,
});

describe('the address of a ping', () => {
  it.each([
    ['https://hc-ping.com/uuid', 'start', 'https://hc-ping.com/uuid/start'],
    ['https://hc-ping.com/uuid/', 3, 'https://hc-ping.com/uuid/3'],
    ['https://hc-ping.com/uuid', 0, 'https://hc-ping.com/uuid'],
    ['https://host/key/slug?create=1', 130, 'https://host/key/slug/130?create=1'],
  ] as const)('%s for %s is %s', (base, what, address) => {
    expect(pingAddress(new URL(base), what).href).toBe(address);
  });
});

it('a run in words has the command, the archive, how it ended, its gaps and its id', () => {
  expect(reportText(report({ archive: 'out' }))).toBe(
    'jobvault export of out finished with gaps (exit code 3) after 1 m 1 s. ' +
      '12 versions of questions archived, gaps: 2 expired, 1 refused. Run 01K.',
  );
});

it.each([
  [{ newly_never_seen: 1 }, 'New: 1 user has no conversation; is the id right? '],
  [{ newly_vanished: 2 }, 'New: of 2 users the service lists nothing any more. '],
  [{ newly_left_out: 1 }, 'New: 1 user is not on the list any more. '],
  [
    { newly_never_seen: 2, newly_left_out: 3 },
    'New: 2 users have no conversation; are the ids right? 3 users are not on the list any more. ',
  ],
  [{ newly_never_seen: 0, newly_vanished: 0, newly_left_out: 0 }, ''],
])('what is new of users is said as it is counted: %j', (users, said) => {
  const counts = { jobs: 12, users: { total: 9, ...users } };
  expect(reportText(report({ archive: 'out', outcome: 'complete', exitCode: 0, counts }))).toBe(
    `jobvault export of out is complete after 1 m 1 s. 12 versions of questions archived. ${said}Run 01K.`,
  );
});

it('of a run that was interrupted the text says how many users it did not finish', () => {
  const counts = { jobs: 12, users: { total: 9, not_finished: 2 } };
  expect(reportText(report({ outcome: 'interrupted', exitCode: 143, counts }))).toContain(
    '12 versions of questions archived, 2 of 9 users not finished. ',
  );
});

it.each([
  [
    { left: { users: 2, sessions: 6 } },
    'was stopped by its budget',
    '2 users not listed, 6 conversations not checked',
  ],
  [
    { users: { incomplete_by_decision: 1 }, acceptedGaps: 3 },
    'is not complete, by decision,',
    'accepted gaps: 3',
  ],
  [{ users: { total: 9, at_the_cap: 0 } }, 'is complete', ''],
])('a run without open gaps is said as its first line says it: %j', (counts, words, more) => {
  const told = reportText(
    report({ archive: 'out', outcome: 'complete', exitCode: 0, counts: { jobs: 12, ...counts } }),
  );
  const rest = more === '' ? '' : `, ${more}`;
  expect(told).toBe(
    `jobvault export of out ${words} after 1 m 1 s. 12 versions of questions archived${rest}. Run 01K.`,
  );
});

it('users at the cap are said in a sentence of their own, with the command that names them', () => {
  const makesRoom = 'jobvault prune /a --free-slots 11 --dry-run';
  const counts = { jobs: 12, gaps: { failed: 1 }, users: { total: 9, at_the_cap: 2 } };
  expect(reportText(report({ archive: '/a', counts, makesRoom }))).toContain(
    'archived, gaps: 1 failed. 2 users with 140 conversations or more at the service, which keeps 150 and forgets the oldest: jobvault prune /a --free-slots 11 --dry-run names the users, and what makes room. Run',
  );
});

it('a run says how many deletions it has left for the next', () => {
  const deletions = { deleted: 60, refused: 0, left: 940, held: 0 };
  const whole = { outcome: 'complete', exitCode: 0, counts: { deletions } } as const;
  expect(reportText(report({ ...whole, command: 'prune' }))).toContain(
    'is complete after 1 m 1 s. 60 conversations deleted, 940 deletions left for the next run. Run 01K.',
  );
});

it('a run says that deletions were refused, where that alone is its failure', () => {
  const told = (gaps: number) =>
    reportText(
      report({
        ...{ archive: null, outcome: 'failed', exitCode: 7, error: null },
        counts: { jobs: 9, deletions: { deleted: 5, refused: 2 }, gaps: { missing: gaps } },
      }),
    );
  const counts = '9 versions of questions archived, 5 conversations deleted, 2 deletions refused';
  expect(told(0)).toBe(
    `jobvault export has ended, and deletions were refused (exit code 7) after 1 m 1 s. ${counts}. Run 01K.`,
  );
  expect(told(1)).toBe(
    `jobvault export finished with gaps, and deletions were refused (exit code 7) after 1 m 1 s. ${counts}, gaps: 1 missing. Run 01K.`,
  );
});

it.each([
  ['prune', {}, 'was not confirmed, so nothing was deleted', ''],
  [
    'export',
    { jobs: 9, users: { total: 1 }, gaps: { missing: 0 } },
    'has ended, and its deletions were not confirmed',
    '9 versions of questions archived, ',
  ],
  [
    'export',
    { jobs: 9, users: { total: 1 }, gaps: { missing: 1 } },
    'finished with gaps, and its deletions were not confirmed',
    '9 versions of questions archived, ',
  ],
])('what a person has answered no to was not refused: %s %j', (command, counts, words, done) => {
  const declined = { ...counts, declined: 567, deletions: { deleted: 0, refused: 10 } };
  const ended = { archive: null, outcome: 'failed', exitCode: 7, error: null } as const;
  const told = reportText(report({ ...ended, command, counts: declined }));
  expect(told).toContain(`jobvault ${command} ${words} (exit code 7) after 1 m 1 s. ${done}`);
  expect(told).toContain('the answer was no for 567 conversations');
});

it('a drill has restored questions, and archived none', () => {
  const counts = { jobs: 31, sessions: { restored: 10 } };
  const drill = report({ command: 'drill', archive: null, outcome: 'complete', exitCode: 0 });
  expect(reportText({ ...drill, counts })).toContain(' after 1 m 1 s. 31 questions restored. Run ');
});

it('a run in words has what ended it', () => {
  const failed = report({ outcome: 'failed', exitCode: 5, error: 'no answer', counts: {} });
  expect(reportText({ ...failed, archive: null })).toBe(
    'jobvault export failed (exit code 5) after 1 m 1 s: no answer. Run 01K.',
  );
});

it('a run whose list of users is doubtful has failed, and has no gaps', () => {
  const error = 'none of the 3 ids of the list of users is known to the service';
  const doubted = report({ outcome: 'gaps', error, counts: { jobs: 0, doubtfulList: 1 } });
  expect(reportText({ ...doubted, archive: null })).toBe(
    `jobvault export failed (exit code 3) after 1 m 1 s: ${error}. 0 versions of questions archived. Run 01K.`,
  );
});

it('a webhook gets one JSON whose text is escaped as chats read it', () => {
  const told = webhookMessage(report({ archive: '<a&b>' }));
  expect(JSON.parse(told.body)).toMatchObject({
    event: 'run_ended',
    archive: '<a&b>',
    text: expect.stringContaining('&lt;a&amp;b&gt;') as string,
  });
});

it('what a budget has left is named apart from other gaps', () => {
  const counts = { jobs: 2, gaps: { forbidden: 20, incomplete: 1 }, leftGaps: 1 };
  const text = reportText(report({ outcome: 'gaps', exitCode: 3, counts }));
  expect(text).toContain('gaps: 20 forbidden, 1 left by a budget.');
});

it('a webhook gets the rows that a run has committed, and no key where there are none', () => {
  const countsOf = (counts: RunReport['counts']): object => {
    const told = report({ outcome: 'failed', exitCode: 5, counts: { jobs: 2, ...counts } });
    return (JSON.parse(webhookMessage(told).body) as { counts: object }).counts;
  };
  expect(countsOf({ rows: { jobs: 2 } })).toEqual({ jobs: 2, rows: { jobs: 2 } });
  expect(countsOf({ rows: {} })).toEqual({ jobs: 2 });
});

it('a webhook gets the gaps of the archive only of a run that was done with all users', () => {
  const gapsOf = (notFinished: number): object => {
    const users = { total: 2, not_finished: notFinished };
    const counts = { users, gaps: { missing: 1 }, acceptedGaps: 1 };
    const told = report({ outcome: 'failed', exitCode: 6, counts });
    return (JSON.parse(webhookMessage(told).body) as { counts: object }).counts;
  };
  expect(gapsOf(0)).toMatchObject({ gaps: { missing: 1 }, accepted_gaps: 1 });
  expect(gapsOf(1)).toEqual({ users: { total: 2, not_finished: 1 } });
});

it('a webhook gets the status of a run that its budget has stopped, and what is left', () => {
  const body = (changes: Partial<RunReport>, left: Record<string, number>) =>
    JSON.parse(webhookMessage(report({ ...changes, counts: { left } })).body) as object;
  const whole = { outcome: 'complete', exitCode: 0 } as const;
  const left = { users: 1, sessions: 2 };
  expect(body(whole, left)).toMatchObject({ status: 'not_all_read', counts: { left } });
  expect(body(whole, { users: 0, sessions: 0, datasets: 1 })).toMatchObject({
    status: 'not_all_read',
    text: expect.stringContaining('was stopped by its budget') as string,
  });
  expect(body(whole, { users: 0, sessions: 0 })).toMatchObject({ status: 'complete' });
  expect(body({}, left)).toMatchObject({ status: 'not_all_read', counts: { left } });
  const decided = report({ ...whole, counts: { users: { incomplete_by_decision: 1 } } });
  expect(JSON.parse(webhookMessage(decided).body)).toMatchObject({
    status: 'incomplete-by-decision',
  });
});

it('a webhook gets the status of the summary where the service failed for some of it', () => {
  const statusOf = (more: RunReport['counts'], error: string | null = null): unknown => {
    const counts = { users: { total: 2, not_finished: 0 }, ...more };
    const told = report({ outcome: 'failed', exitCode: 5, error, counts });
    return (JSON.parse(webhookMessage(told).body) as { status: unknown }).status;
  };
  expect(statusOf({ gaps: { failed: 1 } })).toBe('gaps');
  expect(statusOf({ gaps: { failed: 1 }, left: { users: 1 } })).toBe('not_all_read');
  expect(statusOf({ gaps: { failed: 0 } })).toBe('complete');
  expect(statusOf({ gaps: { failed: 1 } }, 'no room')).toBe('failed');
  expect(statusOf({ doubtfulList: 1 })).toBe('failed');
  expect(statusOf({ users: { total: 2, not_finished: 1 } })).toBe('failed');
});

it('a run of a part is not said to be complete', () => {
  const part = report({ archive: 'out', outcome: 'complete', exitCode: 0, scope: 'part' });
  expect(reportText({ ...part, counts: { jobs: 1 } })).toBe(
    'jobvault export of out has read a part after 1 m 1 s. 1 version of questions archived. Run 01K.',
  );
});

const valueIn = (text: string, metric: string): number | undefined => {
  const sample = text.split('\n').find((line) => line.startsWith(`jobvault_${metric}{`));
  return sample === undefined ? undefined : Number(sample.slice(sample.lastIndexOf(' ')));
};
const successIn = (text: string) => valueIn(text, 'last_success_timestamp_seconds');

describe('the metrics of a run', () => {
  const success = report({ outcome: 'complete', exitCode: 0, counts: { users: { total: 3 } } });

  it('have each gauge once, with help, type and escaped labels', () => {
    const text = metricsText(success, metricsText(report(), metricsText(success)));
    for (const head of ['HELP', 'TYPE']) {
      const names = [...text.matchAll(new RegExp(`^# ${head} (\\w+)`, 'gm'))].map(
        ([, name]) => name,
      );
      expect(new Set(names).size).toBe(names.length);
    }
    expect(text).toContain('archive="./a \\"b\\"\\\\c",host="h\\"1"');
  });

  it('a run without success keeps the time of the last one', () => {
    const failed = report({ outcome: 'failed', exitCode: 5, startedAtMs: 900_000 });
    expect(successIn(metricsText(failed, metricsText(success)))).toBe(62);
    expect(successIn(metricsText(report(), metricsText(success)))).toBe(62);
    expect(successIn(metricsText(failed))).toBeUndefined();
  });

  it('a run that did not read all of its users is no success', () => {
    const of = (changes: Partial<RunReport>) =>
      successIn(metricsText(report({ outcome: 'complete', exitCode: 0, ...changes })));
    expect(of({ scope: 'part' })).toBeUndefined();
    expect(of({ counts: { left: { users: 2, sessions: 0 } } })).toBeUndefined();
    expect(of({ counts: { left: { users: 0, sessions: 7 } } })).toBe(62);
  });

  it.each(['failed', 'interrupted'] as const)(
    'a run that %s keeps what it could not count, and the gaps of the last that reached its end',
    (outcome) => {
      const counts = { gaps: { missing: 4 }, acceptedGaps: 1, deletions: { refused: 2 }, jobs: 9 };
      const before = metricsText(report({ counts }));
      const ended = { outcome, exitCode: 5, counts: { gaps: { missing: 0 }, jobs: 1 } };
      const text = metricsText(report(ended), before);
      expect(valueIn(text, 'gaps')).toBe(4);
      expect(valueIn(text, 'accepted_gaps')).toBe(1);
      expect(valueIn(text, 'run_deletions')).toBe(2);
      expect(valueIn(text, 'run_jobs')).toBe(1);
      expect(valueIn(text, 'run_exit_code')).toBe(5);
    },
  );

  it('that failed otherwise leaves no alarm of the list of users: its own tells why it ended', () => {
    const before = metricsText(report({ counts: { doubtfulList: 1 } }));
    const failed = { outcome: 'failed', exitCode: 6, counts: {} } as const;
    expect(valueIn(metricsText(report(failed), before), 'run_doubtful_list')).toBeUndefined();
  });

  it('that reached its end leaves nothing of the run before: a budget gone is no alarm', () => {
    const before = metricsText(report({ counts: { overdue: 1, lapBeganMs: 0 } }));
    const text = metricsText(report({ counts: { gaps: { missing: 0 } } }), before);
    expect(valueIn(text, 'run_overdue')).toBeUndefined();
    expect(valueIn(text, 'lap_began_timestamp_seconds')).toBeUndefined();
    expect(valueIn(text, 'gaps')).toBe(0);
  });

  it('how the last run ended is read back from what was written', () => {
    expect(lastRunIn(metricsText(report()))).toEqual({
      exitCode: 3,
      startedMs: 1_000,
      endedMs: 62_000,
      isListDoubtful: false,
    });
    const doubtful = lastRunIn(metricsText(report({ counts: { doubtfulList: 1 } })));
    expect(doubtful?.isListDoubtful).toBe(true);
    expect(lastRunIn('no metrics')).toBeUndefined();
  });

  it(
    "a worker that found nobody succeeded with its queue's last run, if one is known",
    fault('F-150'),
    () => {
      const worker = (changes: Partial<RunReport>) =>
        report({ command: 'worker', outcome: 'complete', exitCode: 0, ...changes });
      const successOf = (lastRunMs: number | null, previous?: string) =>
        successIn(metricsText(worker({ counts: { lastRunMs } }), previous));
      expect(successOf(null)).toBeUndefined();
      expect(successOf(40_000)).toBe(40);
      const before = metricsText(worker({ startedAtMs: 13_600_000, counts: {} }));
      expect(successOf(null, before)).toBe(13_661);
    },
  );
});
