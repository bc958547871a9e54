/** `gap accept` and `gap withdraw`: of gaps that are named by user or status, a plan is shown first, and somebody is asked. */
import type { AcceptChoices, SelectedGap } from '../../archive/gaps.js';
import { groupBy } from '../../base/group-by.js';
import { gapAcceptSettings } from '../../config/hold-settings.js';
import { type CommandResult, defineCommand, type Invocation } from '../command.js';
import { EXIT } from '../exit-code.js';
import { withArchive } from '../input/access.js';
import { type RecordedPerson, recordedPerson } from '../input/recorded-person.js';
import { consent } from '../input/confirm.js';
import { UsageError } from '../../base/error.js';
import { countedGaps, gapCountTexts } from '../../model/gap-counts.js';
import { counted } from '../../base/text/counted.js';
import { sessionKey } from '../../model/ids.js';
import { eachSessionOnce } from '../../model/user-spelling.js';
import type { View } from '../output/view.js';
import { visibleLine } from '../../base/text/visible.js';
import { meaningOfStatus } from '../../archive/reading/gap-meaning.js';
import { gapFacts } from './gap.js';

type Accepting = Invocation<typeof gapAcceptSettings>;

export const gapAcceptCommand = defineCommand({
  usage: 'gap accept <archive>',
  describe:
    'Accept gaps of a session, a user or a status: runs count them separately, and do not fail',
  settings: gapAcceptSettings,
  examples: {
    'jobvault gap accept ./archive --session 0b6f… --job job-cm3… --reason "Ticket 7: file lost"':
      'the gaps of one job; later runs count them separately and do not fail for them',
    'jobvault gap accept ./archive --session 0b6f… --reason "Ticket 7" --by "Grace Hopper"':
      'every gap that the session has now; a new one is not accepted',
    'jobvault gap accept ./archive --user ada --status missing --reason "Ticket 7"':
      'every file of this user that the file host has lost: shows the gaps, and asks',
    'jobvault gap accept ./archive --content 9f86d0818… --reason "Our logo"':
      'an image that many answers have, by artifacts.sha256: it is not suspicious any more',
  },
  run: async (invocation) => {
    const { content } = invocation.settings;
    if (content !== undefined) return changeImage(invocation, content, 'accept');
    const asking = new Asking(invocation, 'accept');
    const accepted = await withArchive(invocation, (archive) => {
      return archive.acceptGaps(asking.choices);
    });
    if (accepted.length === 0) return asking.notDone();
    asking.person.recorded(invocation.logger);
    const commit = accepted[0]?.commit;
    const gaps = accepted.map((gap) => gapFacts({ ...gap, accepted: gap }));
    const once = eachGapOnce(accepted);
    return {
      value: { commit, gaps },
      view: {
        headline: `Accepted ${openText(once)} in commit ${commit}. ${meaningOf(once.length)}`,
        lines: [UNTIL],
      },
    };
  },
});

export const gapWithdrawCommand = defineCommand({
  usage: 'gap withdraw <archive>',
  describe: 'Withdraw the acceptance of gaps: runs fail for them again',
  settings: gapAcceptSettings,
  examples: {
    'jobvault gap withdraw ./archive --session 0b6f… --reason "Ticket 7: the file was found"':
      'every accepted gap of the session: runs fail for it again',
    'jobvault gap withdraw ./archive --status doubtful --reason "Ticket 8" --dry-run':
      'shows which doubts of anybody are accepted, and changes nothing',
  },
  run: async (invocation) => {
    const { content } = invocation.settings;
    if (content !== undefined) return changeImage(invocation, content, 'withdraw');
    const asking = new Asking(invocation, 'withdraw');
    const { commit, withdrawn } = await withArchive(invocation, (archive) =>
      archive.withdrawGaps(asking.choices),
    );
    if (withdrawn.length === 0) return asking.notDone();
    asking.person.recorded(invocation.logger);
    const gaps = withdrawn.map((gap) => gapFacts({ ...gap, accepted: null }));
    const once = eachGapOnce(withdrawn);
    const what = once.length === 1 ? 'It fails' : 'They fail';
    return {
      value: { commit, gaps },
      view: {
        headline: `Withdrawn in commit ${commit}: ${gapCountTexts(countedGaps(once, () => true)).join(', ')}. ${what} runs again.`,
      },
    };
  },
});

const OF_IMAGES = {
  accept: {
    plan: 'Plan, nothing is accepted; would accept the image',
    done: 'Accepted the image',
    meaning:
      'The next export that reads its sessions no longer marks it for having the same bytes as others; where its session or question is no longer at the service, the mark stays. Any other doubt of a file stays until the service sends another one.',
  },
  withdraw: {
    plan: 'Plan, nothing is withdrawn; would no longer accept the image',
    done: 'No longer accepted: the image',
    meaning: 'Exports mark it again where several places have it.',
  },
} as const;

/** @throws {UsageError} gaps are named, too */
async function changeImage(
  invocation: Accepting,
  content: string,
  change: keyof typeof OF_IMAGES,
): Promise<CommandResult> {
  const { sessions, users, statuses, job, reason, by, dryRun } = invocation.settings;
  if ([sessions, users, statuses, job].some((given) => given !== undefined)) {
    throw new UsageError(
      '--content names an image, and --session, --user, --status or --job name gaps; allowed is one of the two',
    );
  }
  const { plan, done, meaning } = OF_IMAGES[change];
  const facts = { sha256: content, reason };
  if (dryRun)
    return { value: { commit: null, ...facts }, view: { headline: `${plan} ${content}` } };
  const person = recordedPerson(by);
  const choice = { content, reason, by: person.name };
  const { commit } = await withArchive(invocation, (archive) =>
    change === 'accept'
      ? archive.acceptedImages.accept(choice)
      : archive.acceptedImages.withdraw(choice),
  );
  person.recorded(invocation.logger);
  return {
    value: { commit, ...facts },
    view: { headline: `${done} ${content} in commit ${commit}. ${meaning}` },
  };
}

