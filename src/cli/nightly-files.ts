/** What a night needs beside its configuration: the key, what starts export and verify, alert rules and a dashboard. */
import { shellWord } from './pasteable.js';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { UsageError } from '../base/error.js';
import type { ValuesOf } from '../config/resolve-settings.js';
import type { setupSettings } from '../config/setup-settings.js';
import { isUrl } from './input/outside-archive.js';

export interface NightlyFile {
  readonly path: string;
  readonly text: string;
  /** The mode of a key's file: nobody else may read it. */
  readonly mode?: number;
}

interface NightlyOptions {
  /** The configuration file; the others are written beside it. */
  readonly config: string;
  readonly scheduler: ValuesOf<typeof setupSettings>['scheduler'];
  readonly out: string | undefined;
  /** Default: beside the configuration. */
  readonly metricsDir?: string | undefined;
  /** Whom the run runs as. */
  readonly user: string;
  readonly program: readonly string[];
}

const DEPLOY = fileURLToPath(new URL('../../dist/deploy', import.meta.url));
interface Task {
  /** The name of its unit. */
  readonly name: string;
  readonly words: readonly string[];
  readonly describes: string;
  /** The export's is an hour at which most services have least to do. */
  readonly at: { readonly minute: number; readonly hour: number };
  /** On the first of a month; default: every night. */
  readonly isMonthly?: boolean;
  /** The file in the folder to which the lines of cron go; default: none. */
  readonly log?: string;
}

export function keyFileBeside(config: string): string {
  return join(dirname(resolve(config)), 'api-key');
}

export function metricsFolderBeside(config: string): string {
  return join(dirname(resolve(config)), 'metrics');
}

function metricsFolder({ config, metricsDir }: NightlyOptions): string {
  return resolve(metricsDir ?? metricsFolderBeside(config));
}

/** What `OnFailure=` of the units starts. */
const NOTIFY = 'notify-jobvault@.service';

const EXPORT_AT = { minute: 17, hour: 2 };

/**
 * The export and, where the archive is known, a verification of a thirtieth of the files, and a drill each month. All take
 * it from the configuration, and the folder of the metrics, too: an archive that moves is named there, and nowhere else.
 */
function tasksOf(options: NightlyOptions): Task[] {
  const { config, out, program } = options;
  const configWords = ['--config', resolve(config)];
  return [
    {
      name: 'export',
      words: [...program, 'export', ...configWords],
      describes: 'Archive the history of the AI data-analysis assistant',
      at: EXPORT_AT,
    },
    ...(out === undefined
      ? []
      : [
          {
            name: 'verify',
            words: [...program, 'verify', '--within', '30d', ...configWords],
            describes: 'Verify the archive of the AI data-analysis assistant',
            at: { minute: 43, hour: 5 },
          },
          {
            name: 'drill',
            words: [...program, 'drill', '--sample', '1%', ...configWords],
            describes: 'Restore a hundredth of the archive of the AI data-analysis assistant',
            at: { minute: 43, hour: 6 },
            isMonthly: true,
            log: 'drills.log',
          },
        ]),
  ];
}

/** The credentials of an archive in a bucket: cron and systemd have no variables of whoever sets them up. */
function credentialsBeside({ config, out }: Pick<NightlyOptions, 'config' | 'out'>) {
  const isBucket = out?.startsWith('s3://') === true;
  return isBucket ? join(dirname(resolve(config)), 'environment') : undefined;
}

const CREDENTIALS = `# Credentials of the bucket; not needed where the machine has a role.
#AWS_ACCESS_KEY_ID=
#AWS_SECRET_ACCESS_KEY=
#AWS_REGION=
`;

