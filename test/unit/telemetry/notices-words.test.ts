import { describe, expect, it } from 'vitest';
import { lastSuccessIn, metricsText } from '../../../src/telemetry/metrics.js';
import {
  pingAddress,
  webhookFormatOf,
  webhookMessage,
  reportText,
} from '../../../src/telemetry/notices.js';
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
      '12 jobs archived, gaps: 2 expired, 1 refused. Run 01K.',
  );
});

it('a run in words has what ended it', () => {
  const failed = report({ outcome: 'failed', exitCode: 5, error: 'no answer', counts: {} });
  expect(reportText({ ...failed, archive: null })).toBe(
    'jobvault export failed (exit code 5) after 1 m 1 s: no answer. Run 01K.',
  );
});

describe('a webhook', () => {
  it('a webhook of Slack gets what Slack escapes', () => {
    const told = webhookMessage(report({ archive: '<a&b>' }), 'slack');
    expect(told.body).toContain('&lt;a&amp;b&gt;');
    expect(Object.keys(JSON.parse(told.body) as object)).toEqual(['text']);
  });

  it.each([
    ['https://hooks.slack.com/services/T/B/x', 'slack'],
    ['https://notslack.com/x', 'json'],
    ['https://hooks.example.com/slack.com', 'json'],
  ])('at %s gets %s', (address, format) => {
    expect(webhookFormatOf(new URL(address))).toBe(format);
  });
});

it('a run of a part is not said to be complete', () => {
  const part = report({ archive: 'out', outcome: 'complete', exitCode: 0, scope: 'part' });
  expect(reportText({ ...part, counts: { jobs: 1 } })).toBe(
    'jobvault export of out has read a part after 1 m 1 s. 1 jobs archived. Run 01K.',
  );
});

