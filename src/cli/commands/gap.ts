/** `gap list`: what is missing, and who accepts it. */
import type { ListedGap } from '../../archive/gaps.js';
import type { AcceptedImage } from '../../archive/log/accepted-gaps.js';
import { AFTER_GAPS_OF_COPY, type Caveat } from '../../archive/reading/caveats/caveat.js';
import { caveatText } from '../../archive/reading/caveats/caveat-text.js';
import { NEVER_LISTED } from '../../archive/reading/user-listings.js';
import { groupBy } from '../../base/group-by.js';
import {
  asConfigured,
  type CommandPlace,
  type NextStep,
  onArchive,
  step,
} from '../../base/next-step.js';
import { storageSettings } from '../../config/storage-settings.js';
import { defineCommand } from '../command.js';
import { withArchive } from '../input/access.js';
import { countedGaps, gapCountTexts } from '../../model/gap-counts.js';
import { counted } from '../../base/text/counted.js';
import { placeText } from '../output/aligned.js';
import { visibleLine } from '../output/visible.js';
import { filePlaceText } from '../output/archive-texts.js';
import { tallied } from '../output/tally.js';
import { afterOpenGaps } from '../output/next-step.js';
import { tableText } from '../output/table-text.js';
import { terminalWidth } from '../output/terminal.js';

const positionals = {
  archive: 'The archive: a directory or s3://bucket/prefix; default: out of the configuration',
};

/** What each status means, and what can be done. */
export const MEANINGS: Readonly<Record<string, string>> = {
  expired: 'the link was too old when it was fetched; an export asks for a new one',
  missing: 'the file host does not have the file; an export looks again',
  forbidden:
    'its host refuses fresh URLs, too; ask who runs it whether this network, or the proxy, may read it',
  rejected: 'the address or the content cannot be right; the reason says why',
  unresolved:
    'no web address to fetch it from; where there is only a path: export --storage-base-url URL',
  failed: 'no answer, or an error; the next export tries again',
  not_fetched: 'of a kind that is not fetched; export --accept-unfetched KIND accepts the kind',
  refused: 'the service does not let this API key read it',
  incomplete: 'not read to the end, or less came than was announced; the next export reads on',
  doubtful: 'read, but not proven to be right; the next export compares it again',
};

const OF_GONE =
  'in sessions that are gone from the service: no run fills them; they count until somebody accepts them';

const ONLY_GONE = 'all in sessions that are gone';

/** Counts by status, without accepted ones, the most first, and what to do next. */
function summaryOf(gaps: readonly ListedGap[], isCopy: boolean, place: CommandPlace): string {
  const open = gaps.filter((gap) => gap.accepted === null);
  const accepted = gaps.length - open.length;
  const gone = open.filter((gap) => gap.is_gone).length;
  const groups = [...groupBy(open, ({ status }) => status)].toSorted(
    ([, a], [, b]) => b.length - a.length,
  );
  const counts = countedGaps(gaps, ({ accepted: acceptance }) => acceptance !== null);
  return (
    `${gapCountTexts(counts).join(', ')}\n` +
    tallied([
      ...groups.map(([status, group]) => {
        const isLeft = group.every((gap) => gap.is_gone);
        return [
          status,
          group.length,
          isLeft ? ONLY_GONE : isCopy ? '' : (MEANINGS[status] ?? ''),
        ] as const;
      }),
      ['of these gone', gone, gone === 0 ? null : OF_GONE],
      [
        'accepted',
        accepted,
        accepted === 0 ? null : 'somebody has seen them; nothing needs to be done',
      ],
    ]) +
    (open.length === 0 ? '' : `Next: ${isCopy ? AFTER_GAPS_OF_COPY : nextOf(open).text(place)}\n`)
  );
}

