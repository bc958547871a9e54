/** Nights that an outage ends early, and what people do after them: nothing that was not read counts as complete. */
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import parsePrometheus from 'parse-prometheus-text-format';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createOrOpenArchive } from '../../../src/archive/open-archive.js';
import { placeOfUser } from '../../../src/archive/laps.js';
import { asUserId } from '../../../src/model/ids.js';
import { openStorage } from '../../../src/storage/open-storage.js';
import { ExportRig } from '../../support/rigs/export-rig.js';
import { artifactPaths, flipBitOf } from '../../support/rigs/verify-rig.js';
import { cli } from '../../support/programs/cli-in-process.js';
import { metricsIn } from '../../support/base/metrics-folder.js';
import { scriptedApi } from '../../support/http/scripted-api.js';

const KEY = 'demo-key';

let rig: ExportRig;
let config: string;
let users: string[];

beforeEach(async () => {
  rig = await ExportRig.start({ users: 5, sessions: 1, jobs: 1 });
  users = rig.state.userIds().sort((a, b) => placeOfUser(asUserId(a)) - placeOfUser(asUserId(b)));
  const usersFile = join(rig.directory, 'users.txt');
  await writeFile(usersFile, users.join('\n'));
  config = join(rig.directory, 'jobvault.config.yaml');
  await configure('');
});
afterEach(() => rig[Symbol.asyncDispose]());

/** As `init --nightly` writes it: every command in its folder has the folder of the metrics. */
const configure = (more: string) =>
  writeFile(
    config,
    [
      `base-url: ${rig.emulator.baseUrl}`,
      `users-file: ${join(rig.directory, 'users.txt')}`,
      `out: ${rig.out}`,
      `metrics-dir: ${rig.directory}`,
      'rate: 1000',
      'concurrency: 1',
      more,
    ].join('\n'),
  );
const run = (...words: string[]) => cli([...words, '--config', config, '--log-level', 'error']);
const night = (...words: string[]) => run('export', ...words);

/** Lists the first user, whom the service refuses; then the key expires. */
async function brokenNight() {
  rig.emulator.faults.refusedUsers = { [users[0] ?? '']: 300002 };
  let asked = 0;
  rig.emulator.faults.beforeRequest = ({ userId }) => {
    // first whether the key is right
    if (userId === users[1] && ++asked > 1) rig.state.keys.expire(KEY);
  };
  const ended = await night();
  rig.emulator.faults.refusedUsers = {};
  rig.emulator.faults.beforeRequest = undefined;
  rig.state.keys.setProject(KEY, rig.state.project);
  return ended;
}

/** The states of users of which there are some, and `complete` and `total`. */
function statesOf(found: Record<string, number>): Record<string, number> {
  const states = Object.entries(found).flatMap(([name, count]): [string, number][] => {
    const state = /^run_users (.*)$/.exec(name)?.[1];
    const isShown = count > 0 || state === 'complete';
    return state === undefined || !isShown ? [] : [[state, count]];
  });
  return Object.fromEntries(states);
}

async function metrics(command: string, scope: string): Promise<Record<string, number>> {
  const text = await metricsIn(rig.directory);
  const found: Record<string, number> = {};
  for (const { name, metrics: samples } of parsePrometheus(text) ?? []) {
    for (const { labels = {}, value } of samples as { labels?: object; value: string }[]) {
      const { command: of, scope: within, state } = labels as Record<string, string>;
      if (of !== command || within !== scope) continue;
      found[name.replace('jobvault_', '') + (state ? ` ${state}` : '')] = Number(value);
    }
  }
  return found;
}