/** The caller leaves out those with a mode that are there already: they may have secrets. */
export async function nightlyFiles(options: NightlyOptions): Promise<NightlyFile[]> {
  const place = (name: string) => join(dirname(options.config), name);
  const units =
    options.scheduler === 'cron'
      ? [{ path: place('jobvault.crontab'), text: crontabText(options) }]
      : tasksOf(options).flatMap((task) => [
          { path: place(`jobvault-${task.name}.service`), text: serviceText(task, options) },
          { path: place(`jobvault-${task.name}.timer`), text: timerText(task) },
        ]);
  const copied = [
    ...(options.scheduler === 'cron' ? [] : [NOTIFY]),
    'alerts.yml',
    'dashboard.json',
  ];
  const copies = await Promise.all(
    copied.map(async (name) => {
      return { path: place(name), text: await readFile(join(DEPLOY, name), 'utf8') };
    }),
  );
  const credentials = credentialsBeside(options);
  return [
    ...(credentials === undefined ? [] : [{ path: credentials, text: CREDENTIALS, mode: 0o600 }]),
    ...units,
    ...copies,
  ];
}

/** Which of the files there are not, because it is not known where the archive is; empty where it is. */
export function withoutArchive({ scheduler, out }: Pick<NightlyOptions, 'scheduler' | 'out'>) {
  if (out !== undefined) return '';
  const verifications =
    scheduler === 'cron'
      ? 'the lines of jobvault.crontab for verify and drill'
      : 'jobvault-verify.service, jobvault-verify.timer, jobvault-drill.service, jobvault-drill.timer';
  return (
    `Not written, because --out is not given: ${verifications}, and of an archive in a bucket the file environment for its credentials. ` +
    'Nothing reads the archive back until they are there. The same command again with --out ARCHIVE --force writes them, and replaces the configuration and the files above, but no key.\n'
  );
}

/** Who hears of a night that fails or has gaps, as far as it is set up here. */
export function toldText({
  scheduler,
  pingUrl,
  webhookUrl,
}: Pick<NightlyOptions, 'scheduler'> & {
  readonly pingUrl: URL | undefined;
  readonly webhookUrl: URL | undefined;
}): string {
  if (pingUrl !== undefined && webhookUrl !== undefined) return '';
  const mail =
    scheduler === 'cron'
      ? 'by the mail of cron (MAILTO= in the crontab)'
      : `by the mail to root that ${NOTIFY} sends`;
  const others = [
    ...(pingUrl === undefined ? ['a night that never began (--ping-url)'] : []),
    ...(webhookUrl === undefined ? ['a chat (--webhook-url)'] : []),
  ];
  return `Of gaps and failures somebody is told ${mail}, if this machine can send mail, and by the alerts, if Prometheus has them; nobody else. Not set up: ${others.join(', ')}.\n`;
}

/** What comes before the first command, and what this shell must read; empty of an archive that is no bucket. */
export function bucketSteps(options: Pick<NightlyOptions, 'config' | 'out'>) {
  const credentials = credentialsBeside(options);
  if (credentials === undefined) return { fillIn: '', load: '' };
  return {
    fillIn: `Put the credentials of the bucket into ${credentials}, unless the machine has a role. `,
    load: `  set -a; . ${shellWord(credentials)}; set +a\n`,
  };
}

/** How each of the files comes to work. */
export function nightlySteps(
  options: Pick<NightlyOptions, 'config' | 'scheduler' | 'out'>,
  files: readonly NightlyFile[],
) {
  const { config, scheduler } = options;
  const here = dirname(config);
  const units = files.map(({ path }) => path).filter((path) => /\.(?:service|timer)$/.test(path));
  const timers = units.filter((path) => path.endsWith('.timer')).map((path) => basename(path));
  const start =
    scheduler === 'cron'
      ? `  (crontab -l; cat ${join(here, 'jobvault.crontab')}) | crontab -\n`
      : `  sudo cp ${units.join(' ')} /etc/systemd/system/\n` +
        `  sudo systemctl daemon-reload && sudo systemctl enable --now ${timers.join(' ')}\n`;
  const now =
    scheduler === 'cron'
      ? `  ${cronLineNow(join(here, 'jobvault.crontab'))}\n`
      : '  sudo systemctl start jobvault-export.service; journalctl -u jobvault-export.service -n 50\n';
  return (
    `Every night:\n${start}` +
    `To try the export of a night now, as it will run then:\n${now}` +
    `Alerts: name ${join(here, 'alerts.yml')} under rule_files of Prometheus, import ${join(here, 'dashboard.json')} into Grafana, ` +
    'and let node_exporter collect the folder of the metrics (--collector.textfile.directory).\n'
  );
}

