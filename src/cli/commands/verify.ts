import { inspectArchive } from '../../archive/verify/verify.js';
import type { Archive } from '../../archive/archive.js';
import { IntegrityError } from '../../archive/verify/integrity-error.js';
import { compareWithService } from '../../repair/compare-with-service.js';
import { archiveIsBehind } from '../../repair/difference.js';
import { repairArchive } from '../../repair/repair.js';
import type { ServiceAccess } from '../../repair/service-access.js';
import { systemRandom } from '../../base/random.js';
import { systemClock } from '../../base/system-clock.js';
import { verifySettings } from '../../config/verify-settings.js';
import { telemetrySettings } from '../../config/telemetry-settings.js';
import { rowFormats } from '../../formats/formats.js';
import { asUserId } from '../../model/ids.js';
import { withArchive } from '../input/archive-argument.js';
import { defineCommand, type Invocation } from '../command.js';
import { EXIT } from '../exit-code.js';
import { readVerifiers } from '../input/key-file.js';
import { paintOf } from '../output/paint.js';
import { countsOfVerify } from '../output/run-counts.js';
import { hasApiKey, withServiceAccess } from '../input/service-access.js';
import { verifiedJson, verifiedText, type Verified } from '../output/reports/verify-report.js';
import { jsonLine } from '../json-line.js';

const settings = { ...verifySettings, ...telemetrySettings };

type VerifyInvocation = Invocation<typeof settings>;

export const verifyCommand = defineCommand({
  positionals: { archive: 'The archive: a directory or s3://bucket/prefix' },
  settings,
  examples: [
    ['jobvault verify ./archive', 'exit code 0 when nothing is missing or changed, 4 otherwise'],
    ['jobvault verify ./archive --json', 'one line of JSON for a monitor'],
    ['jobvault verify ./archive --sample 5%', 'the whole log, and a part of the files'],
    [
      'jobvault verify ./archive --public-key public.pem --expect-head 42:9f86…',
      'a rewritten or shortened log shows',
    ],
    ['jobvault verify ./archive --repair', 'with an API key: lost files are fetched again'],
    ['jobvault verify ./archive --against-service', 'exit code 3 when the service has more'],
  ],
  run: async (invocation) => {
    const { settings: given, terminal, tracer, runId: run, tell } = invocation;
    const verified = await tracer.span('run', { command: 'verify', run }, () =>
      withArchive(invocation, (archive) => verify(invocation, archive)),
    );
    tell(countsOfVerify(verified));
    terminal.stdout.write(
      given.json ? jsonLine(verifiedJson(verified)) : verifiedText(verified, paintOf(terminal)),
    );
    return exitCodeOf(verified);
  },
});

async function verify(invocation: VerifyInvocation, archive: Archive): Promise<Verified> {
  const { settings, terminal } = invocation;
  const { signal } = terminal.interruption;
  const publicKeys = await readVerifiers(settings.publicKey ?? []);
  const look = async (access?: ServiceAccess): Promise<Verified> => {
    const formats = rowFormats();
    const inspection = await inspectArchive(archive, {
      formats,
      sample: settings.sample,
      publicKeys,
      signal,
      expectedHead: settings.expectHead,
    });
    const { report } = inspection;
    const world = { clock: systemClock, random: systemRandom, signal };
    const repair = settings.repair
      ? await repairArchive(archive, inspection, {
          formats,
          ...world,
          access,
          orphanAgeMs: settings.orphanAge,
        })
      : undefined;
    return { report, repair, comparison: await compared(invocation, archive, access) };
  };
  const needsService = settings.againstService || (settings.repair && hasApiKey(invocation));
  return needsService ? withServiceAccess(invocation, archive, look) : look();
}

async function compared(
  { settings }: VerifyInvocation,
  archive: Archive,
  access: ServiceAccess | undefined,
): Promise<Verified['comparison']> {
  if (!settings.againstService || !access) return undefined;
  const users = settings.user?.map(asUserId);
  try {
    const { concurrency } = settings;
    return await compareWithService({ ...access, archive, users, concurrency });
  } catch (error) {
    // the report names what is damaged; with what it names, nothing can be compared
    if (error instanceof IntegrityError) return undefined;
    throw error;
  }
}

function exitCodeOf({ report, repair, comparison }: Verified): number {
  if ((repair?.problems ?? report.problems).length > 0) return EXIT.integrity;
  return comparison && archiveIsBehind(comparison) ? EXIT.gaps : EXIT.complete;
}