/** What can be done about gaps that nobody accepts. A list of sessions has no session to accept. */
function nextOf(open: readonly ListedGap[]): NextStep {
  const ofSessions = open.some(({ session }) => session !== null);
  const unknown = open.filter(({ session, reason }) => session === null && reason === NEVER_LISTED);
  const users = unknown.slice(0, NAMED_USERS).flatMap(({ user }) => ['--user', user]);
  const more = unknown.length > NAMED_USERS ? ['…'] : [];
  const accept = onArchive('gap accept', '--session', 'ID', '--reason', 'TEXT');
  const again = asConfigured('export', ...users, ...more, '--allow-unknown-users');
  return step`${afterOpenGaps(open)}${
    ofSessions
      ? step` What cannot be filled: ${accept}; --user and --status take many at once.`
      : ''
  }${unknown.length === 0 ? '' : step` What a wrong user id has left: ${again} clears it.`}`;
}

/** How many users are named whom the service does not know. */
const NAMED_USERS = 3;

const HEADINGS = ['gap', 'user', 'status', 'reason', 'accepted'];
/** On a narrow terminal: the session says whose it is, and nothing else says why. */
const SPARE = ['reason', 'user'];
/** Gaps that people read one by one; --json has all. */
const MAX_ROWS = 100;

export const gapListCommand = defineCommand({
  positionals,
  archiveOfSettings: 'always',
  settings: storageSettings,
  examples: [['jobvault gap list ./archive --json', 'every gap, also those that are accepted']],
  onlyReads: () => true,
  run: (invocation) =>
    withArchive(invocation, async (archive) => {
      const gaps = await archive.gaps();
      const images = await archive.acceptedImages.list();
      const caveats = gaps.length === 0 ? await archive.caveats({}) : [];
      const rows = gaps
        .slice(0, MAX_ROWS)
        .map((gap) => [
          gap.session === null
            ? 'list of sessions'
            : placeText({ session: gap.session, job: gap.job }) + filePlaceText(gap),
          gap.user,
          gap.status,
          gap.reason,
          gap.accepted === null ? '' : `${gap.accepted.by}: ${gap.accepted.reason}`,
        ]);
      const isAnyAccepted = gaps.some(({ accepted }) => accepted !== null);
      const headings = isAnyAccepted ? HEADINGS : HEADINGS.slice(0, -1);
      const facts = gaps.map((gap) => ({ ...gapFacts(gap), reason: gap.reason }));
      return {
        value: { gaps: facts, accepted_images: images.map(imageFacts) },
        text: (place) =>
          (rows.length === 0
            ? noGapText(archive.location, caveats, place)
            : `${summaryOf(gaps, archive.identity.pseudonymised !== undefined, place)}\n${tableText(
                headings,
                rows.map((row) => row.slice(0, headings.length)),
                terminalWidth(invocation.terminal.stdout),
                SPARE,
              )}${moreText(gaps.length - rows.length)}`) + imagesText(images),
      };
    }),
});

/** What was never read has no gap. */
function noGapText(location: string, caveats: readonly Caveat[], place: CommandPlace): string {
  const unread = caveats.filter(
    ({ kind }) => kind === 'nothing_archived' || kind === 'unread_users',
  );
  const texts = unread.map((caveat) => ` But ${caveatText(caveat, place)}.`);
  return `No user and no session of ${location} has a gap.${texts.join('')}\n`;
}

function imageFacts({ sha256, at, by, reason }: AcceptedImage) {
  return { sha256, accepted_at: at, accepted_by: by, accepted_reason: reason };
}

function imagesText(images: readonly AcceptedImage[]): string {
  if (images.length === 0) return '';
  const lines = images.map(
    ({ sha256, by, reason }) => `  ${sha256}  ${visibleLine(by)}: ${visibleLine(reason)}\n`,
  );
  return `Accepted as what they should be: ${counted(images.length, 'image')}\n${lines.join('')}`;
}

function moreText(more: number): string {
  return more === 0 ? '' : `and ${more} more, which --json lists\n`;
}

/** `accepted_at`, `accepted_by` and `accepted_reason` are null where nobody accepts the gap. */
export function gapFacts({
  user,
  session,
  accepted,
  ...gap
}: Omit<ListedGap, 'reason' | 'is_gone'>) {
  const { job, role, block_index, file_index, kind, status } = gap;
  return {
    user_id: user,
    session_id: session,
    job_id: job,
    role,
    block_index,
    file_index,
    kind,
    status,
    accepted_at: accepted?.at ?? null,
    accepted_by: accepted?.by ?? null,
    accepted_reason: accepted?.reason ?? null,
  };
}
