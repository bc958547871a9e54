/** What a night needs beside its configuration: the files of config/deploy, with the places of this machine. */
import { readFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { UsageError } from '../base/error.js';
import { step } from '../base/next-step.js';
import { readEnvironmentFile } from '../config/environment-file.js';
import type { ValuesOf } from '../config/resolve-settings.js';
import type { setupSettings } from '../config/setup-settings.js';
import { isUrl } from './input/outside-archive.js';
import type { Text } from './output/aligned.js';

export interface NightlyFile {
  readonly path: string;
  readonly text: string;
  /** Default: everybody may read it. */
  readonly mode?: number;
  /** One that is there already stays as it is: it may have secrets. */
  readonly isKept?: boolean;
}

/** The keys of a bucket, as somebody typed them. */
export interface Credentials {
  readonly id: string;
  readonly secret: string;
}

interface NightlyOptions {
  /** The configuration file; the others are written beside it. */
  readonly config: string;
  readonly scheduler: ValuesOf<typeof setupSettings>['scheduler'];
  readonly out: string | undefined;
  /** Default: beside the configuration. */
  readonly metricsDir?: string | undefined;
  readonly credentials?: Credentials | undefined;
  /** Whom the run runs as. */
  readonly user: string;
  readonly program: readonly string[];
}

const DEPLOY = fileURLToPath(new URL('../../config/deploy', import.meta.url));

/** What `OnFailure=` of the units starts. */
const NOTIFY = 'notify-jobvault@.service';

/** What all units share: user, places and rights. */
const RIGHTS = 'jobvault-.service.d/rights.conf';

const TIMERS = ['jobvault-export.timer', 'jobvault-verify.timer', 'jobvault-drill.timer'];

const FILES = {
  systemd: [
    ...TIMERS.flatMap((timer) => [timer.replace(/timer$/, 'service'), timer]),
    RIGHTS,
    NOTIFY,
  ],
  cron: ['nightly.sh', 'jobvault.cron'],
};

/** Alert rules and a dashboard, the same everywhere. */
const MONITORING = ['alerts.yml', 'dashboard.json'];

export function keyFileBeside(config: string): string {
  return join(dirname(resolve(config)), 'api-key');
}

export function metricsFolderBeside(config: string): string {
  return join(dirname(resolve(config)), 'metrics');
}

/** @throws {UsageError} a path that the files name would have to be quoted in them */
export async function nightlyFiles(options: NightlyOptions): Promise<NightlyFile[]> {
  const folder = dirname(options.config);
  const named = FILES[options.scheduler === 'cron' ? 'cron' : 'systemd'];
  const fitted = await Promise.all(
    named.map(async (name) => ({
      path: join(folder, name),
      text: withPlaces(await shipped(name), options),
      ...(name.endsWith('.sh') ? { mode: 0o755 } : {}),
    })),
  );
  const copied = await Promise.all(
    MONITORING.map(async (name) => ({ path: join(folder, name), text: await shipped(name) })),
  );
  const credentials = {
    path: environmentFileOf(options),
    text: credentialsText(options.credentials),
    ...{ mode: 0o600, isKept: true },
  };
  return [credentials, ...fitted, ...copied];
}

function shipped(name: string): Promise<string> {
  return readFile(join(DEPLOY, name), 'utf8');
}

/** Credentials of a bucket and other variables: cron and systemd have none of whoever sets them up. */
function environmentFileOf({ config }: Pick<NightlyOptions, 'config'>): string {
  return join(dirname(resolve(config)), 'environment');
}

function credentialsText(credentials: Credentials | undefined): string {
  const head =
    '# Variables of the night, such as the credentials of a bucket; not needed where the machine has a role.\n';
  if (!credentials) return `${head}#AWS_ACCESS_KEY_ID=\n#AWS_SECRET_ACCESS_KEY=\n#AWS_REGION=\n`;
  return `${head}AWS_ACCESS_KEY_ID=${credentials.id}\nAWS_SECRET_ACCESS_KEY=${credentials.secret}\n`;
}

const WITHOUT_PRIVATE_TMP =
  '# PrivateTmp=yes is left out: the program, or a folder that it writes to, is under /tmp or /var/tmp, and would be hidden from it';

/** The program, the folder of the configuration and the user in place of those of the shipped file. */
function withPlaces(text: string, options: NightlyOptions): string {
  const config = plainPath(resolve(options.config));
  const program = options.program.map(plainPath).join(' ');
  const folder = dirname(config);
  const names: Readonly<Record<string, string>> = {
    '/usr/local/bin/jobvault': program,
    '/var/lib/jobvault/jobvault.config.yaml': config,
    '/var/lib/jobvault': folder,
  };
  const { user, out, metricsDir } = options;
  const others = [out, metricsDir].flatMap((place) =>
    place === undefined || isUrl(place) ? [] : [plainPath(resolve(place))],
  );
  const writable = [folder, ...others.filter((place) => !place.startsWith(`${folder}/`))];
  const lies = (under: RegExp) =>
    [...writable, ...options.program].some((path) => under.test(path));
  return text
    .replace(
      /^ReadWritePaths=.*$/m,
      `ReadWritePaths=${writable.map((path) => `-${path}`).join(' ')}`,
    )
    .replaceAll(
      /\/usr\/local\/bin\/jobvault|\/var\/lib\/jobvault(?:\/jobvault\.config\.yaml)?/g,
      (name) => names[name] ?? name,
    )
    .replace(/^User=jobvault$/m, `User=${user}`)
    .replaceAll(/^(#?[*\d]\S*(?: \S+){4}) {2}jobvault {2}/gm, `$1  ${user}  `)
    .replace(
      /^ProtectHome=yes$/m,
      lies(/^\/(?:home|root|run\/user)\//) ? 'ProtectHome=read-only' : '$&',
    )
    .replace(/^PrivateTmp=yes$/m, lies(/^(?:\/var)?\/tmp\//) ? WITHOUT_PRIVATE_TMP : '$&');
}

/**
 * A shell, cron and systemd quote each in their own way: what the files name needs none of it.
 *
 * @throws {UsageError} it has another character
 */
function plainPath(path: string): string {
  if (/^[\p{L}\p{N}/._@+:-]+$/u.test(path)) return path;
  throw new UsageError(
    `the path ${JSON.stringify(path)} has a character that crontabs or units would have to quote; allowed are letters, digits and / . _ - @ + :; put the configuration into another folder with --config`,
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
}): string[] {
  if (pingUrl !== undefined && webhookUrl !== undefined) return [];
  const mail =
    scheduler === 'cron'
      ? 'by the mail of cron (MAILTO= in jobvault.cron)'
      : `by the mail to root that ${NOTIFY} sends`;
  const others = [
    ...(pingUrl === undefined ? ['a night that never began (--ping-url)'] : []),
    ...(webhookUrl === undefined ? ['a chat (--webhook-url)'] : []),
  ];
  return [
    `Of gaps and failures somebody is told ${mail}, if this machine can send mail, and by the alerts, if Prometheus has them; nobody else. Not set up: ${others.join(', ')}.`,
  ];
}

/** What comes before the first command; empty of an archive that is no bucket, or whose credentials are there already. */
export async function bucketStep({ config, out }: Pick<NightlyOptions, 'config' | 'out'>) {
  const known = await readEnvironmentFile({ path: config, isFound: false });
  if (out?.startsWith('s3://') !== true || known['AWS_ACCESS_KEY_ID']) return '';
  const file = environmentFileOf({ config });
  return `Put the credentials of the bucket into ${file}, unless the machine has a role. `;
}

/** How each of the files comes to work. */
export function nightlySteps({
  config,
  scheduler,
}: Pick<NightlyOptions, 'config' | 'scheduler'>): Text[] {
  const folder = dirname(resolve(config));
  const place = (name: string) => join(folder, name);
  const units = FILES.systemd.filter((name) => name !== RIGHTS);
  const copied = [...units, dirname(RIGHTS)].map(place).join(' ');
  const timers = TIMERS.map((path) => basename(path)).join(' ');
  const isCron = scheduler === 'cron';
  const start = isCron
    ? [`sudo cp ${place('jobvault.cron')} /etc/cron.d/jobvault`]
    : [
        `sudo cp -r ${copied} /etc/systemd/system/`,
        `sudo systemctl daemon-reload && sudo systemctl enable --now ${timers}`,
      ];
  const now = isCron
    ? `env -i HOME="$HOME" PATH=/usr/bin:/bin ${place('nightly.sh')} export`
    : 'sudo systemctl start jobvault-export.service; journalctl -u jobvault-export.service -n 50';
  return [
    'Every night:',
    ...start.map(pasted),
    'To try the export of a night now, as it will run then:',
    pasted(now),
    `Alerts: name ${place('alerts.yml')} under rule_files of Prometheus, import ${place('dashboard.json')} into Grafana, and let node_exporter collect the folder of the metrics (--collector.textfile.directory).`,
  ];
}

/** A line that is pasted into a shell. */
function pasted(shell: string): Text {
  return step`  ${{ shell }}`;
}
