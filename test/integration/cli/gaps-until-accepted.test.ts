/** Each gap is told until it is mended or accepted: by the exit code, the log, the webhook and the metrics. */
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ExportRig } from '../../support/rigs/export-rig.js';
import { metricsIn } from '../../support/base/metrics-folder.js';
import { cli } from '../../support/programs/cli-in-process.js';
import { promtool } from '../../services/programs.js';
import { fault } from '../../support/base/fault.js';

const RULES = fileURLToPath(new URL('../../../config/deploy/alerts.yml', import.meta.url));

let rig: ExportRig;
let users: string[];

beforeEach(async () => {
  rig = await ExportRig.start({ users: 4, sessions: 1, jobs: 1 });
  users = rig.state.userIds();
  await writeFile(join(rig.directory, 'users.txt'), users.join('\n'));
});
afterEach(() => rig[Symbol.asyncDispose]());

const night = async (...more: string[]) => {
  const { exitCode, stdout, stderr } = await cli([
    ...['export', '--base-url', rig.emulator.baseUrl, '--out', rig.out, '--rate', '1000'],
    ...['--users-file', join(rig.directory, 'users.txt'), '--metrics-dir', rig.directory],
    ...['--concurrency', '1', '--log-level', 'warn', '--log-format', 'text', ...more],
  ]);
  const [, said] = /WARN: (.*?)\. First/.exec(stderr) ?? [];
  return { exitCode, said, stdout, stderr };
};
const gapsOfMetrics = async () =>
  Array.from(
    (await metricsIn(rig.directory)).matchAll(/^jobvault_gaps\{.*\} (\d+)$/gm),
    ([, count]) => Number(count),
  ).reduce((sum, count) => sum + count, 0);

/** A session of the first user has a file that is lost for good, in a night that dies. */
async function killedNight() {
  const [first = ''] = users;
  const content = { name: 'Sales', url: '{{url:lost.csv}}', expires_at: '{{expires_at}}' };
  const answer = { blocks: [{ type: 'TABLE', content, stage: 'Respond' }] };
  const job = JSON.stringify({ job_id: 'job-lost', question: { blocks: [] }, answer });
  rig.state.addSession(first, { id: 's-lost' }, [job]);
  return dyingNight();
}

/** The service dies when the second user is read: what the first user has is committed. */
async function dyingNight() {
  const second = users[1];
  rig.emulator.faults.beforeRequest = ({ userId, operation }) => {
    if (userId === second && operation === 'getHistory') rig.state.keys.expire('demo-key');
  };
  const ended = await night('--json');
  rig.emulator.faults.beforeRequest = undefined;
  rig.state.keys.setProject('demo-key', rig.state.project);
  return ended;
}

it(
  'what a night that died found is new to its retry, and told until somebody accepts it',
  fault('F-154'),
  async () => {
    expect(await night()).toMatchObject({ exitCode: 0 });
    expect((await killedNight()).exitCode).toBe(6);
    expect(await night()).toMatchObject({ exitCode: 3, said: '1 new gap' });
    const quiet = await night();
    expect(quiet).toMatchObject({ exitCode: 3, said: 'no new gap, 1 gap that was told before' });
    expect(await gapsOfMetrics()).toBe(1);
    const why = ['--reason', 'lost for good', '--by', 'ana', '--yes'];
    expect((await cli(['gap', 'accept', rig.out, '--session', 's-lost', ...why])).exitCode).toBe(0);
    expect(await night()).toMatchObject({ exitCode: 0, said: undefined });
    expect(await gapsOfMetrics()).toBe(0);
  },
);

it.each([
  ['named users', () => ['--user', users[0] ?? '']],
  ['named conversations', () => ['--user', users[0] ?? '', '--session', 's-lost']],
])('what a run of %s by hand has told is new to the night all the same', async (_what, named) => {
  expect(await night()).toMatchObject({ exitCode: 0 });
  expect((await killedNight()).exitCode).toBe(6);
  const byHand = async (): Promise<string> => {
    const place = ['--base-url', rig.emulator.baseUrl, '--out', rig.out, '--rate', '1000'];
    const ran = await cli(['export', ...place, ...named(), '--log-format', 'text']);
    expect(ran.exitCode).toBe(3);
    return ran.stderr;
  };
  expect(await byHand()).toContain('WARN: 1 new gap. First');
  expect(await night()).toMatchObject({ exitCode: 3, said: '1 new gap' });
  // whoever asks by hand is told what the night has told
  expect(await byHand()).toContain('WARN: no new gap, 1 gap that was told before. First');
  expect(await night()).toMatchObject({
    exitCode: 3,
    said: 'no new gap, 1 gap that was told before',
  });
});