it('gaps that are tried again after an early end say whom they did not read, and end no alarm', async () => {
  await night();
  const whole = await metrics('export', 'all');
  rig.state.addSession(users[4] ?? '');
  const ended = await brokenNight();
  expect(ended.exitCode).toBe(6);
  expect(`${ended.stdout}${ended.stderr}`.match(/^Next: .*$/gm)).toEqual([
    `Next: check the key in JOBVAULT_API_KEY; jobvault doctor --config ${config} tries the key with one request.`,
  ]);
  const broken = await metrics('export', 'all');
  expect(statesOf(broken)).toEqual({ complete: 0, failed: 1, not_finished: 4, total: 5 });
  expect(broken).toMatchObject({
    run_exit_code: 6,
    last_success_timestamp_seconds: whole['last_success_timestamp_seconds'],
  });
  const again = await night('--retry-gaps');
  expect(again.exitCode).toBe(0);
  expect(again.stdout).toMatch(
    /^Gaps read again after [^:]+: 1 of 5 users read, \d versions? of questions archived in .* \(commits? 3.*\)\n/,
  );
  expect(again.stdout).toMatch(/ users +5 {2}1 complete, 4 not read, without a known gap\n/);
  expect(again.stdout).not.toMatch(/^Complete|nothing is missing/m);
  expect(await metrics('export', 'all')).toEqual(broken);
  const part = await metrics('export', 'part');
  expect(part).toMatchObject({ run_exit_code: 0, 'run_users complete': 1 });
  expect(part).toMatchObject({ 'run_users not_read': 4, 'run_users total': 5 });
  expect(part).not.toHaveProperty('last_success_timestamp_seconds');
});

it('A first night whose key is refused counts all of its users as not finished', async () => {
  rig.state.keys.expire(KEY);
  expect((await night()).exitCode).toBe(6);
  const found = await metrics('export', 'all');
  expect(statesOf(found)).toEqual({ complete: 0, not_finished: 5, total: 5 });
  expect(found).toMatchObject({ run_exit_code: 6 });
});

it('a user with a gap, or in doubt, was read: one whom the night has not finished is none', async () => {
  const [ann = '', ben = '', cy = ''] = users;
  const { state, faults } = rig.emulator;
  const [first = ''] = state.sessionIds(ann);
  const [other = ''] = state.sessionIds(ben);
  const texts = state.jobIds(ann, first).map((job) => state.jobText(ann, first, job));
  state.addSession(ben, { id: other }, texts);
  faults.refusedUsers = { [cy]: 300002 };
  const ended = await night();
  expect(ended.exitCode).toBe(3);
  expect(ended.stdout).toMatch(/^ {2}users +5 {2}2 complete, 2 with gaps, 1 failed$/m);
  const found = await metrics('export', 'all');
  expect(statesOf(found)).toEqual({ complete: 2, failed: 1, with_gaps: 2, total: 5 });
  expect(found).toMatchObject({ 'run_users not_finished': 0 });
});

describe('what is run between two nights', () => {
  it.each([
    ['one person’s export', ['export', '--user', 'NAME'], 'named'],
    ['one session’s export', ['export', '--user', 'NAME', '--session', 'SESSION'], 'part'],
    ['an export of what a search finds', ['export', '--search', 'e'], 'part'],
  ] as const)('%s leaves the metrics of the night alone', async (_what, words, scope) => {
    await night();
    await brokenNight();
    const before = await metrics('export', 'all');
    const [user = ''] = users.slice(1);
    const [session = ''] = rig.state.sessionIds(user);
    await run(...words.map((word) => word.replace('NAME', user).replace('SESSION', session)));
    expect(await metrics('export', 'all')).toEqual(before);
    expect(await metrics('export', scope)).toHaveProperty('run_exit_code');
  });

  it('a verify leaves them, too, and a night without storage keeps the last success', async () => {
    await night();
    const before = await metrics('export', 'all');
    expect((await run('verify', rig.out)).exitCode).toBe(0);
    expect(await metrics('export', 'all')).toEqual(before);
    expect(await metrics('verify', 'all')).toMatchObject({ run_problems: 0 });
    await rename(rig.out, `${rig.out}-away`);
    await writeFile(rig.out, '');
    const { exitCode } = await night();
    const after = await metrics('export', 'all');
    expect(after).toMatchObject({ run_exit_code: exitCode });
    expect([exitCode, after['last_success_timestamp_seconds']]).toEqual([
      9,
      before['last_success_timestamp_seconds'],
    ]);
  });

  it('a verify that could not look ends no alarm of damage', async () => {
    await night();
    const [path = ''] = await artifactPaths(rig);
    await flipBitOf(rig, path);
    expect((await run('verify', rig.out)).exitCode).toBe(4);
    expect(await metrics('verify', 'all')).toMatchObject({ run_problems: 1, run_exit_code: 4 });
    await rename(rig.out, `${rig.out}-away`);
    for (let failed = 0; failed < 2; failed++) {
      const { exitCode } = await run('verify', rig.out);
      expect(exitCode).toBeGreaterThan(1);
      const after = await metrics('verify', 'all');
      expect(after).toMatchObject({ run_problems: 1, run_exit_code: 4 });
    }
    await rename(`${rig.out}-away`, rig.out);
    await flipBitOf(rig, path);
    expect((await run('verify', rig.out)).exitCode).toBe(0);
    expect(await metrics('verify', 'all')).toMatchObject({ run_problems: 0 });
  });

  it('one person’s export is no sign of life of the night, unless its own flag names the monitor', async () => {
    await using monitor = await scriptedApi({ status: 200 });
    await configure(`ping-url: ${monitor.url}/night`);
    const [user = ''] = users;
    await night('--user', user);
    await night('--retry-gaps');
    // a verify that succeeds would end the alarm of an export that failed
    for (const words of [['verify'], ['drill', '--sample', '1%']]) {
      expect((await run(...words.toSpliced(1, 0, rig.out))).exitCode).toBe(0);
    }
    expect(monitor.seen).toEqual([]);
    await night('--user', user, '--ping-url', `${monitor.url}/own`);
    await night();
    expect(monitor.seen.map(({ url }) => url)).toEqual([
      ...['/own/start', '/own', '/night/start', '/night'],
    ]);
  });
});