/** Runs the line of the export without the variables that cron does not have; what it prints is what cron would mail. */
function cronLineNow(crontab: string): string {
  const { minute, hour } = EXPORT_AT;
  const begin = `^${minute} ${hour} [*] [*] [*] `;
  const line = `sed -n '/${begin}/{s///;s/\\\\%/%/g;p;}' ${shellWord(crontab)}`;
  return `env -i HOME="$HOME" PATH=/usr/bin:/bin sh -c "$(${line})"`;
}

/** The exit code of a line whose lock another run holds: none of jobvault's, and that of sysexits.h for "try later". */
const HELD = 75;

/** How many characters Debian's cron takes as a command: it refuses a table with a longer one. */
const MOST_OF_CRON = 998;

function tooLong(name: string, length: number): UsageError {
  return new UsageError(
    `the command for cron to ${name} has ${length} characters; allowed are ${MOST_OF_CRON}: put the configuration into a folder with a shorter path, or use --scheduler systemd`,
  );
}

/** A word of a line that begins in the folder: a path there is shorter so. */
function inFolder(word: string, folder: string): string {
  const name = word.startsWith(`${folder}/`) ? word.slice(folder.length + 1) : '';
  return /^[\w./-]+$/.test(name) ? `"$PWD/${name}"` : cronWord(word);
}

/**
 * What a command says goes through a pipe, into the log and the mail at once: a disk that is full is what a mail must tell,
 * so nothing of it may need one. The exit code comes beside it, on descriptor 3: that of a pipe would be that of `tee`.
 */
function crontabText(options: NightlyOptions): string {
  const folder = dirname(resolve(options.config));
  // before anything is set: the file may set any name
  const variables =
    credentialsBeside(options) === undefined
      ? ''
      : 'set -a; [ ! -e environment ] || . ./environment; ';
  const lines = tasksOf(options).map(({ name, words, at, isMonthly = false, log }) => {
    const command = words.map((word) => inFolder(word, folder)).join(' ');
    const answer = log === undefined ? '>/dev/null' : `>>${log}`;
    const day = isMonthly ? '1' : '*';
    const lock = `${name}.lock`;
    // a time of its own: what ends a command has none, and a log has many nights
    const told = String.raw`g=jobvault-${name}.log f=${name}.said.$$; l() { echo "$(date -u +\%FT\%TZ) $*" | tee -a $g; }`;
    const locked = `flock -n -E ${HELD} ${lock} ${command} -q --log-format text 2>&1 ${answer}`;
    const said = `exec 4>&1; l ${name} begins >/dev/null; code=$({ { ${locked}; echo $? >&3; } | tee -a $g $f >&4; } 3>&1); rm -f $f`;
    const ended = `case $code in 0) l ${name} ended >/dev/null;; ${HELD}) l "another run holds $PWD/${lock}: this one did not begin";; 13[4-9]) l "${name} was killed (exit code $code)";; *) l "${name} ended with exit code $code";; esac; exit $code`;
    const line = `cd ${cronWord(folder)} && { ${variables}${told}; ${killedBefore(name)}; ${said}; ${ended}; }`;
    if (line.length > MOST_OF_CRON) throw tooLong(name, line.length);
    return `${at.minute} ${at.hour} ${day} * * ${line}\n`;
  });
  return (
    '# Every night: archive what is new, and read back a thirtieth of the files; on the first of a month restore a\n' +
    '# hundredth of the sessions. When each began and ended, and what is wrong, goes into jobvault-export.log, -verify.log\n' +
    '# and -drill.log here; what is wrong comes as mail, too: nothing of a whole night. To whom is said by a line\n' +
    '# MAILTO=you@example.com above these; the machine must be able to send mail. A line ends with the exit code of\n' +
    '# jobvault, or 75: another run was at work. Cron tries nothing again: what a night could not read, the next one reads,\n' +
    '# also where one was killed; and it tells of one that a machine which stopped has killed.\n' +
    lines.join('')
  );
}

