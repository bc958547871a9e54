/** Writes a web page of an archive. */
import { basename, resolve } from 'node:path';
import { formatByteSize } from '../../base/byte-size.js';
import { UsageError } from '../../base/error.js';
import { reportSettings } from '../../config/reading-settings.js';
import { NAMED_IN_REPORT } from '../../report/named-in-report.js';
import type { ReportSummary } from '../../report/report-options.js';
import { hitCountText } from '../../search/search-facts.js';
import { counted } from '../../base/text/counted.js';
import { withArchive } from '../input/access.js';
import { forRequestOf } from '../input/recorded-person.js';
import { defineCommand } from '../command.js';
import { assertOutsideArchive, isUrl } from '../input/outside-archive.js';
import { filesOfCopy } from '../output/texts/archive-texts.js';
import { tablesAndImages } from '../output/tally.js';
import { caveatExit, madeHeadline, recordedIn } from '../output/caveat-rows.js';
import type { View } from '../output/view.js';

export const reportCommand = defineCommand({
  usage: 'report [archive]',
  describe:
    'Write a web page of the archive to browse and search; it opens from disk, without a network',
  settings: reportSettings,
  examples: {
    'jobvault report ./archive': 'writes ./archive-report/index.html; open it in a browser',
    'jobvault report ./archive --out ./ada --user ada': 'only one user',
    'jobvault report ./archive --out ./matter --request "Matter 2026-114"':
      'what a request is about (jobvault request new); the report is recorded there with its digest',
  },
  onlyReads: ({ request }) => request === undefined,
  run: async (invocation) => {
    const { settings, positionals, logger } = invocation;
    const { forRequest, recorded } = forRequestOf(settings);
    const place = positionals.archive ?? '';
    const out = settings.out ?? reportBeside(place);
    assertDirectory(out);
    await assertOutsideArchive(out, place);
    const { location, isCopy, summary } = await withArchive(invocation, async (archive) => {
      const sessions = await archive.resolveSessions(settings);
      const summary = await archive.report(out, { ...settings, sessions, forRequest });
      recorded(logger);
      const isCopy = archive.identity.pseudonymised !== undefined;
      return { location: archive.location, isCopy, summary };
    });
    return {
      exitCode: caveatExit(summary.caveats),
      value: { ...summary, archive: location, out },
      view: reportView(out, summary, isCopy),
    };
  },
});

/** The default place of a report: beside the archive; for a bucket, in the working directory. */
export function reportBeside(place: string): string {
  const plain = place.replace(/[/\\]+$/, '');
  const name = basename(plain);
  if (isUrl(place)) return `${name}-report`;
  return /^\.{0,2}$/.test(name) ? `${resolve(place)}-report` : `${plain}-report`;
}

function assertDirectory(out: string): void {
  if (!isUrl(out)) return;
  throw new UsageError(`${out} cannot hold a report; allowed is a directory`);
}

function reportView(out: string, summary: ReportSummary, isCopy: boolean): View {
  const { users, sessions, jobs, artifacts, caveats } = summary;
  const { files, bytes, search, unchanged, request, digest } = summary;
  const unchangedText = `${counted(unchanged.sessions, 'conversation')} and ${counted(unchanged.files, 'file')} are as in the earlier report; what has left the archive is not in this one`;
  return {
    headline: madeHeadline(caveats, `the report is ${out}/index.html`),
    caveats,
    elsewhere: NAMED_IN_REPORT,
    facts: [
      [
        'shows',
        `${counted(users, 'user')}, ${counted(sessions, 'conversation')}, ${counted(jobs, 'question')}`,
      ],
      ['as of', summary.head && `commit ${summary.head.number}`],
      ['search', search && hitCountText(search)],
      ['request', recordedIn(request, 'report')],
      [
        'digest',
        request === null
          ? null
          : `${digest ?? ''}: that of data/jobvault-files.sha256, which lists its files for sha256sum -c`,
      ],
      ['files', isCopy ? filesOfCopy(artifacts) : tablesAndImages(artifacts)],
      ['size', `${counted(files, 'file')}, ${formatByteSize(bytes)}`],
      ['unchanged', unchanged.files === 0 ? null : unchangedText],
    ],
  };
}
