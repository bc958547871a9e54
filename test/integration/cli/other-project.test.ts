/** The API key of another project may know the same users: none of its conversations may enter the archive unasked. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ExportRig } from '../../support/rigs/export-rig.js';
import { oldJob } from '../../support/programs/pieced-export.js';
import { metricsIn } from '../../support/base/metrics-folder.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { scriptedApi, type ScriptedApi } from '../../support/http/scripted-api.js';
import { fault } from '../../support/base/fault.js';

const SENTENCE =
  'the service lists none of the 4 archived conversations of 2 users: is this the API key of another project? Nothing was archived';

let rig: ExportRig;
let monitor: ScriptedApi;
let users: string[];

beforeEach(async () => {
  rig = await ExportRig.start({ users: 2, sessions: 2, jobs: 1 });
  users = rig.state.userIds();
  await writeFile(file(), users.join('\n'));
  monitor = await scriptedApi({ status: 200 });
});
afterEach(async () => {
  await rig[Symbol.asyncDispose]();
  await monitor[Symbol.asyncDispose]();
});

const file = () => join(rig.directory, 'users.csv');
const place = () => ['--base-url', rig.emulator.baseUrl, '--out', rig.out, '--rate', '1000'];
const monitors = () => ['--metrics-dir', rig.directory, '--ping-url', `${monitor.url}/ping`];

async function night(...more: string[]) {
  const before = monitor.seen.length;
  const requests = rig.emulator.stats.totalRequests;
  const words = ['export', ...place(), '--users-file', file(), ...monitors(), ...more];
  const { exitCode, stdout, stderr } = await cli([...words, '--log-level', 'warn']);
  const [, doubtful] =
    /^jobvault_run_doubtful_list\{.*\} (\d)$/m.exec(await metricsIn(rig.directory)) ?? [];
  return {
    exitCode,
    stdout,
    stderr,
    doubtful,
    pings: monitor.seen.slice(before).map(({ url }) => url),
    requests: rig.emulator.stats.totalRequests - requests,
  };
}

const commits = async () => (await (await rig.open()).log.head())?.number;

/** What the key of another project shows: the same users, and other conversations of each. */
function becomeAnotherProject(): void {
  for (const user of users) {
    for (const session of rig.state.sessionIds(user)) rig.state.deleteSession(user, session);
    const session = rig.state.addSession(user);
    rig.state.addJob(user, session, oldJob(rig.state.newJobId(Date.now() - 86_400_000)));
  }
}

it(
  'an export with the key of another project commits nothing, ends with 3 and is no success',
  fault('F-153'),
  async () => {
    expect((await night()).exitCode).toBe(0);
    const before = await commits();
    becomeAnotherProject();
    const ended = await night();
    expect(ended).toMatchObject({ exitCode: 3, doubtful: '1', pings: ['/ping/start', '/ping/3'] });
    expect(ended.stdout).toContain(SENTENCE);
    expect(ended.stderr).toContain(SENTENCE);
    expect(ended.stderr).toContain('--allow-other-conversations');
    expect(await commits()).toBe(before);
    expect(ended.requests).toBe(2);
    for (const more of [
      ['--dry-run'],
      ['--retry-gaps'],
      ['--user', users[0]!, '--session', rig.state.sessionIds(users[0]!)[0]!],
    ]) {
      const whom = more.includes('--user') ? [] : ['--users-file', file()];
      const other = await cli(['export', ...place(), ...whom, ...more]);
      expect([other.exitCode, other.stderr]).toEqual([
        3,
        expect.stringContaining(SENTENCE) as string,
      ]);
    }
    expect(await commits()).toBe(before);
  },
);

it('a night with the key of another project ends no alarm of gaps, nor of users at the cap', async () => {
  const [user = ''] = users;
  const session = rig.state.addSession(user);
  const job = rig.state.newJobId(Date.now() - 86_400_000);
  rig.state.addJob(user, session, oldJob(job, ['lost.csv']));
  rig.emulator.faults.files = [{ answer: { kind: 'status', status: 404 } }];
  const gauges = async () =>
    (await metricsIn(rig.directory))
      .split('\n')
      .flatMap(
        (line) => /^jobvault_(?:gaps|run_users)\{.*(?:missing|at_the_cap)".* \d+$/.exec(line) ?? [],
      );
  expect((await night()).exitCode).toBe(3);
  const before = await gauges();
  expect(before).toEqual([
    expect.stringMatching(/state="at_the_cap"\} 0$/),
    expect.stringMatching(/reason="missing"\} [1-9]\d*$/),
  ]);
  becomeAnotherProject();
  expect(await night()).toMatchObject({ exitCode: 3, doubtful: '1' });
  expect(await gauges()).toEqual(before);
});

it('status says why a night with the key of another project saved nothing', async () => {
  await night();
  becomeAnotherProject();
  await night();
  const environment = { JOBVAULT_METRICS_DIR: rig.directory };
  const { stdout } = await cli(['status', rig.out], environment);
  expect(stdout.match(/^ {2}failed export .*$/m)?.[0]).toMatch(
    /: ended with exit code 3 and saved nothing: its list of users cannot be right, or its API key is that of another project; its log says which$/,
  );
  const { failed_runs: failed } = await cliJson<{ failed_runs: unknown[] }>(
    ['status', rig.out],
    0,
    environment,
  );
  expect(failed).toMatchObject([{ exit_code: 3, saved: false, doubtful_list: true }]);
});

it('the flag goes on: it archives what is listed, and what the service has no more is gone', async () => {
  await night();
  becomeAnotherProject();
  const allowed = await night('--allow-other-conversations');
  expect(allowed).toMatchObject({ exitCode: 0, doubtful: '0' });
  expect(allowed.stdout).toMatch(/^ {2}conversations +2 {2}2 new, 4 gone from the service$/m);
  expect(await night()).toMatchObject({ exitCode: 0, doubtful: '0' });
});

it('doctor fails with that key; with the right one it says what the service lists', async () => {
  const doctor = () => cli(['doctor', ...place(), '--users-file', file()]);
  expect((await doctor()).stdout).not.toContain('project');
  await night();
  const right = await doctor();
  expect(right.exitCode).toBe(0);
  expect(right.stdout).toContain(
    'ok    project       the service lists conversations that the archive has',
  );
  becomeAnotherProject();
  const wrong = await doctor();
  expect(wrong.exitCode).toBe(3);
  expect(wrong.stdout).toContain(
    'FAIL  project       the service lists none of the 4 archived conversations of 2 users: is this the API key of another project?\n',
  );
});

it('one listing that has an archived conversation is enough, and costs one request', async () => {
  await night();
  const before = (await night()).requests;
  const [ana = '', ben = ''] = users;
  const last = rig.state.sessionIds(ben);
  for (const session of rig.state.sessionIds(ana)) rig.state.deleteSession(ana, session);
  for (const session of last.slice(1)) rig.state.deleteSession(ben, session);
  expect((await night()).exitCode).toBe(0);
  // ana's are known as gone now: nobody asks for them
  rig.state.deleteSession(ben, last[0]!);
  const ended = await night();
  expect(ended.exitCode).toBe(3);
  expect(ended.stderr).toContain(
    'the service does not list the one archived conversation of 1 user: is this the API key of another project? Nothing was archived',
  );
  expect([ended.requests, before]).toEqual([1, expect.any(Number)]);
});
