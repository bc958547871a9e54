/** Checks what an export needs, and says how to fix what is wrong. */
import { examineSetup } from '../../../doctor/examine-setup.js';
import { failed, ok, unknown, warning, type Finding } from '../../../doctor/examine-service.js';
import { JobvaultError, messageOf, UsageError } from '../../../base/error.js';
import { proxyFromEnvironment } from '../../../base/http/proxy.js';
import { shownAddress } from '../../../base/text/address.js';
import { redactText } from '../../../base/text/redact.js';
import { valueInEffect } from '../../../config/resolve-settings.js';
import { doctorSettings } from '../../../config/setup-settings.js';
import { redisOf } from '../../input/redis-url.js';
import { keyFileWarning, readApiKey } from '../../input/api-key.js';
import { storageOptionsOf } from '../../../config/storage-settings.js';
import { defineCommand, type Invocation } from '../../command.js';
import { asConfigured, step } from '../../../base/next-step.js';
import { placeOf } from '../../command-place.js';
import { exitCodeOfKinds } from '../../exit-code.js';
import { headStateOf } from '../../guarded-head.js';
import { readUsers } from '../../input/users.js';

export const doctorCommand = defineCommand({
  usage: 'doctor',
  describe: 'Check what an export needs, with a few requests, and say how to fix what is wrong',
  settings: doctorSettings,
  examples: {
    'jobvault doctor': 'checks the settings of jobvault.config.yaml',
    'jobvault doctor --base-url https://api.example.com --user ada --out ./archive': 'checks flags',
    'jobvault doctor --json': 'for programs; the exit code is that of the worst finding',
  },
  run: async (invocation) => {
    const { secrets } = invocation;
    await import('../export.js'); // a package that is not installed ends it as it would an export
    const findings = (await examine(invocation)).map((finding) => ({
      ...finding,
      message: redactText(finding.message, secrets) + foundIn(finding, invocation),
    }));
    const isFit = findings.every(({ status }) => status !== 'failed');
    return {
      exitCode: exitCodeOfKinds(new Set(findings.flatMap(({ failure }) => failure ?? []))),
      value: { ok: isFit, checks: findings },
      view: { lines: [...linesOf(findings), isFit ? READY : NOT_READY] },
    };
  },
});

/** The settings that decide what a check finds, where they can come from a file. */
const DECIDED_BY: Readonly<Record<string, readonly (keyof typeof doctorSettings)[]>> = {
  users: ['user', 'usersFile'],
  service: ['baseUrl'],
  encryption: ['baseUrl'],
  'API key': ['apiKeyFile'],
  'write access': ['out'],
  queue: ['redis'],
};

/** Names the file that was found in the working directory, where it decides: nobody has named it in this command. */
function foundIn({ check }: Finding, { sources }: Invocation<typeof doctorSettings>): string {
  const { file } = sources;
  if (!file?.isFound) return '';
  const deciding = (DECIDED_BY[check] ?? [])
    .map((name) => doctorSettings[name])
    .filter((setting) => valueInEffect(setting, sources)?.source === 'file');
  if (deciding.length === 0) return '';
  const path = `from ./${file.path}`;
  return check === 'users'
    ? `, ${path}`
    : ` (--${deciding.map(({ name }) => name).join(', --')} ${path})`;
}

async function examine(invocation: Invocation<typeof doctorSettings>): Promise<Finding[]> {
  const { settings: given, terminal } = invocation;
  const { secrets } = invocation;
  const key = await attempt('API key', readApiKey(given.apiKeyFile, { terminal, secrets }));
  const users = await attempt('users', usersOf(invocation));
  const named = [
    ...((given.apiKeyFile ?? terminal.environment['JOBVAULT_API_KEY']) ? [key] : []),
    ...(given.usersFile === undefined ? [] : [users]),
  ];
  const unreadable = named.flatMap(({ failure }) => failure ?? []);
  const findings = await examineSetup({
    ...given,
    apiKey: key.value,
    keyPlace: placeOf(invocation.sources).apiKey,
    users: users.value,
    allowUnlisted: given.allowUnknownUsers,
    isListOfAll: given.usersFile !== undefined && given.usersFile !== '-',
    storage: storageOptionsOf(given),
    proxy: proxyFromEnvironment(terminal.environment),
    nodeVersion: process.version,
    terms: terminal.terms,
    signal: terminal.interruption.signal,
  });
  findings.push(...(await headOf(invocation, findings)), ...(await queueOf(invocation)));
  const open = [
    key.value === undefined ? undefined : await keyFileWarning(given.apiKeyFile),
    await keyFileWarning(given.signingKey, 'signing key').catch(() => undefined), // a run says that there is none
  ];
  const ofKey = open.flatMap((problem) =>
    problem ? [warning('key file', problem.message, problem.fix)] : [],
  );
  // a file that cannot be read has a more precise error than "missing", and whoever has given it is not told to give one
  const fixes = new Map<string, string>([
    ...(given.apiKeyFile === undefined ? [] : [['API key', mendFile('--api-key-file')] as const]),
    ...(given.usersFile === undefined || given.usersFile === '-'
      ? []
      : [['users', mendFile('--users-file')] as const]),
  ]);
  return [...ofKey, ...findings].map((finding) => {
    const fileFinding = unreadable.find(({ check }) => check === finding.check);
    if (!fileFinding || finding.status !== 'failed') return finding;
    return { ...fileFinding, fix: fixes.get(finding.check) ?? finding.fix };
  });
}

