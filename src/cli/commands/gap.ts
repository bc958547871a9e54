/** `gap list`: what is missing, and who accepts it. */
import type { ListedGap } from '../../archive/gaps.js';
import type { AcceptedImage } from '../../archive/log/accepted-gaps.js';
import { AFTER_GAPS_OF_COPY } from '../../archive/reading/caveats/after-gaps.js';
import type { Caveat } from '../../archive/reading/caveats/caveat.js';
import { meaningOfStatus } from '../../archive/reading/gap-meaning.js';
import { NEVER_LISTED } from '../../archive/reading/users/user-listings.js';
import { groupBy } from '../../base/group-by.js';
import { asConfigured, type NextStep, onArchive, step } from '../../base/next-step.js';
import { gapListSettings } from '../../config/hold-settings.js';
import { defineCommand } from '../command.js';
import { withArchive } from '../input/access.js';
import { countedGaps, gapCountTexts } from '../../model/gap-counts.js';
import { counted } from '../../base/text/counted.js';
import { placeText, filePlaceText } from '../output/texts/place-text.js';
import type { Fact } from '../output/aligned.js';
import { visibleLine } from '../../base/text/visible.js';
import { afterOpenGaps } from '../output/next-step.js';
import type { View } from '../output/view.js';

const OF_ABSENT =
  'in sessions that are no longer at the service: no run fills them; they count until somebody accepts them';

const ONLY_ABSENT = 'all in sessions that are no longer at the service';
const ONLY_OF_UNREAD =
  'all in sessions that are no longer at the service, or of users whom exports of everybody read no more';

/** Counts by status, without accepted ones, the most first, and what to do next. */
function summaryOf(gaps: readonly ListedGap[], isCopy: boolean): View {
  const open = gaps.filter((gap) => gap.accepted === null);
  const accepted = gaps.length - open.length;
  const absent = open.filter((gap) => gap.is_absent).length;
  const groups = [...groupBy(open, ({ status }) => status)].toSorted(
    ([, a], [, b]) => b.length - a.length,
  );
  const counts = countedGaps(gaps, ({ accepted: acceptance }) => acceptance !== null);
  return {
    headline: gapCountTexts(counts).join(', '),
    facts: [
      ...groups.map(([status, group]): Fact => {
        const meaning = isCopy ? '' : meaningOfStatus(status);
        const why = whyUnread(group) ?? meaning;
        return [status, why === '' ? String(group.length) : `${group.length}: ${why}`];
      }),
      ['of these absent', absent === 0 ? null : `${absent}: ${OF_ABSENT}`],
      [
        'accepted',
        accepted === 0 ? null : `${accepted}: somebody has seen them; nothing needs to be done`,
      ],
    ],
    next: open.length === 0 ? undefined : nextOf(open, isCopy),
  };
}

/** Why no export of everybody looks at any of these again; undefined where one does. */
function whyUnread(group: readonly ListedGap[]): string | undefined {
  if (group.every((gap) => gap.is_absent)) return ONLY_ABSENT;
  return group.every((gap) => gap.is_absent || gap.is_read_no_more) ? ONLY_OF_UNREAD : undefined;
}

/** What can be done about gaps that nobody accepts. A list of sessions has no session to accept. */
function nextOf(open: readonly ListedGap[], isCopy: boolean): NextStep {
  if (isCopy) return step`${AFTER_GAPS_OF_COPY}.`;
  const ofSessions = open.some(({ session }) => session !== null);
  const unknown = open.filter(({ session, reason }) => session === null && reason === NEVER_LISTED);
  const users = unknown.slice(0, NAMED_USERS).flatMap(({ user }) => ['--user', user]);
  const more = unknown.length > NAMED_USERS ? ['…'] : [];
  const accept = onArchive('gap accept', '--session', 'ID', '--reason', 'TEXT');
  const again = asConfigured('export', ...users, ...more, '--allow-unknown-users');
  const many = '--user and --status take many at once.';
  const further = open.some((gap) => gap.is_absent || gap.is_read_no_more)
    ? step` Its flags ${many}`
    : step` What cannot be filled: ${accept}; ${many}`;
  return step`${afterOpenGaps(open)}${ofSessions ? further : ''}${unknown.length === 0 ? '' : step` What a wrong user id has left: ${again} clears it.`}`;
}

/** How many users are named whom the service does not know. */
const NAMED_USERS = 3;

const HEADINGS = ['gap', 'user', 'status', 'reason', 'accepted'];
/** On a narrow terminal: the session says whose it is, and nothing else says why. */
const SPARE = ['reason', 'user'];
export const gapListCommand = defineCommand({
  usage: 'gap list [archive]',
  describe: 'List the gaps of the archive, also those that are accepted',
  settings: gapListSettings,
  examples: {
    'jobvault gap list ./archive --json': 'every gap, also those that are accepted',
    'jobvault gap list ./archive --user ada': 'those of one user',
  },
  onlyReads: () => true,
  run: (invocation) =>
    withArchive(invocation, async (archive) => {
      const { users = [], maxRows } = invocation.settings;
      const gaps = openFirst(await archive.gaps(users));
      const images = await archive.acceptedImages.list();
      const caveats = gaps.length === 0 ? (await archive.caveats({ users })).filter(isUnread) : [];
      const rows = gaps
        .slice(0, maxRows === 0 ? undefined : maxRows)
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
      const facts = gaps.map((gap) => {
        const { reason, is_absent, is_read_no_more } = gap;
        return { ...gapFacts(gap), is_absent, is_read_no_more, reason };
      });
      return {
        value: { gaps: facts, accepted_images: images.map(imageFacts) },
        view: {
          ...(gaps.length === 0
            ? { headline: `${whoseText(users)} of ${archive.location} has a gap.`, caveats }
            : summaryOf(gaps, archive.identity.pseudonymised !== undefined)),
          table: {
            headings,
            rows: rows.map((row) => row.slice(0, headings.length)),
            spare: SPARE,
          },
          lines: [
            ...(gaps.length > rows.length
              ? [`and ${gaps.length - rows.length} more, which --max-rows 0 lists`]
              : []),
            ...imageLines(images),
          ],
        },
      };
    }),
});

function openFirst(gaps: readonly ListedGap[]): ListedGap[] {
  const isOpen = ({ accepted }: ListedGap): boolean => accepted === null;
  return gaps.toSorted((a, b) => Number(isOpen(b)) - Number(isOpen(a)));
}

function whoseText(users: readonly string[]): string {
  if (users.length === 0) return 'No user and no session';
  return `Neither ${users.map(visibleLine).join(', ')} nor a session`;
}

/** What was never read has no gap. */
function isUnread({ kind }: Caveat): boolean {
  return kind === 'nothing_archived' || kind === 'unread_users';
}

function imageFacts({ sha256, at, by, reason }: AcceptedImage) {
  return { sha256, accepted_at: at, accepted_by: by, accepted_reason: reason };
}

function imageLines(images: readonly AcceptedImage[]): string[] {
  if (images.length === 0) return [];
  return [
    `Accepted as what they should be: ${counted(images.length, 'image')}`,
    ...images.map(
      ({ sha256, by, reason }) => `  ${sha256}  ${visibleLine(by)}: ${visibleLine(reason)}`,
    ),
  ];
}

/** `accepted_at`, `accepted_by` and `accepted_reason` are null where nobody accepts the gap. */
export function gapFacts({
  user,
  session,
  accepted,
  ...gap
}: Omit<ListedGap, 'reason' | 'is_absent' | 'is_read_no_more'>) {
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
