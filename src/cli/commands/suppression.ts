/** The forms of `erase` that erase nothing: exports skip somebody from then on, or no more. */
import type { LiftSummary, ListedSuppression } from '../../archive/notes/set-suppressions.js';
import { groupBy } from '../../base/group-by.js';
import { agreeing, counted } from '../../base/text/counted.js';
import { UsageError } from '../../base/error.js';
import type { eraseSettings } from '../../config/rewrite-settings.js';
import type { SuppressSummary } from '../../rewrite/erasure/suppress-only.js';
import type { CommandResult, Invocation } from '../command.js';
import { EXIT } from '../exit-code.js';
import { withArchive } from '../input/access.js';
import { consent } from '../input/confirm.js';
import { readHolds } from '../input/hold-file.js';
import { recordedPerson } from '../input/recorded-person.js';
import { minuteText } from '../../model/times/timestamp.js';
import type { View } from '../output/view.js';
import { usersAndConversations } from '../../model/users-and-conversations.js';
import { visibleLine } from '../../base/text/visible.js';

type Erasing = Invocation<typeof eraseSettings>;

const NOBODY_TO_ASK = 'there is no terminal to ask at';

const AGAIN = 'archived again';
/** Nobody had ended it before. */
const AGAIN_ON_HOLD = `${AGAIN}: the user was on hold`;

/** How many users or conversations a sentence names. */
const NAMED = 10;

/** @throws {UsageError} something is given that an erasure takes, or no reason */
export async function suppressOnly(invocation: Erasing): Promise<CommandResult> {
  const { users, sessions, dryRun, by, allowUnknownHolds } = invocation.settings;
  const reason = reasonAlone(invocation, '--suppress-only');
  const ask = dryRun ? undefined : consent(invocation, NOBODY_TO_ASK);
  const holds = await readHolds(invocation.settings);
  const person = recordedPerson(by);
  const summary = await withArchive(invocation, (archive) =>
    archive.suppress({
      users,
      sessions,
      reason,
      by: person.name,
      dryRun,
      holds,
      allowUnknownHolds,
      confirm:
        ask &&
        ((plan) =>
          ask(
            (isAgreed) => suppressView(plan, isAgreed),
            `Let exports into ${plan.archive} skip ${whomText(plan)}?`,
          )),
    }),
  );
  if (summary.status === 'recorded') person.recorded(invocation.logger);
  return {
    exitCode: summary.status === 'declined' ? EXIT.refused : EXIT.complete,
    value: summary,
    view: suppressView(summary),
  };
}

/** @throws {UsageError} something is given that an erasure takes, or no reason */
export async function liftSuppression(invocation: Erasing): Promise<CommandResult> {
  const { users, sessions, dryRun, by } = invocation.settings;
  const reason = reasonAlone(invocation, '--unsuppress');
  const ask = dryRun ? undefined : consent(invocation, NOBODY_TO_ASK);
  const person = recordedPerson(by);
  const question = (plan: LiftSummary): string =>
    `Let exports into ${plan.archive} archive ${whomText(plan)} again?`;
  const summary = await withArchive(invocation, (archive) =>
    archive.unsuppress({
      users,
      sessions,
      reason,
      by: person.name,
      dryRun,
      confirm: ask && ((plan) => ask((isAgreed) => liftView(plan, isAgreed), question(plan))),
    }),
  );
  if (summary.status === 'lifted') person.recorded(invocation.logger);
  return {
    exitCode: summary.status === 'declined' ? EXIT.refused : EXIT.complete,
    value: summary,
    view: liftView(summary),
  };
}

function liftView(summary: LiftSummary, isAgreed = false): View {
  const { status, commit, lifted, users, sessions_left: left } = summary;
  const [whom, them] = [whomText(summary), agreeing(lifted, 'it', 'them')];
  const headlines = {
    lifted: `Lifted in commit ${String(commit)}: the next export archives again what the service still has of ${them}.`,
    planned: isAgreed
      ? `Plan, carried out now (--yes); exports will archive ${whom} again, as far as the service still has ${them}`
      : `Plan, nothing is recorded; exports would archive ${whom} again, as far as the service still has ${them}`,
    declined: `Nothing was recorded; exports would have archived ${whom} again`,
  };
  return {
    headline: headlines[status],
    lines: users.length > 0 && left > 0 ? [stillSuppressed(left)] : [],
  };
}

function stillSuppressed(sessions: number): string {
  return `${counted(sessions, 'conversation')} that ${agreeing(sessions, 'was', 'were')} erased and suppressed without their users ${agreeing(sessions, 'stays', 'stay')} so, and may be theirs: --unsuppress --session ID ends that.`;
}

