/** `init --nightly` writes all that a night needs, and a night then runs with nothing but that. */
import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';
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
  cron: told('by the mail of cron (MAILTO= in the crontab)'),
  systemd: told('by the mail to root that notify-jobvault@.service sends'),
};
const CRON_NOW = String.raw`  env -i HOME="$HOME" PATH=/usr/bin:/bin sh -c "$(sed -n '/^17 2 [*] [*] [*] /{s///;s/\\%/%/g;p;}' jobvault.crontab)"
`;

it('writes units, key, rules and dashboard for systemd, whose command archives and leaves metrics', async () => {
  const { exitCode, stdout } = await init();
  expect(exitCode).toBe(0);
  const { directory } = rig;
  expect(stdout).toBe(
    'Wrote jobvault.config.yaml and, for editors, jobvault.schema.json.\n' +
      `Wrote ${directory}/api-key, jobvault-export.service, jobvault-export.timer, jobvault-verify.service, jobvault-verify.timer, jobvault-drill.service, jobvault-drill.timer, notify-jobvault@.service, alerts.yml, dashboard.json.\n` +
      `Then:\n  jobvault doctor --config ${rig.directory}/jobvault.config.yaml\n  jobvault export --config ${rig.directory}/jobvault.config.yaml\n` +
      'Every night:\n' +
      '  sudo cp jobvault-export.service jobvault-export.timer jobvault-verify.service jobvault-verify.timer jobvault-drill.service jobvault-drill.timer notify-jobvault@.service /etc/systemd/system/\n' +
      '  sudo systemctl daemon-reload && sudo systemctl enable --now jobvault-export.timer jobvault-verify.timer jobvault-drill.timer\n' +
      'To try the export of a night now, as it will run then:\n  sudo systemctl start jobvault-export.service; journalctl -u jobvault-export.service -n 50\n' +
      'Alerts: name alerts.yml under rule_files of Prometheus, import dashboard.json into Grafana, ' +
      'and let node_exporter collect the folder of the metrics (--collector.textfile.directory).\n' +
      TOLD.systemd,
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

  expect(service).toContain(`\nReadWritePaths=-${directory}\n`);
  expect(service).toContain('\nOnFailure=notify-jobvault@%n.service\n');
  expect(service).toContain('\nRestartPreventExitStatus=2 3 4 6 7 8\n');
  const isInTmp = directory.startsWith('/tmp/');
  expect(service.includes('PrivateTmp=yes')).toBe(!isInTmp);
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
  await rig.runProgram(['verify', '--config', join(directory, 'jobvault.config.yaml')]);
  expect(await readdir(join(directory, 'metrics'))).toHaveLength(3);
  const codes = (await metricsIn(join(rig.directory, 'metrics'))).match(
    /^jobvault_run_exit_code\{.*$/gm,
  );
  expect(codes?.map((line) => /command="(\w+)"/.exec(line)?.[1]).toSorted()).toEqual([
    ...['drill', 'export', 'verify'],
  ]);
});

it('writes lines for cron that run as cron runs them, and leaves a key file as it is', async () => {
  await writeFile(join(rig.directory, 'my-key'), 'demo-key', { mode: 0o600 });
  const { exitCode, stdout } = await init('--scheduler', 'cron', '--api-key-file', 'my-key');
  expect(exitCode).toBe(0);
  expect(stdout).toBe(
    'Wrote jobvault.config.yaml and, for editors, jobvault.schema.json.\n' +
      'Wrote jobvault.crontab, alerts.yml, dashboard.json.\n' +
      `Then:\n  jobvault doctor --config ${rig.directory}/jobvault.config.yaml\n  jobvault export --config ${rig.directory}/jobvault.config.yaml\n` +
      'Every night:\n  (crontab -l; cat jobvault.crontab) | crontab -\n' +
      `To try the export of a night now, as it will run then:\n${CRON_NOW}` +
      'Alerts: name alerts.yml under rule_files of Prometheus, import dashboard.json into Grafana, ' +
      'and let node_exporter collect the folder of the metrics (--collector.textfile.directory).\n' +
      TOLD.cron,
  );
  const tried = await run('sh', ['-c', CRON_NOW], { cwd: rig.directory });
  expect(tried.stdout + tried.stderr).toBe('');
  expect(await metricsIn(join(rig.directory, 'metrics'))).toContain('jobvault_run_jobs');
  await run('rm', ['-r', join(rig.directory, 'metrics')]);
  await mkdir(join(rig.directory, 'metrics'));
  const lines = (await read('jobvault.crontab')).split('\n').filter((one) => /^\d/.test(one));
  expect(lines.map((line) => line.slice(0, 10))).toEqual([
    ...['17 2 * * *', '43 5 * * *', '43 6 1 * *'],
  ]);
  for (const line of lines) {
    const command = line.replace(/^(?:\S+ ){5}/, '').replaceAll('\\%', '%');
    const { stdout: mailed, stderr } = await asAtNight(command);
    expect(mailed + stderr).toBe('');
  }
  expect(await metricsIn(join(rig.directory, 'metrics'))).toContain('jobvault_run_jobs');
  expect(await metricsIn(join(rig.directory, 'metrics'))).toContain('jobvault_run_problems');
  expect(await read('my-key')).toBe('demo-key');
});

it('has lines for cron that mail the gaps of a night, and what verify finds, and end with the exit code of jobvault', async () => {
  await using lossy = await CliRig.start({ users: 1, sessions: 1, jobs: 9, gaps: true });
  const [user = ''] = lossy.state.userIds();
  const settings = ['--base-url', lossy.emulator.baseUrl, '--user', user, '--out', 'archive'];
  const scheduler = ['--scheduler', 'cron'];
  const { exitCode } = await initIn(lossy, [...settings, ...scheduler]);
  expect(exitCode).toBe(0);
  const crontab = await readFile(join(lossy.directory, 'jobvault.crontab'), 'utf8');
  const mailOf = async (begin: string) => {
    const line = crontab.split('\n').find((one) => one.startsWith(begin)) ?? '';
    const command = line.slice(begin.length).replaceAll('\\%', '%');
    const ended = await asAtNight(command).catch((failed: unknown) => failed);
    const { stdout, stderr, code = 0 } = ended as { stdout: string; stderr: string; code?: number };
    return { code, stderr, lines: stdout.split('\n').filter((one) => one !== '') };
  };
  const night = await mailOf('17 2 * * * ');
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
  expect(crontab).toContain('MAILTO=you@example.com');
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
  const check = await mailOf('43 5 * * * ');
  expect(check).toMatchObject({ code: 4, stderr: '' });
  expect(check.lines).toEqual([
    expect.stringMatching(
      /^\[\S+Z\] ERROR: Damaged: \d+ problems? in \S+\. First: tables\/jobs\/\S+parquet .*\. Next: jobvault verify .* \{"problems":\d+\}$/,
    ),
    ended(4, 'verify'),
  ]);
});

/** One night by the line of the export, as cron runs it, with what the line finds when it begins. */
async function night(before: string) {
  const line = (await read('jobvault.crontab')).split('\n').find((one) => one.startsWith('17 '));
  const command = (line ?? '').replace(/^(?:\S+ ){5}/, '').replaceAll('\\%', '%');
  const ended = await asAtNight(`${before}; ${command}`).catch((failed: unknown) => failed);
  const { stdout, stderr, code = 0 } = ended as { stdout: string; stderr: string; code?: number };
  return { code, mail: undated(stdout + stderr) };
}

it('has lines for cron that mail and log a night that did not begin, was killed, or ended without a word', async () => {
  expect((await init('--scheduler', 'cron')).exitCode).toBe(0);
  const lock = join(rig.directory, 'export.lock');
  const held = `another run holds ${lock}: this one did not begin\n`;
  const taken = await night(`exec 8>'${lock}'; /usr/bin/flock 8`);
  expect(taken).toEqual({ code: 75, mail: held });
  const ends = (code: number) => night(`flock() { return ${code}; }`);
  const killed = 'export was killed (exit code 137)\n';
  expect(await ends(137)).toEqual({ code: 137, mail: killed });
  const silent = 'export ended with exit code 1\n';
  expect(await ends(1)).toEqual({ code: 1, mail: silent });
  expect(await ends(0)).toEqual({ code: 0, mail: '' });
  const begins = 'export begins\n';
  const first = [held, killed, silent, 'export ended\n'].map((text) => begins + text).join('');
  expect(undated(await read('jobvault-export.log'))).toBe(first);
  // a machine that stops ends the shell, too: the next night tells
  await night(`flock() { echo 'the last words' >&2; kill -9 $$; }`);
  const late = 'an earlier export was killed; until then it had said:\nthe last words\n';
  expect(await ends(0)).toEqual({ code: 0, mail: late });
  expect(undated(await read('jobvault-export.log'))).toBe(
    `${first}${begins}the last words\n${late}${begins}export ended\n`,
  );
  // one that still runs is left alone
  await writeFile(join(rig.directory, `export.said.${process.pid}`), 'at work');
  expect(await ends(0)).toEqual({ code: 0, mail: '' });
  const left = (await readdir(rig.directory)).filter((name) => name.startsWith('export.'));
  expect(left.toSorted()).toEqual(['export.lock', `export.said.${process.pid}`]);
});

it('has lines for cron that mail the cause of a failed night where the disk is full, and that of a good one, whose log and metrics are not written', async () => {
  expect((await init('--scheduler', 'cron')).exitCode).toBe(0);
  // no file can grow, as on a full disk: EFBIG in place of ENOSPC
  const full = `trap '' XFSZ; ulimit -f 0`;
  const failed = await night(full);
  expect(failed.code).toBe(9);
  expect(failed.mail).toMatch(/^jobvault: .*EFBIG.*$/m);
  expect(failed.mail).toMatch(/^export ended with exit code 9$/m);
  const good = await night(`${full}; flock() { :; }`);
  expect(good).toMatchObject({ code: 0, mail: expect.stringContaining('jobvault-export.log') });
});

it.each(['systemd', 'cron'])(
  'leaves the metrics of each of its commands where --metrics-dir says, also outside of the folder of the configuration: %s',
  async (scheduler) => {
    const collector = join(rig.directory, 'node exporter');
    const words = ['--config', 'etc/jobvault.config.yaml', '--metrics-dir'];
    const { exitCode } = await init('--scheduler', scheduler, ...words, collector);
    expect(exitCode).toBe(0);
    expect(await read('etc/jobvault.config.yaml')).toContain(collector);
    const texts = await Promise.all(
      (await readdir(join(rig.directory, 'etc')))
        .filter((name) => /^jobvault.*\.(?:service|crontab)$/.test(name))
        .map((name) => read(`etc/${name}`)),
    );
    const lines = texts
      .flatMap((text) => text.split('\n'))
      .flatMap((line) => /^(?:ExecStart=|\d.*? flock )(.*)$/.exec(line)?.[0] ?? []);
    expect(lines).toHaveLength(3);
    expect(lines.filter((line) => line.includes('--metrics-dir'))).toEqual([]);
    if (scheduler === 'systemd') {
      for (const text of texts) {
        expect(text).toContain(
          `\nReadWritePaths=-${rig.directory}/etc -${rig.directory}/archive "-${collector}"\n`,
        );
      }
    }
    const isDrill = (line: string) => line.includes(' drill ');
    for (const line of [...lines.filter((one) => !isDrill(one)), ...lines.filter(isDrill)]) {
      const command = line.replace(/^(?:ExecStart=|(?:\S+ ){5})/, '');
      await asAtNight(command.replaceAll('\\%', '%').replaceAll('%%', '%'));
    }
    expect(await readdir(collector)).toHaveLength(3);
    for (const command of ['export', 'verify', 'drill']) {
      expect(await metricsIn(collector)).toContain(`jobvault_run_exit_code{command="${command}"`);
    }
  },
);

it('leaves metrics that node_exporter can read, which runs as another user, whatever the umask is', async () => {
  const [user = ''] = rig.state.userIds();
  const settings = ['--base-url', rig.emulator.baseUrl, '--user', user, '--out', 'archive'];
  const words = ['init', '--nightly', '--yes', ...settings, '--metrics-dir', 'var/node'];
  const line = ['umask 0077; exec "$@"', 'sh', ...PROGRAM, ...words];
  const environment = { ...process.env, JOBVAULT_API_KEY: 'demo-key' };
  await run('sh', ['-c', ...line], { cwd: rig.directory, env: environment });
  const modeOf = async (name: string) => (await stat(join(rig.directory, name))).mode & 0o777;
  expect([await modeOf('var'), await modeOf('var/node')]).toEqual([0o755, 0o755]);

  const service = await read('jobvault-export.service');
  const umask = /^UMask=(\d+)$/m.exec(service)?.[1] ?? '';
  expect(umask).toBe('0027');
  const command = /^ExecStart=(.*)$/m.exec(service)?.[1] ?? 'false';
  for (let night = 0; night < 2; night++) {
    await asAtNight(`umask ${umask}; ${command}`);
    const [name = ''] = await readdir(join(rig.directory, 'var/node'));
    expect(await modeOf(`var/node/${name}`)).toBe(0o644);
  }
});

it.each([
  [
    'systemd',
    'jobvault-verify.service, jobvault-verify.timer, jobvault-drill.service, jobvault-drill.timer',
    'jobvault-export.service, jobvault-export.timer, notify-jobvault@.service',
    '  sudo cp jobvault-export.service jobvault-export.timer notify-jobvault@.service /etc/systemd/system/\n' +
      '  sudo systemctl daemon-reload && sudo systemctl enable --now jobvault-export.timer\n' +
      'To try the export of a night now, as it will run then:\n  sudo systemctl start jobvault-export.service; journalctl -u jobvault-export.service -n 50\n',
  ],
  [
    'cron',
    'the lines of jobvault.crontab for verify and drill',
    'jobvault.crontab',
    `  (crontab -l; cat jobvault.crontab) | crontab -\nTo try the export of a night now, as it will run then:\n${CRON_NOW}`,
  ],
])(
  'says what is not written where no archive is named, and what writes it: %s',
  async (scheduler, left, units, start) => {
    const [user = ''] = rig.state.userIds();
    const place = ['--base-url', rig.emulator.baseUrl, '--scheduler', scheduler];
    const words = ['--user', user, ...place];
    const { exitCode, stdout } = await initIn(rig, words);
    expect(exitCode).toBe(0);
    expect(stdout).toBe(
      'Wrote jobvault.config.yaml and, for editors, jobvault.schema.json.\n' +
        `Wrote ${rig.directory}/api-key, ${units}, alerts.yml, dashboard.json.\n` +
        `Not written, because --out is not given: ${left}, and of an archive in a bucket the file environment for its credentials. ` +
        'Nothing reads the archive back until they are there. The same command again with --out ARCHIVE --force writes them, and replaces the configuration and the files above, but no key.\n' +
        `Fill in out. Then:\n  jobvault doctor --config ${rig.directory}/jobvault.config.yaml\n  jobvault export --config ${rig.directory}/jobvault.config.yaml\nEvery night:\n${start}` +
        'Alerts: name alerts.yml under rule_files of Prometheus, import dashboard.json into Grafana, ' +
        'and let node_exporter collect the folder of the metrics (--collector.textfile.directory).\n' +
        TOLD[scheduler as keyof typeof TOLD],
    );
    await writeFile(join(rig.directory, 'api-key'), 'another key');
    const again = await initIn(rig, [...words, '--out', 's3://bucket/archive', '--force']);
    expect([again.exitCode, await read('api-key')]).toEqual([0, 'another key']);
    expect(again.stdout).not.toContain('Not written');
    const names = await readdir(rig.directory);
    const text = await read(scheduler === 'cron' ? 'jobvault.crontab' : 'jobvault-drill.service');
    expect([names.includes('environment'), text.includes(' drill --sample ')]).toEqual([
      true,
      true,
    ]);
  },
);

it('says where the key belongs if none is set, and replaces nothing without --force', async () => {
  const [user = ''] = rig.state.userIds();
  const words = ['--user', user, '--out', 's3://bucket/archive'];
  const environment = { JOBVAULT_API_KEY: '' };
  const first = await initIn(rig, words, environment);
  expect(first.stdout).toContain(
    `Fill in base-url. Put the credentials of the bucket into ${rig.directory}/environment, unless the machine has a role. ` +
      `Put the API key into ${rig.directory}/api-key, then:\n` +
      `  set -a; . ${rig.directory}/environment; set +a\n  jobvault doctor --config ${rig.directory}/jobvault.config.yaml\n  jobvault export --config ${rig.directory}/jobvault.config.yaml\nEvery night:\n`,
  );
  expect(await read('jobvault-export.service')).toContain(
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
  expect(await read('environment')).toBe('AWS_ACCESS_KEY_ID=a\n');
});

it('gives a run from cron the credentials of its bucket, from a file that the crontab only names', async () => {
  const [user = ''] = rig.state.userIds();
  const place = ['--base-url', rig.emulator.baseUrl, '--out', 's3://bucket/archive'];
  const words = ['--user', user, '--scheduler', 'cron', ...place];
  expect((await initIn(rig, words)).exitCode).toBe(0);
  // names that the line itself uses, too
  const names = 'd=/nowhere\nf=/nowhere/f\ng=/nowhere/g\ncode=3\n';
  await writeFile(join(rig.directory, 'environment'), `AWS_ACCESS_KEY_ID=the-id\n${names}`);
  expect(await read('jobvault.crontab')).not.toContain('the-id');
  const told = await night('flock() { env | grep ^AWS >&2; }');
  expect(told).toEqual({ code: 0, mail: 'AWS_ACCESS_KEY_ID=the-id\n' });
  expect(undated(await read('jobvault-export.log'))).toBe(
    'export begins\nAWS_ACCESS_KEY_ID=the-id\nexport ended\n',
  );
});

it('says that a users file is not there yet', async () => {
  const { exitCode, stdout } = await rig.runProgram([
    ...['init', '--nightly', '--yes', '--base-url', rig.emulator.baseUrl],
    ...['--users-file', 'staff.csv', '--out', 'archive'],
  ]);
  expect(exitCode).toBe(0);
  expect(stdout).toContain(
    `There is no ${rig.directory}/staff.csv yet: write it, with the id of a user in each line. Then:\n`,
  );
});