function mendFile(flag: string): string {
  return `mend that file, or name another one with ${flag}`;
}

/** Nothing without --head-file, or where the archive cannot be read. */
async function headOf(
  invocation: Invocation<typeof doctorSettings>,
  findings: readonly Finding[],
): Promise<Finding[]> {
  const { keptHead: headFile, out } = invocation.settings;
  const isRead = findings.some(({ check, status }) => check === 'archive' && status === 'ok');
  if (headFile === undefined || out === undefined || !isRead) return [];
  try {
    const state = await headStateOf(invocation, { headFile, out });
    return [
      state === 'kept'
        ? ok('head', `the log has the commit that ${headFile} names`)
        : unknown('head', `${headFile} does not exist yet; the next run writes it`),
    ];
  } catch (error) {
    if (!(error instanceof JobvaultError)) throw error;
    const fix =
      error.failure === 'integrity'
        ? 'restore the archive from a copy that has that commit; if somebody has put the earlier state back on purpose, remove that file'
        : 'name another file with --head-file';
    return [failed('head', messageOf(error), fix, error.failure)];
  }
}

/** Nothing if no queue is named: an export needs none. */
async function queueOf({
  settings,
  terminal,
  secrets,
}: Invocation<typeof doctorSettings>): Promise<Finding[]> {
  if (settings.redis === undefined) return [];
  try {
    const url = redisOf(settings.redis, secrets);
    const { examineRedis } = await import('../../../fleet/redis.js');
    const hazards = await examineRedis(url, { terms: terminal.terms });
    if (hazards.length === 0) return [ok('queue', `${shownAddress(url)} answers`)];
    return hazards.map(({ hazard, fix }) =>
      warning('queue', `${shownAddress(url)} may lose the queue: ${hazard}`, fix),
    );
  } catch (error) {
    if (!(error instanceof JobvaultError)) throw error;
    const fix = 'is --redis right, and can this machine reach it?';
    return [failed('queue', messageOf(error), fix, error.failure)];
  }
}

/** Users on stdin are not read: the export reads them. */
async function usersOf({ settings, terminal, logger }: Invocation<typeof doctorSettings>) {
  const { user = [], usersFile } = settings;
  const isOnStdin = usersFile === '-';
  if (isOnStdin && user.length === 0) {
    throw new UsageError('doctor does not read users from stdin; name one of them with --user');
  }
  const given = { ...settings, usersFile: isOnStdin ? undefined : usersFile };
  return readUsers(given, { terminal, logger });
}

interface Attempt<T> {
  readonly value?: T;
  readonly failure?: Finding;
}

async function attempt<T>(check: string, work: Promise<T>): Promise<Attempt<T>> {
  try {
    return { value: await work };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { failure: failed(check, messageOf(error), '', 'usage') };
  }
}

const MARKS = { ok: 'ok', warning: 'warn', failed: 'FAIL', unknown: '?' } as const;
const INDENT = ' '.repeat(20);

/** One line a cause: what could not be checked because of it stands in its line. */
function linesOf(findings: readonly Finding[]): string[] {
  const failures = new Set(
    findings.filter(({ status }) => status === 'failed').map(({ check }) => check),
  );
  const isOwn = ({ because }: Finding) => because === null || !failures.has(because);
  return findings.filter(isOwn).flatMap((finding) => {
    const { check, status, message, fix } = finding;
    const unchecked = findings.filter((other) => !isOwn(other) && other.because === check);
    const names = [...new Set(unchecked.map((other) => other.check))];
    const rest =
      names.length === 0 || status !== 'failed'
        ? ''
        : `; therefore not checked: ${names.join(', ')}`;
    const line = `${MARKS[status].padEnd(4)}  ${check.padEnd(12)}  ${message + rest}`;
    return fix === null ? [line] : [line, `${INDENT}→ ${fix}`];
  });
}

const READY = step`Ready: ${asConfigured('export')}`;
const NOT_READY = 'Not ready: fix what is marked FAIL.';