describe('a metrics file', () => {
  const success = report({ outcome: 'complete', exitCode: 0, counts: { users: { total: 3 } } });
  const linesOf = (text: string) => text.split('\n').filter((line) => /^jobvault_/.test(line));

  it('a metrics file keeps what other commands, archives and scopes have written, and has each metric once', async () => {
    let text = await metricsText(success, undefined);
    const before = linesOf(text);
    const others = [
      report({ command: 'verify', counts: { problems: 0 } }),
      report({ archive: '/other' }),
      report({ scope: 'named', outcome: 'complete', exitCode: 0 }),
      report({ scope: 'part', outcome: 'complete', exitCode: 0 }),
    ];
    for (const other of others) text = await metricsText(other, text);
    expect(linesOf(text)).toEqual(expect.arrayContaining(before));
    for (const head of ['HELP', 'TYPE']) {
      const names = [...text.matchAll(new RegExp(`^# ${head} (\\w+)`, 'gm'))].map(
        ([, name]) => name,
      );
      expect(new Set(names).size).toBe(names.length);
    }
    expect(text).toMatch(/^# HELP jobvault_/);
    const ended = await metricsText(report({ counts: {}, exitCode: 9 }), text);
    const all = linesOf(ended).filter((line) => line.includes('command="export",archive="./a'));
    expect(all.filter((line) => line.includes('scope="all"'))).toHaveLength(4);
    expect(lastSuccessIn(ended, success)?.seconds).toBe(62);
  });

  it('a metrics file of another machine has the series of the last one only', async () => {
    const text = await metricsText(
      { ...success, host: 'h2' },
      await metricsText(success, undefined),
    );
    expect(linesOf(text).every((line) => line.includes('host="h2"'))).toBe(true);
  });

  it('a metrics file has no success of a run that did not read all of its users', async () => {
    for (const run of [
      report({ exitCode: 0, scope: 'part' }),
      report({ exitCode: 0, counts: { left: { users: 2, sessions: 0 } } }),
    ]) {
      expect(lastSuccessIn(await metricsText(run, undefined), run)).toBeUndefined();
    }
    const run = report({ exitCode: 0, counts: { left: { users: 0, sessions: 7 } } });
    expect(lastSuccessIn(await metricsText(run, undefined), run)?.seconds).toBe(62);
  });
});

describe('workers of one machine that run beside each other', () => {
  const worker = (changes: Partial<RunReport> = {}): RunReport =>
    report({
      command: 'worker',
      exitCode: 0,
      counts: { newGaps: 0, users: { complete: 4 } },
      ...changes,
    });
  const withGaps = worker({ exitCode: 3, counts: { newGaps: 7, users: { complete: 1 } } });
  const valueIn = (text: string, metric: string): number | undefined => {
    const sample = text.split('\n').find((line) => line.startsWith(`jobvault_${metric}{`));
    return sample === undefined ? undefined : Number(sample.slice(sample.lastIndexOf(' ')));
  };
  const valuesIn = (text: string) =>
    ['run_exit_code', 'run_new_gaps', 'run_users', 'last_success_timestamp_seconds'].map((metric) =>
      valueIn(text, metric),
    );

  it(
    'workers that ran beside each other leave the gaps and the users of both, and the worse exit code: the last one to end hides nothing',
    fault('F-151'),
    async () => {
      const first = await metricsText(withGaps, undefined);
      const later = worker({ startedAtMs: 2_000 });
      expect(valuesIn(await metricsText(later, first))).toEqual([3, 7, 5, undefined]);
      expect(valuesIn(await metricsText(later, undefined, [first]))).toEqual([3, 7, 5, undefined]);
      const failed = await metricsText(worker({ ...withGaps, exitCode: 9 }), undefined);
      expect(valuesIn(await metricsText(later, failed))[0]).toBe(9);
    },
  );

  it('a worker of the next night, or one that was started later in place of another, has metrics of its own', async () => {
    const first = await metricsText(withGaps, undefined);
    expect(valuesIn(await metricsText(worker({ startedAtMs: 86_400_000 }), first))).toEqual([
      0, 0, 4, 86_461,
    ]);
    const long = await metricsText({ ...withGaps, durationMs: 30 * 86_400_000 }, undefined);
    const next = worker({ startedAtMs: 29 * 86_400_000 });
    expect(valuesIn(await metricsText(next, long)).slice(0, 3)).toEqual([0, 0, 4]);
  });

  it(
    'a worker that found nobody succeeded when a run of its queue ended last, and not at all where none is known',
    fault('F-150'),
    async () => {
      const successOf = async (lastRunMs: number | null, previous?: string) =>
        valuesIn(await metricsText(worker({ counts: { lastRunMs } }), previous))[3];
      expect(await successOf(null)).toBeUndefined();
      expect(await successOf(40_000)).toBe(40);
      const before = await metricsText(
        worker({ startedAtMs: -86_400_000 + 100_000_000 }),
        undefined,
      );
      expect(await successOf(null, before)).toBe(13_661);
    },
  );
});

it('the last success is read back from what was written, whatever the archive is called', async () => {
  const success = report({ outcome: 'complete', exitCode: 0 });
  const text = await metricsText(success, undefined);
  expect(lastSuccessIn(text, success)).toMatchObject({ archive: success.archive, seconds: 62 });
  const failed = report({ startedAtMs: 900_000 });
  expect(lastSuccessIn(await metricsText(failed, text), success)?.seconds).toBe(62);
});

it('the last success is that of the same command and archive, or of any archive where none was named', async () => {
  const text = await metricsText(report({ outcome: 'complete', exitCode: 0 }), undefined);
  expect(lastSuccessIn(text, report({ command: 'prune' }))).toBeUndefined();
  expect(lastSuccessIn(text, report({ archive: 'other' }))).toBeUndefined();
  expect(lastSuccessIn(text, report({ scope: 'named' }))).toBeUndefined();
  expect(lastSuccessIn(text, report({ archive: null }))?.seconds).toBe(62);
  expect(lastSuccessIn('no metrics', report())).toBeUndefined();
});