describe('after a night that ended early', () => {
  const TIME = '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ';
  const status = async () => (await run('status', rig.out)).stdout;
  const line = (text: string, label: string) =>
    text.split('\n').find((one) => one.startsWith(`  ${label} `)) ?? '';

  it('status says that it was not whole, and who was last listed before; gap list names them', async () => {
    await night();
    expect(line(await status(), 'last export')).toMatch(
      new RegExp(`^ {2}last export +${TIME}: all 5 users read, no gaps$`),
    );
    expect((await run('gap', 'list', rig.out)).stdout).toBe(
      `No user and no session of ${rig.out} has a gap.\n`,
    );
    await brokenNight();
    const told = await status();
    expect(line(told, 'last export')).toMatch(
      new RegExp(
        `^ {2}last export +${TIME}: not complete, not all was read: 1 of 5 users finished, 0 of them complete; ` +
          `5 users were last listed before it: (?:\\S+, ){4}\\S+$`,
      ),
    );
    expect(told).toContain(
      ', commit 2: 1 of 5 users, 0 complete, 0 versions of questions archived\n',
    );
    expect(told).toContain(', commit 1: 5 of 5 users, no gaps, 5 versions of questions archived\n');
    expect(told).toContain(
      '  A run that saved nothing is not in the log; its own log and metrics have it.\n',
    );
    const [refused = '', unread = ''] = users;
    const { stdout } = await run('gap', 'list', rig.out);
    const [reason = ''] = /could not .*?(?= {2}|$)/m.exec(stdout) ?? [];
    expect(stdout.split('\n').map((one) => one.trimEnd())).toEqual([
      '1 gap',
      '  refused  1: the service does not let this API key read it',
      '',
      expect.stringMatching(/^ *gap +user +status +reason$/),
      expect.stringMatching(`^ *list of sessions +${refused} +refused +`),
      `Next: jobvault export --config ${config} --retry-gaps, with the same settings, fetches only what is missing; the next normal export fetches it, too.`,
      '',
    ]);
    expect(reason).not.toBe('');
    const detail = await run('status', rig.out, '--user', unread);
    expect(line(detail.stdout, 'last listing')).toMatch(
      new RegExp(
        `^ {2}last listing +${TIME}, [^:]+ ago: 1 conversation listed, 1 announced, all of them archived$`,
      ),
    );
  });

  it('neither one person’s export nor gaps that are tried again pass for the last export', async () => {
    await night();
    await brokenNight();
    const before = line(await status(), 'last export');
    await night('--user', users[2] ?? '');
    await night('--retry-gaps');
    const told = await status();
    expect(line(told, 'last export').slice(0, 70)).toBe(before.slice(0, 70));
    expect(told).toMatch(/: 1 of 1 user, no gaps, \d versions? of questions archived\n/);
    expect(told).toMatch(/: of 1 of 5 users a part, \d versions? of questions archived\n/);
    await night();
    expect(line(await status(), 'last export')).toMatch(/: all 5 users read, no gaps$/);
  });

  it('status tells of a later run that saved nothing until one has succeeded since', async () => {
    rig.state.keys.expire(KEY);
    expect((await night()).exitCode).toBe(6);
    expect(await run('status')).toMatchObject({
      exitCode: 2,
      stderr: `jobvault: ${rig.out} is not a jobvault archive: nothing is there, so nothing has been exported to it yet\nTry jobvault status --help.\n`,
    });
    const settings = { baseUrl: rig.emulator.baseUrl, project: null, formats: undefined };
    await createOrOpenArchive(await openStorage(rig.out), settings);
    const failed = async () => line((await run('status')).stdout, 'failed export');
    expect(await failed()).toMatch(
      new RegExp(
        `^ {2}failed export +${TIME}: ended with exit code 6, authentication, and saved nothing; its log says why$`,
      ),
    );
    rig.state.keys.setProject(KEY, rig.state.project);
    await night();
    expect(await failed()).toBe('');
    rig.state.keys.expire(KEY);
    expect((await night()).exitCode).toBe(6);
    const told = await run('status');
    expect(line(told.stdout, 'last export')).toMatch(/: all 5 users read, no gaps$/);
    expect(line(told.stdout, 'failed export')).toMatch(
      new RegExp(
        `^ {2}failed export +${TIME}, later than the last export: ended with exit code 6, authentication, and saved nothing; its log says why$`,
      ),
    );
    const ended = expect.stringMatching(TIME.slice(0, -1)) as string;
    const failedExport = { command: 'export', ended, exit_code: 6, saved: false };
    const { stdout } = await run('status', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      failed_runs: [failedExport],
    });
    const other = join(rig.directory, 'other');
    await createOrOpenArchive(await openStorage(other), settings);
    const several = await run('status', rig.out, other);
    const wrong = several.stdout.split('\nSomething is wrong in ')[1]?.replaceAll(/\s+/g, ' ');
    expect(wrong).toMatch(
      new RegExp(
        `^2 of them ${rig.out} the export of ${TIME} ended with exit code 6 and saved nothing(?:, [^.]*)? ${other} not complete: nothing is archived yet jobvault status ARCHIVE shows one of them\\. $`,
      ),
    );
    const each = await run('status', rig.out, other, '--json');
    const { archives } = JSON.parse(each.stdout) as { archives: object[] };
    expect(archives.map((one) => Reflect.get(one, 'failed_runs') as unknown)).toEqual([
      [failedExport],
      undefined,
    ]);
    rig.state.keys.setProject(KEY, rig.state.project);
    await brokenNight();
    const last = line((await run('status')).stdout, 'last export');
    expect(last).toMatch(/: not complete, not all was read: 1 of 5 users finished/);
    const ending = 'ended with exit code 6, authentication, after it had saved what it read';
    expect(await failed()).toMatch(
      new RegExp(`^ {2}failed export +${TIME}: ${ending}; its log says why$`),
    );
  });

  it('status tells of a verify that failed, whether later exports failed or succeeded', async () => {
    await night();
    const failed = async () => (await status()).match(/^ {2}failed .*$/gm) ?? [];
    expect((await run('verify', rig.out, '--expect-head', `1:${'0'.repeat(64)}`)).exitCode).toBe(4);
    const check = `^ {2}failed verify +${TIME}: ended with exit code 4, integrity; none has ended better since; its log says why$`;
    rig.state.keys.expire(KEY);
    expect((await night()).exitCode).toBe(6);
    expect(await failed()).toEqual([
      expect.stringMatching(`^ {2}failed export +${TIME}, later than the last export`),
      expect.stringMatching(check),
    ]);
    rig.state.keys.setProject(KEY, rig.state.project);
    await night();
    expect(await failed()).toEqual([expect.stringMatching(check)]);
    expect((await run('verify', rig.out)).exitCode).toBe(0);
    expect(await failed()).toEqual([]);
  });

  it('a user whose id has another spelling in the users file is told nowhere as left out', async () => {
    await night();
    const [first = ''] = users;
    rig.emulator.faults.resolveUser = (id) => id.toLowerCase();
    const respelled = [first.toUpperCase(), ...users.slice(1)];
    await writeFile(join(rig.directory, 'users.txt'), respelled.join('\n'));
    const { exitCode, stderr } = await cli(['export', '--config', config, '--log-level', 'warn']);
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(await metricsIn(rig.directory)).toMatch(/state="newly_left_out"\} 0$/m);
    expect(line(await status(), 'last export')).toMatch(/: all 5 users read, no gaps$/);
  });

  it('a user under whose new spelling the service has nothing is told as left out', async () => {
    await night();
    const [first = ''] = users;
    const respelled = [first.toUpperCase(), ...users.slice(1)];
    await writeFile(join(rig.directory, 'users.txt'), respelled.join('\n'));
    const { stderr } = await cli(['export', '--config', config, '--log-level', 'warn']);
    expect(stderr).toContain(`the list of users has them no more: ${first};`);
    expect(await metricsIn(rig.directory)).toMatch(/state="newly_left_out"\} 1$/m);
  });

  it('a users file or a key file that cannot be read sends to doctor, and not to help', async () => {
    const told = async (...words: string[]) => {
      const mail = ['export', '--config', config, '--log-level', 'warn', '--log-format', 'text'];
      const { exitCode, stderr } = await cli([...mail, ...words]);
      expect(exitCode).toBe(2);
      return stderr.trimEnd().split('\n').at(-1);
    };
    const next = (flag: string, file: string) =>
      `Next: mend that file, or name another one; jobvault doctor --config ${config} ${flag} ${file} tries it.`;
    const [list, key] = [join(rig.directory, 'users.txt'), join(rig.directory, 'no-key')];
    expect(await told('--api-key-file', key)).toBe(next('--api-key-file', key));
    await writeFile(list, '');
    expect(await told()).toBe(next('--users-file', list));
    await writeFile(list, 'user_id\n"ann\n');
    expect(await told()).toBe(next('--users-file', list));
    await rm(list);
    expect(await told()).toBe(next('--users-file', list));
    // a slip of the command line is none of a file
    await writeFile(list, 'ann\n');
    expect(await told('--usr', 'ann')).toBe('Try jobvault export --help.');
  });

  it('a user who is in the users file no more is named, and mailed once', async () => {
    await night();
    await writeFile(join(rig.directory, 'users.txt'), users.slice(1).join('\n'));
    const mailed = async (...words: string[]) => {
      const { stderr } = await cli(['export', '--config', config, '--log-level', 'warn', ...words]);
      return stderr;
    };
    expect(await mailed('--user', users[1] ?? '')).toBe('');
    const metrics = ['--metrics-dir', rig.directory];
    const leftOut = async () =>
      /state="newly_left_out".*\} (\d+)/.exec(await metricsIn(rig.directory))?.[1];
    expect(await mailed(...metrics)).toContain(
      `not read, because the list of users has them no more: ${users[0] ?? ''}; what is archived of them stays (this is told once)`,
    );
    expect(await leftOut()).toBe('1');
    expect(await mailed(...metrics)).toBe('');
    expect(await leftOut()).toBe('0');
    expect(line(await status(), 'last export')).toMatch(
      new RegExp(
        `: all 4 users read, no gaps; 1 user was last listed before it: ${users[0] ?? ''}$`,
      ),
    );
    await writeFile(join(rig.directory, 'users.txt'), users.slice(2).join('\n'));
    const [first = '', second = ''] = users;
    for (let nights = 0; nights < 2; nights++) {
      await night('--min-users', '10%');
      expect(line(await status(), 'last export')).toMatch(
        new RegExp(
          `; 2 users were last listed before it: (${first}, ${second}|${second}, ${first})$`,
        ),
      );
    }
  });
});