/**
 * What a line said whose shell was killed, too, by a machine that stopped, say: nobody has heard of it. A file ends with the
 * number of its shell; it is of no run that lives where that has ended, or is this one.
 */
function killedBefore(name: string): string {
  const isOfOther = '[ ! -e $o ] || { [ ${o##*.} != $$ ] && kill -0 ${o##*.} 2>/dev/null; }';
  const printed = `{ l "an earlier ${name} was killed; until then it had said:"; tee -a $g <$o; rm $o; }`;
  return `for o in ${name}.said.*; do ${isOfOther} || ${printed}; done`.replaceAll(
    '%',
    String.raw`\%`,
  );
}

function serviceText(task: Task, options: NightlyOptions): string {
  const { config, user, out } = options;
  const file = credentialsBeside(options);
  const here = dirname(resolve(config));
  const places = [
    here,
    ...(out === undefined || isUrl(out) ? [] : [resolve(out)]),
    metricsFolder(options),
  ];
  const needed = places.filter((place, at) => at === 0 || !`${place}/`.startsWith(`${here}/`));
  const writable = [
    '# /etc and /usr are read-only but for these; "-": it may not be there yet.',
    `ReadWritePaths=${needed.map((place) => pathWord(`-${place}`)).join(' ')}`,
    // a private /tmp would hide what lies there
    ...(places.some((place) => /^(?:\/var)?\/tmp\//.test(place)) ? [] : ['PrivateTmp=yes']),
  ];
  const credentials = file === undefined ? [] : [`EnvironmentFile=-${unitWord(file)}`];
  return [
    `# jobvault-${task.name}.timer starts it.`,
    '[Unit]',
    `Description=${task.describes}`,
    'Wants=network-online.target',
    'After=network-online.target',
    '# Not tried again for ever: about two hours.',
    'StartLimitIntervalSec=3h',
    'StartLimitBurst=12',
    '# Tells root by mail of gaps and failures; another way to tell somebody belongs into that unit.',
    `OnFailure=${NOTIFY.replace('@', '@%n')}`,
    '',
    '[Service]',
    'Type=oneshot',
    `ExecStart=${task.words.map(unitWord).join(' ')} --log-format json`,
    `WorkingDirectory=${dirname(resolve(config)).replaceAll('%', '%%')}`,
    `User=${user}`,
    ...credentials,
    '# SIGTERM: what is ready is committed, within 25 s; the next run goes on there. Exit code 143.',
    'TimeoutStopSec=30s',
    'SuccessExitStatus=143',
    '# Tried again where that may help: the service (5) or the storage (9) out of reach, or',
    '# anything unexpected (1).',
    'Restart=on-failure',
    'RestartPreventExitStatus=2 3 4 6 7 8',
    'RestartSec=10min',
    'UMask=0027',
    'NoNewPrivileges=yes',
    'ProtectSystem=full',
    ...writable,
    'Nice=10',
    '',
    '[Install]',
    'WantedBy=multi-user.target',
    '',
  ].join('\n');
}

function timerText({ name, describes, at: { hour, minute }, isMonthly = false }: Task): string {
  const often = isMonthly ? 'every month' : 'every night';
  return `# Starts jobvault-${name}.service ${often}, and afterwards where the machine was off.
[Unit]
Description=${describes} ${often}

[Timer]
OnCalendar=*-*-${isMonthly ? '01' : '*'} 0${hour}:${minute}:00
RandomizedDelaySec=20min
FixedRandomDelay=yes
Persistent=yes

[Install]
WantedBy=timers.target
`;
}

/** In a crontab `%` is the end of a line. */
function cronWord(word: string): string {
  return shellWord(word).replaceAll('%', '\\%');
}

/** In a command of a unit file `$` means something, too. */
function unitWord(word: string): string {
  return pathWord(word.replaceAll('$', '$$$$'));
}

/** In a unit file `%` means something, and words with spaces stand in quotes. */
function pathWord(word: string): string {
  const plain = word.replaceAll('%', '%%');
  if (!/[\s"'\\]/.test(plain)) return plain;
  return `"${plain.replaceAll('\\', String.raw`\\`).replaceAll('"', String.raw`\"`)}"`;
}
