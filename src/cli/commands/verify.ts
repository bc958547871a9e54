/** Verifies an archive; with flags also repairs it, and compares it with the service. */
import { IntegrityError } from '../../archive/archive-errors.js';
import { archiveIsBehind } from '../../repair/difference.js';
import type { OpenArchive } from '../../library/open-archive.js';
import type { ServiceChoices } from '../../repair/service-access.js';
import { verifySettings } from '../../config/verify-settings.js';
import { telemetrySettings } from '../../config/telemetry-settings.js';
import { UsageError } from '../../base/error.js';
import { withArchive } from '../input/access.js';
import { readCertificates, readVerifiers } from '../input/keys.js';
import { readApiKey } from '../input/api-key.js';
import { defineCommand, type Invocation } from '../command.js';
import type { CommandPlace } from '../../base/next-step.js';
import { EXIT } from '../exit-code.js';
import { keptHead } from '../guarded-head.js';
import type { Logger } from '../../base/logger.js';
import { countsOfVerify } from '../output/run-counts.js';
import {
  afterVerify,
  damageText,
  verifiedJson,
  verifiedView,
  type Verified,
} from '../output/reports/verify-report.js';
import { proxyFromEnvironment } from '../../base/http/proxy.js';

const settings = { ...verifySettings, ...telemetrySettings };

type VerifyInvocation = Invocation<typeof settings>;

export const verifyCommand = defineCommand({
  usage: 'verify [archive]',
  describe: 'Prove that an archive is whole: the chain, every file, every row count',
  settings,
  examples: {
    'jobvault verify ./archive': 'exit code 0 when nothing is missing or changed, 4 otherwise',
    'jobvault verify ./archive --json': 'one line of JSON for a monitor',
    'jobvault verify ./archive --sample 5%':
      'checks every commit, and a part of manifests and files',
    'jobvault verify ./archive --within 30d':
      'every night: new files, and a thirtieth of the others',
    'jobvault verify ./archive --public-key public.pem --expect-head 42:9f86…':
      'detects a rewritten or shortened log',
    'jobvault verify ./archive --repair': 'with an API key, fetches lost files again',
    'jobvault verify ./archive --repair --delta': 'makes all Delta tables anew, from the log',
    'jobvault verify ./archive --against-service': 'exit code 3 when the service has more',
  },
  onlyReads: ({ repair, within }) => repair !== true && within === undefined,
  run: async (invocation) => {
    const { logger } = invocation;
    const verified = await withArchive(invocation, (archive) => verify(invocation, archive));
    const unrecorded = verified.report.slices?.unrecorded ?? null;
    if (unrecorded !== null) {
      logger.warn(
        {},
        `what was read back is not noted in the archive, and the next check reads it again: ${unrecorded}; a caller who may only read names a part with --slice`,
      );
    }
    return {
      exitCode: exitCodeOf(verified),
      value: verifiedJson(verified),
      view: verifiedView(verified),
      counts: countsOfVerify(verified),
      log: (place) => tellOfDamage(logger, verified, place),
    };
  },
});

/** Logs the damage, so that a nightly check whose report nobody keeps says it, too: cron mails what is on stderr. */
function tellOfDamage(logger: Logger, verified: Verified, place: CommandPlace): void {
  const { report, repair } = verified;
  const problems = repair?.problems ?? report.problems;
  const [first] = problems;
  if (!first) return;
  const { location } = report;
  logger.error(
    { problems: problems.length },
    `${damageText(problems)} in ${location}. First: ${first.path} ${first.detail}. Next: ${afterVerify(verified).text(place)}`,
  );
}

async function verify(invocation: VerifyInvocation, archive: OpenArchive): Promise<Verified> {
  const { settings } = invocation;
  assertOnePart(settings);
  const { expectedHead } = settings;
  const kept = expectedHead ? undefined : await keptHead(invocation, archive);
  const options = {
    sample: settings.sample,
    slice: settings.slice,
    publicKeys: await readVerifiers(settings.publicKey ?? []),
    timestampAuthorities: await readCertificates(settings.timestampCa ?? []),
    expectedHead: expectedHead ?? kept,
  };
  const needsService = settings.againstService || (settings.repair && hasApiKey(invocation));
  const service = needsService ? await serviceChoicesOf(invocation) : undefined;
  // first: a misspelt user is refused before everything is read back; what is repaired is compared afterwards
  const early = settings.repair ? undefined : await compared(invocation, archive, service);
  const repair = settings.repair
    ? await archive.repair({ ...options, service, ...repairChoicesOf(settings) })
    : undefined;
  const { within } = settings;
  const report =
    repair?.found ??
    (await (within === undefined
      ? archive.verify(options)
      : archive.verifyWithin(within, options)));
  const late = settings.repair ? await compared(invocation, archive, service) : undefined;
  return { report, repair, comparison: early ?? late, isHeadKept: kept !== undefined };
}

function repairChoicesOf({ orphanAgeMs, makesDelta }: VerifyInvocation['settings']) {
  return { orphanAgeMs, makesDelta };
}

/** @throws {UsageError} several flags say what is read back, or a repair would rest on a part, or is not asked for */
function assertOnePart({
  sample,
  slice,
  within,
  repair,
  makesDelta,
}: VerifyInvocation['settings']): void {
  const parts = Object.entries({ '--sample': sample, '--slice': slice, '--within': within })
    .filter(([, value]) => value !== undefined)
    .map(([flag]) => flag);
  if (parts.length > 1) throw new UsageError(`${parts.join(' and ')} exclude each other; give one`);
  if (makesDelta && !repair) throw new UsageError('--delta needs --repair');
  if (within !== undefined && repair) {
    throw new UsageError('--within cannot be given with --repair; run verify --repair by itself');
  }
}

async function compared(
  { settings }: VerifyInvocation,
  archive: OpenArchive,
  service: ServiceChoices | undefined,
): Promise<Verified['comparison']> {
  if (!settings.againstService || !service) return undefined;
  const { user: users, concurrency } = settings;
  try {
    return await archive.compare({ ...service, users, concurrency });
  } catch (error) {
    // the report names the damage; a damaged archive cannot be compared
    if (error instanceof IntegrityError) return undefined;
    throw error;
  }
}

function exitCodeOf({ report, repair, comparison }: Verified): number {
  if ((repair?.problems ?? report.problems).length > 0) return EXIT.integrity;
  if ((report.slices?.unrecorded ?? null) !== null) return EXIT.storage;
  return comparison && archiveIsBehind(comparison) ? EXIT.gaps : EXIT.complete;
}

/** @throws {UsageError} there is no API key */
async function serviceChoicesOf(
  invocation: Invocation<typeof verifySettings>,
): Promise<ServiceChoices> {
  const { settings, terminal, runId } = invocation;
  const apiKey = await readApiKey(settings.apiKeyFile, invocation);
  return {
    ...settings,
    apiKey,
    runId,
    proxy: proxyFromEnvironment(terminal.environment),
  };
}

/** Whether a key is given, so that a repair can ask the service. */
function hasApiKey({ settings, terminal }: Invocation<typeof verifySettings>): boolean {
  return settings.apiKeyFile !== undefined || Boolean(terminal.environment['JOBVAULT_API_KEY']);
}
