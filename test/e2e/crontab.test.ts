/** The shipped crontab, each line as cron runs it, against a service with gaps: what is on stderr is what gets mailed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { oldJob } from '../support/programs/pieced-export.js';
import { PROGRAM } from '../support/programs/cli-process.js';
import { CliRig } from '../support/rigs/cli-rig.js';

const CRONTAB = new URL('../../config/deploy/crontab', import.meta.url);

let rig: CliRig;
let monitor: Server;
beforeEach(async () => {
  rig = await CliRig.start({ users: 1, sessions: 1, jobs: 9, gaps: true });
  monitor = createServer((_request, response) => response.end()).listen(0, '127.0.0.1');
  await once(monitor, 'listening');
  for (const folder of ['bin', 'etc/jobvault', 'var/lib/jobvault/metrics']) {
    await mkdir(join(rig.directory, folder), { recursive: true });
  }
  const program = `#!/bin/sh\nexec '${PROGRAM.join("' '")}' "$@"\n`;
  await writeFile(join(rig.directory, 'bin/jobvault'), program, { mode: 0o755 });
  await symlink('/usr/bin/flock', join(rig.directory, 'bin/flock'));
  const users = rig.state.userIds().map((user) => `${user}\n`);
  await writeFile(join(rig.directory, 'etc/jobvault/users.csv'), users.join(''));
  await writeFile(join(rig.directory, 'etc/jobvault/api-key'), 'demo-key\n', { mode: 0o600 });
});
afterEach(async () => {
  monitor.close();
  await rig[Symbol.asyncDispose]();
});

/** The file with the addresses and directories of this test, and nothing else changed. */
async function crontab(): Promise<{ variables: string[]; commands: string[] }> {
  const { port } = monitor.address() as AddressInfo;
  const lines = (await readFile(CRONTAB, 'utf8'))
    .replaceAll('https://api.example.com', rig.emulator.baseUrl)
    .replaceAll('https://hc-ping.com', `http://127.0.0.1:${port}`)
    .replaceAll(/(?<= |=)\/(?=(?:etc|var)\/)/g, `${rig.directory}/`)
    .replace('PATH=/usr/local/bin', `PATH=${rig.directory}/bin`)
    .split('\n')
    // one line is for those who need it
    .map((line) => line.replace(/^#(?=\*\/10 )/, ''))
    .filter((line) => line !== '' && !line.startsWith('#'));
  return {
    variables: lines.filter((line) => /^[A-Z_]+=/.test(line)),
    // five fields of time, the user, and what the shell gets
    commands: lines.flatMap((line) => /^(?:\S+ +){5}jobvault +(.*)$/.exec(line)?.[1] ?? []),
  };
}

/** With the variables of the file and cron's own, and no others. */
async function asCron(command: string, variables: readonly string[]) {
  const own = ['HOME=/nonexistent', 'LOGNAME=jobvault', 'SHELL=/bin/sh', ...variables];
  const child = spawn('/usr/bin/env', ['-i', ...own, '/bin/sh', '-c', command], { cwd: '/' });
  const [stdout, stderr, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  const told = stderr.split('\n').filter((line) => line !== '');
  const read = (line: string): unknown => (line.startsWith('{') ? JSON.parse(line) : line);
  return { exitCode, stdout, told: told.map(read) };
}

it('the crontab that is shipped has lines that archive, verify a slice and drill, and mail the gaps of the night once, new ones apart from known ones', async () => {
  const { variables, commands } = await crontab();
  const [nightly = '', check = '', monthly = '', , ...others] = commands;
  expect(others).toEqual([]);
  const first = await asCron(nightly, variables);
  expect(first).toEqual({
    exitCode: 3,
    stdout: '',
    told: [
      expect.stringMatching(
        /^\[\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\] WARN: 3 new gaps\. First new: user \S+, session \S+, job \S+: \w+\. Next: jobvault status \S+ --user \S+ \{"gaps":3,"new":3,"accepted":0,"refused":0\}$/,
      ),
    ],
  });
  const second = await asCron(nightly, variables);
  expect(second).toMatchObject({
    exitCode: 3,
    told: [
      expect.stringMatching(
        /^\[\S+Z\] WARN: no new gap, 3 gaps that were told before\. First: user .* \{"gaps":3,"new":0,/,
      ),
    ],
  });
  expect(check).toContain(' --within 30d ');
  expect(await asCron(check, variables)).toEqual({ exitCode: 0, stdout: '', told: [] });
  const slices = join(rig.directory, 'var/lib/jobvault/archive/_slices.json');
  expect(await readFile(slices, 'utf8')).toMatch(/^\{/);
  expect(await asCron(monthly, variables)).toEqual({ exitCode: 0, stdout: '', told: [] });
  const drills = await readFile(join(rig.directory, 'var/lib/jobvault/drills.log'), 'utf8');
  expect(drills).toMatch(
    /^\S+Z: \S+ as of commit \d+ \(a sample of 1 %\) was restored from itself: [^\n]+\n$/,
  );
});

it('the crontab that is shipped has a line for sessions that are soon deleted, which archives them in a small run and mails nothing', async () => {
  const { variables, commands } = await crontab();
  const soon = commands.at(-1) ?? '';
  expect(soon).toContain(' --max-requests 2500 ');
  await asCron(commands[0] ?? '', variables);
  const [user = ''] = rig.state.userIds();
  const jobs = [oldJob(rig.state.newJobId(Date.now() - 48 * 3_600_000))];
  rig.state.addSession(user, { id: 'lives-for-an-hour' }, jobs);
  let pings = 0;
  monitor.on('request', () => pings++);
  expect(await asCron(soon, variables)).toEqual({ exitCode: 3, stdout: '', told: [] });
  expect(pings).toBe(0);
  rig.state.deleteSession(user, 'lives-for-an-hour');
  await asCron(commands[0] ?? '', variables);
  const archive = join(rig.directory, 'var/lib/jobvault/archive');
  const { stdout } = await rig.run(['show', archive, 'lives-for-an-hour', '--json']);
  expect(JSON.parse(stdout)).toMatchObject({ jobs: [{}] });
});

it('the crontab that is shipped mails a night that did not begin, and one that was killed', async () => {
  const { variables, commands } = await crontab();
  const lock = join(rig.directory, 'var/lib/jobvault/export.lock');
  const holder = spawn(
    join(rig.directory, 'bin/flock'),
    [lock, 'sh', '-c', 'echo held; exec cat'],
    { stdio: 'pipe' },
  );
  await once(holder.stdout, 'data');
  expect(await asCron(commands[0] ?? '', variables)).toEqual({
    exitCode: 75,
    stdout: '',
    told: ['another run holds the lock: this one did not begin'],
  });
  holder.stdin.end();
  await once(holder, 'close');
  await writeFile(join(rig.directory, 'bin/jobvault'), '#!/bin/sh\nkill -9 $$\n');
  for (const command of commands.slice(0, 3)) {
    const { exitCode, told } = await asCron(command, variables);
    // some shells say "Killed" themselves
    expect([exitCode, told.at(-1)]).toEqual([137, 'jobvault was killed (exit code 137)']);
  }
});

it('the crontab that is shipped mails nothing after a night without gaps', async () => {
  await using whole = await CliRig.start({ users: 1, sessions: 1, jobs: 2 });
  const { variables, commands } = await crontab();
  const settings = variables.map((line) =>
    line.replace(rig.emulator.baseUrl, whole.emulator.baseUrl),
  );
  const users = whole.state.userIds().map((user) => `${user}\n`);
  await writeFile(join(rig.directory, 'etc/jobvault/users.csv'), users.join(''));
  for (const command of commands) {
    expect(await asCron(command, settings)).toEqual({ exitCode: 0, stdout: '', told: [] });
  }
});
