/** Writes an evidence pack that a third party can check. */
import { formatByteSize } from '../../base/byte-size.js';
import { UsageError } from '../../base/error.js';
import { evidenceSettings } from '../../config/evidence-settings.js';
import { hitCountText } from '../../search/search-facts.js';
import { NAMED_BELOW_PACK } from '../../evidence/named-in-pack.js';
import type { EvidenceSummary } from '../../evidence/write-evidence.js';
import { schemeOf } from '../../storage/open-storage.js';
import { counted } from '../../base/text/counted.js';
import { proxyFromEnvironment } from '../../base/http/proxy.js';
import { withArchive } from '../input/access.js';
import { timestampUrls } from '../input/keys.js';
import { forRequestOf } from '../input/recorded-person.js';
import { defineCommand } from '../command.js';
import { assertOutsideArchive } from '../input/outside-archive.js';
import { tablesAndImages } from '../output/tally.js';
import { caveatExit, madeHeadline, recordedIn } from '../output/caveat-rows.js';
import { shellWord, step } from '../../base/next-step.js';
import { fullLocation } from '../command-place.js';
import type { View } from '../output/view.js';

export const evidenceCommand = defineCommand({
  usage: 'evidence [archive]',
  describe: 'Write an evidence pack that a third party can check: a BagIt bag with checksums',
  settings: evidenceSettings,
  examples: {
    'jobvault evidence ./archive --out ./pack --user ada': 'everything of one user',
    'jobvault evidence ./archive --out ./pack --session 0b6f… --organization "Example Ltd"':
      'one conversation; names who hands it over',
    'jobvault evidence ./archive --out ./pack --match \'"project x"\' --from 2026-01 --to 2026-03':
      'jobs with these words in these months, and how many were searched',
    'jobvault evidence ./archive --out ./pack --request "Matter 2026-114"':
      'what a request is about (jobvault request new); the pack is recorded there',
    'cd pack && sha256sum -c --quiet --strict manifest-sha256.txt tagmanifest-sha256.txt':
      'checks a pack; prints nothing when all is well',
  },
  onlyReads: ({ request }) => request === undefined,
  run: async (invocation) => {
    const { settings, positionals, terminal, logger } = invocation;
    const { out } = settings;
    assertPlaceOfPack(out);
    const stamping = {
      timestampUrls: timestampUrls(settings.timestampUrl),
      proxy: proxyFromEnvironment(terminal.environment),
    };
    const { location, summary } = await withArchive(invocation, async (archive) => {
      await assertOutsideArchive(out, positionals.archive ?? '');
      const sessions = await archive.resolveSessions(settings);
      const { forRequest, recorded } = forRequestOf(settings);
      const given = { ...settings, ...stamping, sessions, forRequest };
      const summary = await archive.evidence(out, given);
      recorded(logger);
      return { location: archive.location, summary };
    });
    return {
      exitCode: caveatExit(summary.caveats),
      value: { ...summary, archive: location, out },
      view: evidenceView(out, summary),
    };
  },
});

/** @throws {UsageError} it is neither a directory nor a bucket */
function assertPlaceOfPack(out: string): void {
  const scheme = schemeOf(out);
  if (scheme === undefined || scheme === 's3') return;
  throw new UsageError(
    `${scheme}:// cannot hold a pack; allowed is a directory or s3://bucket/prefix`,
  );
}

function evidenceView(out: string, summary: EvidenceSummary): View {
  const { users, sessions, jobs, records, artifacts, commits, files, bytes } = summary;
  const { caveats, search } = summary;
  return {
    headline: madeHeadline(caveats, `evidence of ${counted(users, 'user')} is in ${out}`),
    caveats,
    elsewhere: NAMED_BELOW_PACK,
    facts: [
      ['contains', `${counted(sessions, 'conversation')}, ${counted(jobs, 'question')}`],
      ['search', search && hitCountText(search, search.commit)],
      ['files', `${counted(records, 'record')}, ${tablesAndImages(artifacts)}`],
      [
        'log',
        `${counted(commits.whole, 'commit')} whole, ${commits.extracts} in extracts, the digests of all`,
      ],
      [
        'time stamps',
        summary.timestamps > 0 ? `${counted(summary.timestamps, 'token')}: data/README.txt` : null,
      ],
      ['request', recordedIn(summary.request, 'pack')],
      [
        'digest',
        `${summary.digest}: hand it over separately, such as in a letter; it is that of tagmanifest-sha256.txt`,
      ],
      ['signature', signatureLine(summary.signed_by)],
      ['payload', `${counted(files, 'file')}, ${formatByteSize(bytes)}`],
    ],
    sections: [howToCheck(out)],
  };
}

const CHECK = 'sha256sum -c --quiet --strict manifest-sha256.txt tagmanifest-sha256.txt';

function howToCheck(out: string): View {
  if (schemeOf(out) === 's3') {
    return {
      headline: 'To check it, download it, then in its directory:',
      lines: [step`  ${{ shell: CHECK }}`],
    };
  }
  const there = `cd ${shellWord(fullLocation(out))} && ${CHECK}`;
  return { headline: 'To check it:', lines: [step`  ${{ shell: there }}`] };
}

function signatureLine(key: EvidenceSummary['signed_by']): string | null {
  if (key === null) return null;
  return `signed with the key ${key.slice(0, 16)}…: data/README.txt has the line that checks it`;
}
