/** Copies an archive and verifies the copy. */
import { formatDuration } from '../../base/units.js';
import { formatByteSize } from '../../base/byte-size.js';
import { UsageError } from '../../base/error.js';
import { copySettings } from '../../config/rewrite-settings.js';
import type { CopySummary } from '../../rewrite/copy-archive.js';
import { targetOptionsOf } from '../../config/storage-settings.js';
import { withArchive } from '../input/access.js';
import { counted } from '../../base/text/counted.js';
import { type CommandResult, defineCommand, type Invocation } from '../command.js';
import { readGiven } from '../input/given-file.js';
import { forRequestOf } from '../input/recorded-person.js';
import { caveatExit, madeHeadline, recordedIn } from '../output/caveat-rows.js';
import type { View } from '../output/view.js';
import { whatCopyLacks } from '../../archive/reading/caveats/what-copy-lacks.js';

export const copyCommand = defineCommand({
  usage: 'copy <archive> <target>',
  describe:
    'Copy the archive and verify the copy; run again to bring it up to date (but for --pseudonymise)',
  positionals: {
    target: 'An empty place, or an earlier copy, complete or not',
  },
  settings: copySettings,
  examples: {
    'jobvault copy ./archive /mnt/backup/archive': 'continues an interrupted copy',
    'jobvault copy ./archive s3://bucket/archive': 'reads every file back at the end',
    'jobvault copy ./archive ./for-analysts --pseudonymise key.bin':
      'another archive: ids as keyed digests, no names, no texts, no files',
    'jobvault copy ./archive ./for-analysts --pseudonymise key.bin --request "Study 3"':
      'only what the request is about, without what is withheld; the request records the copy',
    'jobvault copy ./archive ./next --pseudonymise key.bin && rm -rf ./for-analysts && mv ./next ./for-analysts':
      'every night: the old copy stays until the new one is complete',
  },
  run: async (invocation) => {
    const { settings, positionals } = invocation;
    const { pseudonymise: keyFile, keepText, keepTimes } = settings;
    if (keyFile !== undefined) return pseudonymised(invocation, keyFile);
    if (keepText) throw new UsageError('--keep-text goes with --pseudonymise');
    if (keepTimes) throw new UsageError('--keep-times goes with --pseudonymise');
    if (settings.request !== undefined)
      throw new UsageError(
        '--request goes with --pseudonymise; evidence makes a pack of a request',
      );
    const summary = await withArchive(invocation, (archive) =>
      archive.copyTo(positionals.target, {
        storage: targetOptionsOf(settings),
        concurrency: settings.concurrency,
        sample: settings.sample,
      }),
    );
    return { value: { status: 'complete', ...summary }, view: copyView(summary) };
  },
});

async function pseudonymised(
  invocation: Invocation<typeof copySettings, '<archive> <target>'>,
  keyFile: string,
): Promise<CommandResult> {
  const { settings, positionals, logger } = invocation;
  const { keepText, keepTimes } = settings;
  const key = await readGiven('--pseudonymise', keyFile);
  const { forRequest, recorded } = forRequestOf(settings);
  if (keepText) {
    logger.warn(
      {},
      'texts are kept as people wrote them, with whatever names and data are in them',
    );
  }
  const summary = await withArchive(invocation, (archive) =>
    archive.pseudonymiseTo(positionals.target, {
      key,
      keepText,
      keepTimes,
      forRequest,
      undated: settings.undated,
      storage: targetOptionsOf(settings),
    }),
  );
  recorded(logger);
  const { archive, target, texts, times, request, through, caveats } = summary;
  const part = request === null ? undefined : true;
  return {
    exitCode: caveatExit(caveats),
    value: summary,
    view: {
      headline: madeHeadline(
        caveats,
        `a copy of ${archive} with pseudonyms, up to commit ${through}, is in ${target}, and verified there`,
      ),
      caveats,
      facts: [
        [
          'copied',
          `${counted(summary.users, 'user')}, ${counted(summary.sessions, 'conversation')}`,
        ],
        ['rows', `${summary.rows} of ${counted(summary.jobs, 'question')}`],
        ['request', recordedIn(request, 'copy')],
        ['digest', request === null ? null : summary.digest],
        ['copy', `not anonymous: ${whatCopyLacks({ texts, times, part })}`],
        ['time', formatDuration(summary.duration_ms)],
      ],
    },
  };
}

function copyView(summary: CopySummary): View {
  const { archive, target, through, copied, present, removed, kept } = summary;
  const { duration_ms: durationMs } = summary;
  return {
    headline: `Complete: ${archive} is copied to ${target} up to commit ${through}, and verified there`,
    facts: [
      ['copied', `${counted(copied.objects, 'object')}, ${formatByteSize(copied.bytes)}`],
      ['present', `${counted(present, 'object')} already`],
      ['removed', `${counted(removed, 'object')} not in the archive any more`],
      ['erased data', kept && `an earlier copy may still be readable: ${kept}`],
      ['time', formatDuration(durationMs)],
    ],
  };
}
