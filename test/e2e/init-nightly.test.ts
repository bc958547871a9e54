/** `init --nightly` writes all that a night needs, and a night then runs with nothing but that. */
import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { CliRun } from '../support/programs/cli-in-process.js';
import { MAIN, PROGRAM } from '../support/programs/cli-process.js';
import { metricsIn } from '../support/base/metrics-folder.js';
import { CliRig } from '../support/rigs/cli-rig.js';

const run = promisify(execFile);
const DEPLOY = fileURLToPath(new URL('../../config/deploy', import.meta.url));
let rig: CliRig;
beforeEach(async () => {
  rig = await CliRig.start({ users: 1, sessions: 2, jobs: 1 });
});
afterEach(() => rig[Symbol.asyncDispose]());

const read = (name: string) => readFile(join(rig.directory, name), 'utf8');
/** In this process, as the built program: what it writes calls that one. */
async function initIn(
  place: CliRig,
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<CliRun> {
  const [, program = ''] = process.argv;
  process.argv[1] = MAIN;
  try {
    return await place.run(['init', '--nightly', '--yes', ...words], { environment });
  } finally {
    process.argv[1] = program;
  }
}
const init = (...words: string[]) => {
  const [user = ''] = rig.state.userIds();
  const settings = ['--base-url', rig.emulator.baseUrl, '--user', user, '--out', 'archive'];
  return initIn(rig, [...settings, ...words]);
};
/** As cron and systemd do: without the variables of whoever set it up. */
const asAtNight = (line: string) =>
  run('env', ['-i', 'PATH=/usr/bin:/bin', 'HOME=/', 'sh', '-c', line], { cwd: '/' });

const TIME = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`;
/** What the lines themselves say has a time: a log has many nights. */
const undated = (text: string) => text.replaceAll(new RegExp(`^${TIME} (?!WARN|ERROR)`, 'gm'), '');
const told = (mail: string) =>
  `Of gaps and failures somebody is told ${mail}, if this machine can send mail, and by the alerts, if Prometheus has them; nobody else. Not set up: a night that never began (--ping-url), a chat (--webhook-url).\n`;
const TOLD = {
  cron: told('by the mail of cron (MAILTO= in jobvault.cron)'),
  systemd: told('by the mail to root that notify-jobvault@.service sends'),
};
const UNITS = ['export', 'verify', 'drill'].flatMap((task) => [
  `jobvault-${task}.service`,
  `jobvault-${task}.timer`,
]);
/** What `init` says of the next steps, from the scheduler on. */
function steps(scheduler: 'cron' | 'systemd'): string {
  const place = (name: string) => join(rig.directory, name);
  const copied = [...UNITS, 'notify-jobvault@.service', 'jobvault-.service.d'].map(place);
  const start =
    scheduler === 'cron'
      ? `  sudo cp ${place('jobvault.cron')} /etc/cron.d/jobvault\n`
      : `  sudo cp -r ${copied.join(' ')} /etc/systemd/system/\n` +
        '  sudo systemctl daemon-reload && sudo systemctl enable --now jobvault-export.timer jobvault-verify.timer jobvault-drill.timer\n';
  const now =
    scheduler === 'cron'
      ? `  env -i HOME="$HOME" PATH=/usr/bin:/bin ${place('nightly.sh')} export\n`
      : '  sudo systemctl start jobvault-export.service; journalctl -u jobvault-export.service -n 50\n';
  return (
    `Every night:\n${start}To try the export of a night now, as it will run then:\n${now}` +
    `Alerts: name ${place('alerts.yml')} under rule_files of Prometheus, import ${place('dashboard.json')} into Grafana, ` +
    'and let node_exporter collect the folder of the metrics (--collector.textfile.directory).\n' +
    TOLD[scheduler]
  );
}
const files = (scheduler: 'cron' | 'systemd') =>
  [
    ...(scheduler === 'cron'
      ? ['nightly.sh', 'jobvault.cron']
      : [...UNITS, 'jobvault-.service.d/rights.conf', 'notify-jobvault@.service']),
    'alerts.yml',
    'dashboard.json',
  ].join(', ');
const first = () =>
  `Then:\n  jobvault doctor --config ${rig.directory}/jobvault.config.yaml\n  jobvault export --config ${rig.directory}/jobvault.config.yaml\n`;
/** A task of the night, as cron starts it. */
const task = (name: string, before = ':') =>
  asAtNight(`${before}; exec '${join(rig.directory, 'nightly.sh')}' ${name}`);

it('writes units, key, rules and dashboard for systemd; the command archives, leaves metrics', async () => {
  const { exitCode, stdout } = await init();
  expect(exitCode).toBe(0);
  const { directory } = rig;
  expect(stdout).toBe(
    'Wrote jobvault.config.yaml and, for editors, jobvault.schema.json.\n' +
      `Wrote ${directory}/api-key, ${directory}/environment, ${files('systemd')}.\n` +
      first() +
      steps('systemd'),
  );
  const key = await stat(join(directory, 'api-key'));
  expect([key.mode & 0o777, await read('api-key')]).toEqual([0o600, 'demo-key\n']);
  for (const name of ['alerts.yml', 'dashboard.json']) {
    expect(await read(name)).toBe(await readFile(join(DEPLOY, name), 'utf8'));
  }
  const service = await read('jobvault-export.service');
  expect(service).not.toContain('demo-key');
  expect(await read('jobvault-export.timer')).toContain('\nOnCalendar=*-*-* 02:17:00\n');
  await asAtNight(/^ExecStart=(.*)$/m.exec(service)?.[1] ?? 'false');
  const metrics = await metricsIn(join(rig.directory, 'metrics'));
  expect(metrics).toMatch(/^jobvault_run_exit_code\{.*\} 0$/m);
  expect(await readdir(join(directory, 'archive'))).toContain('jobvault.json');

  const rights = await read('jobvault-.service.d/rights.conf');
  expect(rights).toContain(`\nReadWritePaths=-${directory}\n`);
  expect(rights).toContain(`\nWorkingDirectory=${directory}\n`);
  expect(rights).toContain(`\nUser=${userInfo().username}\n`);
  expect(rights).toContain(`\nEnvironmentFile=-${directory}/environment\n`);
  expect(service).toContain('\nOnFailure=notify-jobvault@%n.service\n');
  expect(service).toContain('\nRestartPreventExitStatus=2 3 4 6 7 8\n');
  const isInTmp = [directory, MAIN].some((path) => /^(?:\/var)?\/tmp\//.test(path));
  expect(rights.includes('\nPrivateTmp=yes\n')).toBe(!isInTmp);
  const drill = await read('jobvault-drill.service');
  expect(await read('jobvault-drill.timer')).toContain('\nOnCalendar=*-*-01 06:43:00\n');
  await asAtNight(/^ExecStart=(.*)$/m.exec(drill)?.[1]?.replace('1%%', '1%') ?? 'false');
  expect(await metricsIn(join(rig.directory, 'metrics'))).toMatch(
    /^jobvault_last_success_timestamp_seconds\{command="drill",.*\} \d/m,
  );

  const verify = await read('jobvault-verify.service');
  expect(verify).toContain(` verify --within 30d --config ${directory}/jobvault.config.yaml `);
  expect(await read('jobvault-verify.timer')).toContain('\nOnCalendar=*-*-* 05:43:00\n');
  await asAtNight(/^ExecStart=(.*)$/m.exec(verify)?.[1] ?? 'false');
  const all = await metricsIn(join(rig.directory, 'metrics'));
  expect(all).toMatch(/^jobvault_run_problems\{command="verify".*\} 0$/m);
  expect(await readdir(join(directory, 'archive'))).toContain('_slices.json');
  const samplesOf = (text: string) =>
    text.split('\n').filter((line) => line.includes('{command="export"'));
  expect(samplesOf(all)).toEqual(samplesOf(metrics));

  // as the mails and the alerts propose: its series are those of the night
  await rig.run(['verify', '--config', join(directory, 'jobvault.config.yaml')]);
  expect(await readdir(join(directory, 'metrics'))).toHaveLength(3);
  const codes = (await metricsIn(join(rig.directory, 'metrics'))).match(
    /^jobvault_run_exit_code\{.*$/gm,
  );
  expect(codes?.map((line) => /command="(\w+)"/.exec(line)?.[1]).toSorted()).toEqual([
    ...['drill', 'export', 'verify'],
  ]);
});

it('writes a file for cron.d and its script, which runs as cron runs it, and keeps a key file', async () => {
  await writeFile(join(rig.directory, 'my-key'), 'demo-key', { mode: 0o600 });
  const { exitCode, stdout } = await init('--scheduler', 'cron', '--api-key-file', 'my-key');
  expect(exitCode).toBe(0);
  expect(stdout).toBe(
    'Wrote jobvault.config.yaml and, for editors, jobvault.schema.json.\n' +
      `Wrote ${rig.directory}/environment, ${files('cron')}.\n${first()}${steps('cron')}`,
  );
  const lines = (await read('jobvault.cron')).split('\n').filter((line) => /^#?[*\d]/.test(line));
  const script = `${userInfo().username}  ${rig.directory}/nightly.sh`;
  expect(lines).toEqual([
    `17 2 * * *  ${script} export`,
    `43 5 * * *  ${script} verify`,
    `43 6 1 * *  ${script} drill`,
    `#*/10 * * * *  ${script} soon`,
  ]);
  for (const name of ['export', 'verify', 'drill', 'soon']) {
    const { stdout: mailed, stderr } = await task(name);
    expect([name, mailed + stderr]).toEqual([name, '']);
  }
  const metrics = await metricsIn(join(rig.directory, 'metrics'));
  expect(metrics).toContain('jobvault_run_jobs');
  expect(metrics).toContain('jobvault_run_problems');
  expect(await read('drills.log')).toMatch(/was restored from itself/);
  expect(await read('my-key')).toBe('demo-key');
  await expect(task('exprot')).rejects.toMatchObject({
    code: 2,
    stderr: 'nightly.sh: the task is "exprot"; allowed is export, verify, drill, soon\n',
  });
});

