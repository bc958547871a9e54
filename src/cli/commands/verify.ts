/** Verifies an archive; with flags also repairs it, and compares it with the service. */
import { IntegrityError } from '../../archive/verify/integrity-error.js';
import { archiveIsBehind } from '../../repair/difference.js';
import type { OpenArchive } from '../../library/open-archive.js';
import type { ServiceChoices } from '../../repair/service-access.js';
import { verifySettings } from '../../config/verify-settings.js';
import { telemetrySettings } from '../../config/telemetry-settings.js';
import { withArchive } from '../input/archive-argument.js';
import { defineCommand, type Invocation } from '../command.js';
import { EXIT } from '../exit-code.js';
import { readVerifiers } from '../input/key-file.js';
import { paintOf } from '../output/paint.js';
import { countsOfVerify } from '../output/run-counts.js';
import { hasApiKey, serviceChoicesOf } from '../input/service-access.js';
import { verifiedJson, verifiedText, type Verified } from '../output/reports/verify-report.js';
import { printAnswer } from '../output/print-answer.js';

const settings = { ...verifySettings, ...telemetrySettings };

type VerifyInvocation = Invocation<typeof settings>;

export const verifyCommand = defineCommand({
  positionals: { archive: 'The archive: a directory or s3://bucket/prefix' },
  settings,
  examples: [
    ['jobvault verify ./archive', 'exit code 0 when nothing is missing or changed, 4 otherwise'],
    ['jobvault verify ./archive --json', 'one line of JSON for a monitor'],
    ['jobvault verify ./archive --sample 5%', 'checks the whole log and a part of the files'],
    [
      'jobvault verify ./archive --public-key public.pem --expect-head 42:9f86…',
      'detects a rewritten or shortened log',
    ],
    ['jobvault verify ./archive --repair', 'with an API key, fetches lost files again'],
    ['jobvault verify ./archive --against-service', 'exit code 3 when the service has more'],
  ],
  onlyReads: ({ repair }) => repair !== true,
  run: async (invocation) => {
    const { terminal, tracer, runId: run, reportCounts } = invocation;
    const verified = await tracer.span('run', { command: 'verify', run }, () =>
      withArchive(invocation, (archive) => verify(invocation, archive)),
    );
    reportCounts(countsOfVerify(verified));
    printAnswer(invocation, verifiedJson(verified), () =>
      verifiedText(verified, paintOf(terminal)),
    );
    return exitCodeOf(verified);
  },
});

async function verify(invocation: VerifyInvocation, archive: OpenArchive): Promise<Verified> {
  const { settings } = invocation;
  const options = {
    sample: settings.sample,
    publicKeys: await readVerifiers(settings.publicKey ?? []),
    expectedHead: settings.expectedHead,
  };
  const needsService = settings.againstService || (settings.repair && hasApiKey(invocation));
  const service = needsService ? await serviceChoicesOf(invocation) : undefined;
  const repair = settings.repair
    ? await archive.repair({ ...options, service, orphanAgeMs: settings.orphanAgeMs })
    : undefined;
  const report = repair?.found ?? (await archive.verify(options));
  return { report, repair, comparison: await compared(invocation, archive, service) };
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
  return comparison && archiveIsBehind(comparison) ? EXIT.gaps : EXIT.complete;
}