/** What an export has told of an archive stays in its metrics until another tells it. */
const UNTIL =
  'status tells that at once; an alert on gaps ends with the next export of everybody that reaches its end.';

function meaningOf(count: number): string {
  return count === 1
    ? 'Runs do not fail for it any more; its session is still not deleted from the service.'
    : 'Runs do not fail for them any more; their sessions are still not deleted from the service.';
}

const WORDS = {
  accept: {
    plan: 'Plan, nothing is accepted; would accept',
    agreed: 'Plan, carried out now (--yes); accepts',
    question: 'Accept',
    declined: 'Nothing was accepted.',
  },
  withdraw: {
    plan: 'Plan, nothing is withdrawn; would withdraw',
    agreed: 'Plan, carried out now (--yes); withdraws',
    question: 'Withdraw that somebody has accepted',
    declined: 'Nothing was withdrawn.',
  },
} as const;

/** What is meant, and whether somebody agrees to it. Sessions that are named one by one are not asked about. */
class Asking {
  readonly choices: AcceptChoices;
  readonly person: RecordedPerson;
  readonly #isDryRun: boolean;
  readonly #words: (typeof WORDS)[keyof typeof WORDS];
  readonly #archive: string;
  #selected: readonly SelectedGap[] = [];

  constructor(invocation: Accepting, what: keyof typeof WORDS) {
    const { settings, positionals: given } = invocation;
    const { sessions, users, statuses, job, reason, dryRun } = settings;
    this.person = recordedPerson(settings.by);
    this.#words = WORDS[what];
    this.#isDryRun = dryRun;
    this.#archive = given['archive'] ?? '';
    const isWide = users !== undefined || statuses !== undefined;
    const ask =
      isWide && !dryRun ? consent(invocation, 'there is no terminal to ask at') : undefined;
    this.choices = {
      ...{ sessions, users, statuses, job, reason, by: this.person.name },
      confirm: (gaps) => {
        this.#selected = gaps;
        if (dryRun) return Promise.resolve(false);
        return ask
          ? ask((isAgreed) => this.#planView(isAgreed), this.#question())
          : Promise.resolve(true);
      },
    };
  }

  /** After a no, or with `--dry-run`. */
  notDone(): CommandResult {
    const gaps = this.#selected.map(({ user, session, gap }) =>
      gapFacts({ ...gap, user, session, accepted: null }),
    );
    const value = { commit: null, gaps };
    return this.#isDryRun
      ? { value, view: this.#planView(false) }
      : {
          exitCode: EXIT.refused,
          value: { status: 'declined', ...value },
          note: this.#words.declined,
        };
  }

  #question(): string {
    const { reason } = this.choices;
    return `${this.#words.question} ${this.#counts()} of ${this.#archive}, for the reason ${visibleLine(reason)}?`;
  }

  #counts(): string {
    const once = eachGapOnce(this.#selected);
    const users = new Set(once.map(({ user }) => user)).size;
    return `${openText(once.map(({ gap }) => gap))} of ${counted(sessionsOf(once).size, 'conversation')} of ${counted(users, 'user')}`;
  }

  #planView(isAgreed: boolean): View {
    const ofStatus = [...groupBy(eachGapOnce(this.#selected), ({ gap }) => gap.status)].toSorted(
      ([, a], [, b]) => b.length - a.length,
    );
    const items = [...sessionsOf(this.#selected).values()].map((sessionGaps) => {
      const [{ user, session } = { user: '', session: '' }] = sessionGaps;
      const where = `session ${visibleLine(session)} of ${visibleLine(user)}`;
      return `${where} (${openText(sessionGaps.map(({ gap }) => gap))})`;
    });
    return {
      headline: `${isAgreed ? this.#words.agreed : this.#words.plan}: ${this.#counts()} of ${this.#archive}`,
      facts: ofStatus.map(([status, group]) => [
        status,
        `${group.length}: ${meaningOfStatus(status)}`,
      ]),
      lists: [{ items, most: NAMED_SESSIONS }],
    };
  }
}

/** `1 gap, 2 doubts` */
function openText(gaps: readonly { readonly status: string }[]): string {
  return gapCountTexts(countedGaps(gaps, () => false)).join(', ');
}

/** A session that several spellings of a user list is one, and so are its gaps, which are meant under each. */
function eachGapOnce<Gap extends Pick<SelectedGap, 'user' | 'session'>>(
  gaps: readonly Gap[],
): Gap[] {
  const counting = eachSessionOnce(gaps);
  const keys = new Set(counting.map(({ user, session }) => sessionKey(user, session)));
  return gaps.filter(({ user, session }) => keys.has(sessionKey(user, session)));
}

/** How many sessions a plan names. */
const NAMED_SESSIONS = 50;

function sessionsOf(gaps: readonly SelectedGap[]): Map<string, SelectedGap[]> {
  return groupBy(gaps, ({ user, session }) => JSON.stringify([user, session]));
}