it('a gap of a session that is gone, or of a user who left the list, stays an alarm', async () => {
  await killedNight();
  await night();
  rig.state.deleteSession(users[0] ?? '', 's-lost');
  expect(await night()).toMatchObject({ exitCode: 3 });
  await writeFile(join(rig.directory, 'users.txt'), users.slice(1).join('\n'));
  expect(await night('--min-users', '50%')).toMatchObject({ exitCode: 3 });
  expect(await gapsOfMetrics()).toBe(1);
});

it.skipIf(promtool === undefined)(
  'after a killed night, its retry and a quiet one, gaps raise the alert until accepted',
  async () => {
    await night();
    await killedNight();
    const values: number[] = [await gapsOfMetrics()];
    for (let nights = 0; nights < 2; nights++) {
      await night();
      values.push(await gapsOfMetrics());
    }
    const why = ['--reason', 'lost for good', '--by', 'ana', '--yes'];
    await cli(['gap', 'accept', rig.out, '--session', 's-lost', ...why]);
    await night();
    values.push(await gapsOfMetrics());
    expect(values).toEqual([0, 1, 1, 0]);
    const labels = { command: 'export', archive: '/a', host: 'h', scope: 'all' };
    const series = Object.entries(labels).map(([name, value]) => `${name}="${value}"`);
    const summary = 'Gaps and doubts in /a that nobody has accepted: 1';
    const test = {
      interval: '1h',
      input_series: [
        {
          series: `jobvault_gaps{${series.join(',')},reason="missing"}`,
          // a day each
          values: values.map((value) => `${value}x23`).join(' '),
        },
      ],
      promql_expr_test: [],
      alert_rule_test: values.map((value, day) => ({
        eval_time: `${day * 24 + 12}h`,
        alertname: 'JobvaultGaps',
        exp_alerts: value === 0 ? [] : [{ exp_labels: { ...labels, severity: 'warning' } }],
      })),
    };
    const rules = join(rig.directory, 'rules.json');
    const expr = /alert: JobvaultGaps\n +expr: (.*)\n/.exec(
      await import('node:fs/promises').then(({ readFile }) => readFile(RULES, 'utf8')),
    )?.[1];
    const rule = { alert: 'JobvaultGaps', expr, labels: { severity: 'warning' } };
    await writeFile(rules, JSON.stringify({ groups: [{ name: 'g', rules: [rule] }] }));
    const scene = join(rig.directory, 'scene.json');
    await writeFile(
      scene,
      JSON.stringify({ rule_files: [rules], evaluation_interval: '1h', tests: [test] }),
    );
    expect(
      execFileSync(promtool ?? '', ['test', 'rules', scene], { encoding: 'utf8', stdio: 'pipe' }),
      summary,
    ).toContain('SUCCESS');
  },
);

it('who has vanished in a night that died is told by its retry', async () => {
  const metric = async (state: string) =>
    new RegExp(`^jobvault_run_users\\{.*state="${state}".*\\} (\\d+)$`, 'm').exec(
      await metricsIn(rig.directory),
    )?.[1];
  expect(await night()).toMatchObject({ exitCode: 0 });
  const [first = ''] = users;
  for (const session of rig.state.sessionIds(first)) rig.state.deleteSession(first, session);
  const died = await dyingNight();
  expect(died.exitCode).toBe(6);
  // it has not counted who has vanished of all: the metrics keep what they had, and so nobody reads that there is none
  for (const name of ['vanished', 'at_the_cap']) {
    expect(JSON.parse(died.stdout)).not.toHaveProperty(name);
  }
  const told = async () => {
    const { stdout, stderr } = await night('--json');
    return { summary: JSON.parse(stdout) as object, stderr };
  };
  const { summary, stderr } = await told();
  expect(summary).toMatchObject({ newly_vanished: [first], newly_gone_sessions: 1 });
  expect(stderr).toContain(
    `the service lists nothing any more of users who had sessions: ${first}`,
  );
  expect(await metric('newly_vanished')).toBe('1');
  const quiet = await told();
  expect(quiet.summary).toMatchObject({ vanished: [first], newly_vanished: [] });
  expect(quiet.summary).not.toHaveProperty('newly_gone_sessions');
  expect(await metric('newly_vanished')).toBe('0');
});