it('cron mails gaps, new ones apart, and what verify finds, with the exit code', async () => {
  await using lossy = await CliRig.start({ users: 1, sessions: 1, jobs: 9, gaps: true });
  const [user = ''] = lossy.state.userIds();
  const settings = ['--base-url', lossy.emulator.baseUrl, '--user', user, '--out', 'archive'];
  const scheduler = ['--scheduler', 'cron'];
  const { exitCode } = await initIn(lossy, [...settings, ...scheduler]);
  expect(exitCode).toBe(0);
  const mailOf = async (name: string) => {
    const script = join(lossy.directory, 'nightly.sh');
    const run = await asAtNight(`'${script}' ${name}`).catch((failed: unknown) => failed);
    const { stdout, stderr, code = 0 } = run as { stdout: string; stderr: string; code?: number };
    return { code, stderr, lines: stdout.split('\n').filter((line) => line !== '') };
  };
  const night = await mailOf('export');
  const ended = (code: number, name = 'export') =>
    expect.stringMatching(new RegExp(`^${TIME} ${name} ended with exit code ${code}$`)) as string;
  expect(night).toMatchObject({ code: 3, stderr: '', lines: [expect.any(String), ended(3)] });
  expect((await readdir(lossy.directory)).filter((name) => /^export\.(?!lock)/.test(name))).toEqual(
    [],
  );
  // the log that the alerts name
  const log = await readFile(join(lossy.directory, 'jobvault-export.log'), 'utf8');
  const [begins = '', ...rest] = log.trimEnd().split('\n');
  expect(begins).toMatch(new RegExp(`^${TIME} export begins$`));
  expect(rest).toEqual(night.lines);
  // a line for people: this comes as mail
  expect(night.lines[0]).toMatch(
    /^\[\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\] WARN: 3 new gaps\. First new: user .* \{"gaps":3,"new":3,"accepted":0,"refused":0\}$/,
  );

  const part = (await readdir(join(lossy.directory, 'archive/tables/jobs'), { recursive: true }))
    .map((name) => join(lossy.directory, 'archive/tables/jobs', name))
    .find((name) => name.endsWith('.parquet') && !name.includes('_delta_log'));
  const bytes = await readFile(part ?? '');
  bytes[bytes.length >> 1]! ^= 1;
  await writeFile(part ?? '', bytes);
  const second = await mailOf('export');
  expect(second.code).toBe(3);
  expect(second.lines[0]).toMatch(
    /^\[\S+Z\] WARN: no new gap, 3 gaps that were told before\. First: user .* \{"gaps":3,"new":0,/,
  );
  const check = await mailOf('verify');
  expect(check).toMatchObject({ code: 4, stderr: '' });
  expect(check.lines).toEqual([
    expect.stringMatching(
      /^\[\S+Z\] ERROR: Damaged: \d+ problems? in \S+\. First: tables\/jobs\/\S+parquet .*\. Next: jobvault verify .* \{"problems":\d+\}$/,
    ),
    ended(4, 'verify'),
  ]);
});

/** One night, as cron runs it, with what its script finds when it begins: programs of its own come first. */
async function night(before: string, programs: Readonly<Record<string, string>> = {}) {
  const bin = join(rig.directory, 'bin');
  await mkdir(bin, { recursive: true });
  for (const [name, text] of Object.entries(programs)) {
    await writeFile(join(bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  }
  const script = await read('nightly.sh');
  const path = join(rig.directory, 'night.sh');
  const program = `${bin}/jobvault "$@"`;
  const called =
    'jobvault' in programs
      ? script.replace(/^(jobvault\(\) \{ ).*? "\$@"/m, `$1${program}`)
      : script;
  await writeFile(path, called, { mode: 0o755 });
  const ended = await asAtNight(`${before}; '${path}' export`).catch((failed: unknown) => failed);
  const { stdout, stderr, code = 0 } = ended as { stdout: string; stderr: string; code?: number };
  return { code, mail: undated(stdout + stderr) };
}

it('cron tells of a night that did not begin, was killed, or ended without a word', async () => {
  expect((await init('--scheduler', 'cron')).exitCode).toBe(0);
  const lock = join(rig.directory, 'export.lock');
  const held = `another run holds ${lock}: this one did not begin\n`;
  const taken = await night(`exec 8>'${lock}'; /usr/bin/flock 8`);
  expect(taken).toEqual({ code: 75, mail: held });
  const ends = (code: number) => night(':', { jobvault: `exit ${code}` });
  const killed = 'export was killed (exit code 137)\n';
  expect(await ends(137)).toEqual({ code: 137, mail: killed });
  const warnings = ['[a] WARN: first', '[b] WARN: second'];
  const reason = ['jobvault: the reason', 'Next: mend it'];
  const says = (lines: readonly string[]) =>
    night(':', {
      jobvault: `printf '%s\\n' ${lines.map((line) => `'${line}'`).join(' ')} >&2; exit 3`,
    });
  const told = (...lines: readonly string[]) => ({
    code: 3,
    mail: [...lines, 'export ended with exit code 3', ''].join('\n'),
  });
  expect(await says([...warnings, ...reason])).toEqual(told(...reason, ...warnings));
  expect(await says(warnings)).toEqual(told('[b] WARN: second', '[a] WARN: first'));
  await rm(join(rig.directory, 'jobvault-export.log'));
  expect((await night(`exec 8>'${lock}'; /usr/bin/flock 8`)).code).toBe(75);
  await ends(137);
  const silent = 'export ended with exit code 1\n';
  expect(await ends(1)).toEqual({ code: 1, mail: silent });
  expect(await ends(0)).toEqual({ code: 0, mail: '' });
  const begins = 'export begins\n';
  expect(undated(await read('jobvault-export.log'))).toBe(
    held + [killed, silent, 'export ended\n'].map((text) => begins + text).join(''),
  );
});

it("cron mails why a night failed on a full disk, and that a good one's log is not written", async () => {
  expect((await init('--scheduler', 'cron')).exitCode).toBe(0);
  // no file can grow, as on a full disk: EFBIG in place of ENOSPC
  const full = `trap '' XFSZ; ulimit -f 0`;
  const failed = await night(full);
  expect(failed.code).toBe(9);
  expect(failed.mail).toMatch(/^jobvault: .*EFBIG.*$/m);
  expect(failed.mail).toMatch(/^export ended with exit code 9$/m);
  await night(':', { jobvault: ':' });
  const good = await asAtNight(`${full}; '${join(rig.directory, 'night.sh')}' export`);
  expect(good.stderr).toContain('jobvault-export.log');
});

it.each(['systemd', 'cron'])(
  'a night leaves its metrics in --metrics-dir, also outside of the folder: %s',
  async (scheduler) => {
    const collector = join(rig.directory, 'node-exporter');
    const words = ['--config', 'etc/jobvault.config.yaml', '--metrics-dir'];
    const { exitCode } = await init('--scheduler', scheduler, ...words, collector);
    expect(exitCode).toBe(0);
    expect(await read('etc/jobvault.config.yaml')).toContain(collector);
    if (scheduler === 'systemd') {
      expect(await read('etc/jobvault-.service.d/rights.conf')).toContain(
        `\nReadWritePaths=-${rig.directory}/etc -${rig.directory}/archive -${collector}\n`,
      );
    }
    const lineOf = async (name: string): Promise<string> =>
      scheduler === 'cron'
        ? `'${rig.directory}/etc/nightly.sh' ${name}`
        : (/^ExecStart=(.*)$/m.exec(await read(`etc/jobvault-${name}.service`))?.[1] ?? 'false');
    const lines = await Promise.all(['export', 'verify', 'drill'].map(lineOf));
    for (const line of lines) expect(line).not.toContain('--metrics-dir');
    // each is told of it by the configuration alone
    const config = ` --config ${rig.directory}/etc/jobvault.config.yaml `;
    if (scheduler === 'cron') expect(await read('etc/nightly.sh')).toContain(`"$@"${config}`);
    else for (const line of lines) expect(line).toContain(config);
    await asAtNight(lines[0] ?? 'false');
    expect(await readdir(collector)).toHaveLength(1);
    expect(await metricsIn(collector)).toContain('jobvault_run_exit_code{command="export"');
  },
);

it('node_exporter, which runs as another user, can read the metrics whatever the umask is', async () => {
  const [user = ''] = rig.state.userIds();
  const settings = ['--base-url', rig.emulator.baseUrl, '--user', user, '--out', 'archive'];
  const words = ['init', '--nightly', '--yes', ...settings, '--metrics-dir', 'var/node'];
  const line = ['umask 0077; exec "$@"', 'sh', ...PROGRAM, ...words];
  const environment = { ...process.env, JOBVAULT_API_KEY: 'demo-key' };
  await run('sh', ['-c', ...line], { cwd: rig.directory, env: environment });
  const modeOf = async (name: string) => (await stat(join(rig.directory, name))).mode & 0o777;
  expect([await modeOf('var'), await modeOf('var/node')]).toEqual([0o755, 0o755]);

  const service = await read('jobvault-export.service');
  const rights = await read('jobvault-.service.d/rights.conf');
  const umask = /^UMask=(\d+)$/m.exec(rights)?.[1] ?? '';
  expect(umask).toBe('0027');
  const command = /^ExecStart=(.*)$/m.exec(service)?.[1] ?? 'false';
  for (let night = 0; night < 2; night++) {
    await asAtNight(`umask ${umask}; ${command}`);
    const [name = ''] = await readdir(join(rig.directory, 'var/node'));
    expect(await modeOf(`var/node/${name}`)).toBe(0o644);
  }
});

it('--force keeps what is set and what was there: one setting is changed, no key is replaced', async () => {
  const settings = ['--webhook-url', 'https://chat.example/hook', '--rate', '7'];
  expect((await init('--scheduler', 'cron', ...settings)).exitCode).toBe(0);
  const before = await read('jobvault.config.yaml');
  await writeFile(join(rig.directory, 'api-key'), 'another key');
  await writeFile(join(rig.directory, 'jobvault.cron'), 'MAILTO=ops@example.com\n');
  const words = ['--force', '--ping-url', 'https://hc-ping.com/a'];
  const { exitCode, stdout } = await initIn(rig, words);
  expect(exitCode).toBe(0);
  const config: unknown = parse(await read('jobvault.config.yaml'));
  expect(config).toEqual({ ...parse(before), 'ping-url': 'https://hc-ping.com/a' });
  expect(config).toMatchObject({ 'webhook-url': 'https://chat.example/hook', rate: 7 });
  expect(stdout).toContain(
    'What was there before is kept: jobvault.config.yaml.bak, jobvault.cron.bak.\n',
  );
  expect(await read('jobvault.config.yaml.bak')).toBe(before);
  expect(await read('jobvault.cron.bak')).toBe('MAILTO=ops@example.com\n');
  expect(await read('api-key')).toBe('another key');
  expect(await read('jobvault.cron')).toContain('nightly.sh export');
});

it('refuses a folder that a crontab or a unit would have to quote', async () => {
  const { exitCode, stderr } = await init('--config', 'a folder/jobvault.config.yaml');
  expect(exitCode).toBe(2);
  expect(stderr).toContain(
    `the path "${rig.directory}/a folder/jobvault.config.yaml" has a character that crontabs or units would have to quote; allowed are letters, digits and / . _ - @ + :; put the configuration into another folder with --config`,
  );
  expect(await readdir(rig.directory)).not.toContain('a folder');
});

it('says where the key belongs if none is set, and replaces nothing without --force', async () => {
  const [user = ''] = rig.state.userIds();
  const words = ['--user', user, '--out', 's3://bucket/archive'];
  const environment = { JOBVAULT_API_KEY: '' };
  const first = await initIn(rig, words, environment);
  expect(first.stdout).toContain(
    `Fill in base-url. Put the credentials of the bucket into ${rig.directory}/environment, unless the machine has a role. ` +
      `Put the API key into ${rig.directory}/api-key, then:\n` +
      `  jobvault doctor --config ${rig.directory}/jobvault.config.yaml\n  jobvault export --config ${rig.directory}/jobvault.config.yaml\nEvery night:\n`,
  );
  expect(await read('jobvault-.service.d/rights.conf')).toContain(
    `EnvironmentFile=-${rig.directory}/environment\n`,
  );
  expect((await stat(join(rig.directory, 'environment'))).mode & 0o777).toBe(0o600);
  await writeFile(join(rig.directory, 'environment'), 'AWS_ACCESS_KEY_ID=a\n');
  await run('rm', [join(rig.directory, 'jobvault.config.yaml')]);
  const again = await initIn(rig, words, environment);
  expect([again.exitCode, again.stderr]).toEqual([
    2,
    expect.stringContaining('jobvault-export.service exists already; --force replaces it'),
  ]);
  expect(await readdir(rig.directory)).not.toContain('jobvault.config.yaml');
  const forced = await initIn(rig, [...words, '--force'], environment);
  expect(forced.exitCode).toBe(0);
  expect(forced.stdout).toContain(`Put the API key into ${rig.directory}/api-key, then:\n`);
  // they are there now
  expect(forced.stdout).not.toContain('credentials of the bucket');
  expect(await read('environment')).toBe('AWS_ACCESS_KEY_ID=a\n');
});

it('gives a run from cron the credentials of its bucket, from a file that the script reads', async () => {
  const [user = ''] = rig.state.userIds();
  const place = ['--base-url', rig.emulator.baseUrl, '--out', 's3://bucket/archive'];
  const words = ['--user', user, '--scheduler', 'cron', ...place];
  expect((await initIn(rig, words)).exitCode).toBe(0);
  // names that the script itself uses, too
  const names = 'task=drill\nlog=/nowhere\nreport=/nowhere/f\ncode=3\n';
  await writeFile(join(rig.directory, 'environment'), `AWS_ACCESS_KEY_ID=the-id\n${names}`);
  expect(await read('jobvault.cron')).not.toContain('the-id');
  const told = await night(':', { jobvault: 'env | grep ^AWS >&2' });
  expect(told).toEqual({ code: 0, mail: 'AWS_ACCESS_KEY_ID=the-id\n' });
  expect(undated(await read('jobvault-export.log'))).toBe(
    'export begins\nAWS_ACCESS_KEY_ID=the-id\nexport ended\n',
  );
});

it('says that a users file is not there yet', async () => {
  const place = ['--base-url', rig.emulator.baseUrl, '--out', 'archive'];
  const { exitCode, stdout } = await initIn(rig, [...place, '--users-file', 'staff.csv']);
  expect(exitCode).toBe(0);
  expect(stdout).toContain(
    `There is no ${rig.directory}/staff.csv yet: write it, with the id of a user in each line. Then:\n`,
  );
});

it('commands read the variables beside their configuration, and print no secret of them', async () => {
  const { exitCode } = await init();
  expect(exitCode).toBe(0);
  const variables = 'JOBVAULT_RATE=7\nJOBVAULT_OUT=elsewhere\nAWS_SECRET_ACCESS_KEY=the-secret\n';
  await writeFile(join(rig.directory, 'environment'), variables);
  const config = join(rig.directory, 'jobvault.config.yaml');
  const shown = await asAtNight(
    `JOBVAULT_OUT= ${PROGRAM.join(' ')} config show --config ${config}`,
  );
  expect(shown.stdout).toMatch(/^rate +7 +JOBVAULT_RATE/m);
  expect(shown.stdout).not.toContain('elsewhere');
  expect(shown.stdout + shown.stderr).not.toContain('the-secret');
});
