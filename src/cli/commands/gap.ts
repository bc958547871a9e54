/** The commands of `gap`: accept, withdraw and list. */
import type { AcceptChoices } from '../../archive/accept-gaps.js';
import type { ListedGap } from '../../archive/list-gaps.js';
import { UsageError } from '../../base/error.js';
import { gapAcceptSettings } from '../../config/hold-settings.js';
import { storageSettings } from '../../config/storage-settings.js';
import { defineCommand, type Invocation } from '../command.js';
import { withArchive, loginName } from '../input/access.js';
import { counted, placeText } from '../output/aligned.js';
import { filePlaceText } from '../output/archive-texts.js';
import { tableText } from '../output/table-text.js';
import { terminalWidth } from '../output/terminal.js';

const positionals = { archive: 'The archive: a directory or s3://bucket/prefix' };

export const gapAcceptCommand = defineCommand({
  positionals,
  settings: gapAcceptSettings,
  examples: [
    [
      'jobvault gap accept ./archive --session 0b6f… --job job-cm3… --reason "Ticket 7: file lost"',
      'the gaps of one job; later runs count them apart and do not fail for them',
    ],
    [
      'jobvault gap accept ./archive --session 0b6f… --reason "Ticket 7" --by "Grace Hopper"',
      'every gap that the session has now; a new one is not accepted',
    ],
  ],
  run: async (invocation) => {
    const choices = choicesOf(invocation);
    const accepted = await withArchive(invocation, (archive) => archive.acceptGaps(choices));
    const commit = accepted[0]?.commit;
    const gaps = accepted.map((gap) => gapFacts({ ...gap, accepted: gap }));
    return {
      value: { commit, gaps },
      text: () =>
        `Accepted ${counted(accepted.length, 'gap')} in commit ${commit}. ${meaningOf(accepted.length)}\n`,
    };
  },
});

export const gapWithdrawCommand = defineCommand({
  positionals,
  settings: gapAcceptSettings,
  examples: [
    [
      'jobvault gap withdraw ./archive --session 0b6f… --reason "Ticket 7: the file was found"',
      'every accepted gap of the session: runs fail for it again',
    ],
  ],
  run: async (invocation) => {
    const choices = choicesOf(invocation);
    const { commit, withdrawn } = await withArchive(invocation, (archive) =>
      archive.withdrawGaps(choices),
    );
    const gaps = withdrawn.map((gap) => gapFacts({ ...gap, accepted: null }));
    const what = withdrawn.length === 1 ? 'It fails' : 'They fail';
    return {
      value: { commit, gaps },
      text: () =>
        `Withdrawn in commit ${commit}: ${counted(withdrawn.length, 'accepted gap')}. ${what} runs again.\n`,
    };
  },
});

/** @throws {UsageError} no reason or session is given */
function choicesOf({ settings }: Invocation<typeof gapAcceptSettings>): AcceptChoices {
  const { sessions = [], job, reason, by = loginName() } = settings;
  if (reason === undefined) {
    throw new UsageError('--reason is missing; give the reason, such as a ticket');
  }
  if (sessions.length === 0) throw new UsageError('no session is named; give --session');
  return { sessions, job, reason, by };
}

function meaningOf(count: number): string {
  return count === 1
    ? 'Runs do not fail for it any more; its session is still not deleted from the service.'
    : 'Runs do not fail for them any more; their sessions are still not deleted from the service.';
}

const HEADINGS = ['gap', 'user', 'status', 'reason', 'accepted'];
/** On a narrow terminal. */
const SPARE = ['user', 'reason'];

export const gapListCommand = defineCommand({
  positionals,
  settings: storageSettings,
  examples: [['jobvault gap list ./archive --json', 'every gap, also those that are accepted']],
  onlyReads: () => true,
  run: (invocation) =>
    withArchive(invocation, async (archive) => {
      const gaps = await archive.gaps();
      const rows = gaps.map((gap) => [
        placeText({ session: gap.session, job: gap.job }) + filePlaceText(gap),
        gap.user,
        gap.status,
        gap.reason,
        gap.accepted === null ? '' : `${gap.accepted.by}: ${gap.accepted.reason}`,
      ]);
      const facts = gaps.map((gap) => ({ ...gapFacts(gap), reason: gap.reason }));
      return {
        value: { gaps: facts },
        text: () =>
          rows.length === 0
            ? `No session of ${archive.location} has a gap.\n`
            : tableText(HEADINGS, rows, terminalWidth(invocation.terminal.stdout), SPARE),
      };
    }),
});

/** `accepted_at`, `accepted_by` and `accepted_reason` are null where nobody accepts the gap. */
function gapFacts({ user, session, accepted, ...gap }: Omit<ListedGap, 'reason'>) {
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