/**
 * Rows of `erase --list`: suppressions that came with no erasure, those that ended, and of whom an export has archived
 * something again; one for each commit.
 */
export function suppressionRows(suppressions: readonly ListedSuppression[]): string[][] {
  const alone = suppressions.flatMap((one) => {
    const { commit, since: at, reason, by, until } = one;
    const who = { of: subjectOf(one), until };
    return reason === null ? [] : [{ ...who, commit, at, reason, by, what: 'not to come back' }];
  });
  const ended = suppressions.flatMap((one) => {
    const { lifted, set_again: again } = one;
    const who = { of: subjectOf(one), until: again };
    return lifted === null ? [] : [{ ...who, ...lifted, what: 'may come back' }];
  });
  const back = suppressions.flatMap((one) => {
    const { back: again, lifted } = one;
    const who = { of: subjectOf(one), until: null, reason: '', by: null };
    return again === null ? [] : [{ ...who, ...again, what: lifted ? AGAIN : AGAIN_ON_HOLD }];
  });
  const all = [...alone, ...ended, ...back];
  const rows = groupBy(all, ({ commit, what }) => `${commit} ${what}`);
  return [...rows.values()].flatMap((changes) => {
    const [first] = changes;
    if (!first) return [];
    const { commit, at, reason, by, what } = first;
    // several receipts and notes may be of one
    const once = [...new Map(changes.map((change) => [change.of.id, change])).values()];
    const count = (which: string) => once.filter(({ of }) => of.subject === which).length;
    const whom = { users: count('user'), sessions: count('session') };
    const text = `${usersAndConversations(whom)} ${what}${untilText(once)}`;
    return [[String(commit), minuteText(at), text, by ?? '', reason, '', '', '']];
  });
}

function subjectOf({ id, same_as: sameAs, subject }: ListedSuppression) {
  return { id: sameAs ?? id, subject };
}

/** ` (until commit 7)`, ` (1 of these until commit 7)`: which commit has ended what a row says; empty of none. */
function untilText(changes: readonly { readonly until: number | null }[]): string {
  const over = changes.filter(({ until }) => until !== null);
  const parts = [...groupBy(over, ({ until }) => until)].map(([until, { length }]) => {
    const these = length === changes.length ? '' : `${length} of these `;
    return `${these}until commit ${until ?? 0}`;
  });
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

/** @throws {UsageError} something is given that an erasure takes, or no reason */
function reasonAlone({ settings }: Erasing, flag: string): string {
  const { request, suppress, suppressOnly: only, unsuppress, exceptHeld, reason } = settings;
  if (request !== undefined || suppress || exceptHeld || (only && unsuppress)) {
    throw withoutErasing(flag, 'leave out the rest');
  }
  if (reason === undefined) throw new UsageError(`${flag} needs --reason`);
  return reason;
}

function withoutErasing(flag: string, advice: string): UsageError {
  return new UsageError(
    `${flag} erases nothing and takes --user, --session, --reason and --by; ${advice}`,
  );
}

/** `user ada in every spelling`, `2 users in every spelling and 12 conversations` */
function whomText({ users, sessions }: Pick<SuppressSummary, 'users' | 'sessions'>): string {
  const named = (word: string, ids: readonly string[]) => {
    if (ids.length > NAMED) return counted(ids.length, word);
    return `${ids.length === 1 ? word : `${word}s`} ${ids.map(visibleLine).join(', ')}`;
  };
  return [
    ...(users.length === 0 ? [] : [`${named('user', users)} in every spelling`]),
    ...(sessions.length === 0 ? [] : [named('conversation', sessions)]),
  ].join(' and ');
}

function suppressView(summary: SuppressSummary, isAgreed = false): View {
  const { status, commit, unknown, open_requests: requests, runs } = summary;
  const whom = whomText(summary);
  if (status === 'nothing')
    return { headline: `Nothing is recorded: exports skip ${whom} already` };
  const headlines = {
    recorded: `Recorded in commit ${String(commit)}: exports skip ${whom}`,
    planned: isAgreed
      ? `Plan, carried out now (--yes); exports will skip ${whom}`
      : `Plan, nothing is recorded; exports would skip ${whom}`,
    declined: `Nothing was recorded; exports would have skipped ${whom}`,
  };
  const isDone = status === 'recorded';
  return {
    headline: headlines[status],
    facts: [
      ...(isDone ? [] : unknown.slice(0, NAMED)).map((text) => ['unknown', text] as const),
      ...requests.map((name) => ['open request', `“${visibleLine(name)}” is about them`] as const),
      ...runs.map(
        (run) =>
          ['at work', `run ${run} may have read them before: look when it has ended`] as const,
      ),
    ],
  };
}
