/** Formats the plan or the result of a deletion for people. */
import { formatDuration } from '../../../base/units.js';
import { groupBy } from '../../../base/group-by.js';
import type { PrunedSession, PruneSummary, ShortOfSlots } from '../../../prune/prune-summary.js';
import type { RefusalReason } from '../../../prune/refusal.js';
import { clauses } from '../../../base/text/clauses.js';
import { counted } from '../../../base/text/counted.js';
import { withMore } from '../../../base/text/with-more.js';
import { conversationsAndQuestions, parts } from '../tally.js';
import { afterRefusal, afterUnordered } from '../next-step.js';
import type { View } from '../view.js';
import type { NextStep } from '../../../base/next-step.js';
import { visibleLine } from '../../../base/text/visible.js';

/**
 * How a plan is agreed to: carried out at once; if the question that follows is answered with yes; or never, as no rule
 * selects anything.
 */
type Asked = 'agreed' | 'question' | 'without a rule';

/** @param asked of a plan; default: it is only shown */
export function pruneView(summary: PruneSummary, asked?: Asked): View {
  const { sessions, deletions, planned, gone, kept, unfinished, requests } = summary;
  const isPlan = summary.status === 'planned' || summary.status === 'declined';
  const textOf = (wanted: PrunedSession['outcome']): string => {
    const ofOutcome = sessions.filter(({ outcome }) => outcome === wanted);
    return ofOutcome.length === 0 ? 'none' : conversationsAndQuestions(ofOutcome);
  };
  const isAsked = asked !== undefined && summary.status === 'planned';
  return {
    headline: isAsked ? askedHeadline(summary, asked) : headline(summary),
    tone: isAsked ? undefined : toneOf(summary),
    facts: [
      isPlan
        ? [asked === 'without a rule' ? 'for a rule' : 'to delete', textOf('planned')]
        : ['deleted', textOf('deleted')],
      ['gone', gone > 0 ? `${gone} already gone from the service` : null],
      [
        'not deleted',
        deletions.refused === 0
          ? 'none'
          : `${counted(deletions.refused, 'conversation')}, see below`,
      ],
      [
        'left',
        deletions.left > 0
          ? `${counted(deletions.left, 'conversation')} for the next run: ${limitText(summary)}`
          : null,
      ],
      ['kept by a hold', deletions.held > 0 ? counted(deletions.held, 'conversation') : null],
      ['not selected', kept === 0 ? 'none' : `${counted(kept, 'conversation')} by the rules`],
      ['slots missing', shortOfText(summary)],
      ['clock', clockText(summary)],
      ['unfinished', unfinished > 0 ? unfinishedText(unfinished) : null],
      ['unchecked', isPlan ? null : uncheckedText(summary)],
      ['requests', requestsText(requests)],
      ['time', isPlan ? null : formatDuration(summary.duration_ms)],
    ],
    lists: [
      {
        items: [
          ...sessions
            .filter(({ outcome }) => !isGrouped(outcome))
            .map((session) => sessionLine(session, asked)),
          ...GROUPED.flatMap((outcome) => groupedLines(sessions, outcome)),
        ],
      },
    ],
    lines:
      summary.status === 'planned' && (planned ?? 0) > 0 && asked !== 'without a rule'
        ? [WARNING]
        : [],
    next:
      summary.status === 'refused'
        ? afterRefusal(sessions.filter(({ outcome }) => outcome === 'refused'))
        : afterUnorderedSlots(summary),
  };
}

const WARNING = `
Before a conversation is deleted, its archived files and rows are read back, and
its history and name are read from the service again. A question that is asked
between this final check and the DELETE is lost: make sure that no one works in
conversations that are being deleted. Links with which a conversation was shared
end with it.`;

/** In the words of an export; null where none was sent. */
function requestsText({
  api,
  files,
  retries,
  rate_limited,
}: PruneSummary['requests']): string | null {
  if (api + files === 0) return null;
  const told = parts({
    'to the service': api,
    'to file hosts': files,
    'sent again': retries,
    'rate limited': rate_limited,
  });
  return `${api + files}: ${told}`;
}

function clockText({ clock_not_compared: why }: PruneSummary): string | null {
  return why === null
    ? null
    : `not compared with the service's, because ${why}: a run refuses every conversation if it is wrong`;
}

function uncheckedText({ longest_check_to_delete_ms: ms }: PruneSummary): string | null {
  return ms === null
    ? null
    : `at most ${formatDuration(ms)} between the final check and the DELETE`;
}

function toneOf(summary: PruneSummary): View['tone'] {
  const { status, deletions } = summary;
  switch (status) {
    case 'planned':
      return undefined;
    case 'complete':
      return deletions.left > 0 || isOrderUnknown(summary) ? 'warn' : 'good';
    case 'declined':
    case 'refused':
    case 'interrupted':
      return 'warn';
    case 'failed':
      return 'bad';
  }
}

function askedHeadline({ archive, planned }: PruneSummary, asked: Asked): string {
  const what = `${counted(planned ?? 0, 'conversation')} of ${archive}`;
  switch (asked) {
    case 'agreed':
      return `Plan, carried out now (--yes): ${what} to delete from the service`;
    case 'question':
      return `Plan: ${what} will be deleted from the service if you answer y`;
    case 'without a rule':
      return `No rule is given, so nothing is to be deleted: the log knows of nothing that speaks against ${what}`;
  }
}

/** Reasons whose word for programs is none for people. */
const WORDS: Readonly<Partial<Record<RefusalReason, string>>> = {
  unsettled: 'still changing',
  gap: 'with a gap',
  hold: 'on hold',
  incomplete: 'not archived to the end',
  'not-selected': 'not selected by the rules',
  outdated: 'changed since the plan',
  grown: 'grown since',
  changed: 'changed since',
  export: 'of an export that ended with gaps',
  rows: 'with damaged rows',
  unproven: 'not proven complete',
  files: 'with files that could not be compared',
  'not-listed': 'not listed by the service',
  'still-there': 'still there after the DELETE',
};

/**
 * `, 17 kept by a hold, 6 refused: 5 still changing, 1 with a gap`, in the words of `deletions`; empty where all went that
 * the rules select.
 */
function stayingText(sessions: readonly PrunedSession[]): string {
  const held = sessions.filter(({ outcome }) => outcome === 'held').length;
  const refused = sessions.filter(({ outcome }) => outcome === 'refused');
  const reasons = [...groupBy(refused, ({ reason }) => reason ?? 'unconfirmed')]
    .toSorted(([one, a], [other, b]) => b.length - a.length || (one < other ? -1 : 1))
    .map(([reason, same]) => `${same.length} ${WORDS[reason] ?? reason}`);
  return clauses(
    '',
    held > 0 && `, ${held} kept by a hold`,
    refused.length > 0 && `, ${refused.length} refused: ${reasons.join(', ')}`,
  );
}

function limitText({ max_delete: limit }: PruneSummary): string {
  return limit === undefined ? 'the budget was spent' : `--max-delete ${limit}`;
}

function headline(summary: PruneSummary): string {
  const { status, archive, deletions, sessions } = summary;
  const { deleted, left } = deletions;
  const planned = summary.planned ?? 0;
  const staying = stayingText(sessions);
  if (left > 0 && (status === 'complete' || status === 'refused')) {
    const done = `${counted(deleted, 'conversation')} deleted, ${left} left for the next run`;
    return summary.max_delete === undefined
      ? `Stopped by its budget: ${done}${staying}`
      : `${done}: ${limitText(summary)}${staying}`;
  }
  switch (status) {
    case 'planned':
      return planned === 0
        ? `Plan, nothing is deleted: ${isOrderUnknown(summary) ? `nothing tells which conversations of ${archive} are the oldest` : `the rules select nothing of ${archive} that may go`}`
        : `Plan, nothing is deleted: ${counted(planned, 'conversation')} of ${archive} would go`;
    case 'declined':
      return `Nothing was deleted: not confirmed for ${counted(planned, 'conversation')} of ${archive}`;
    case 'complete':
      if (deleted === 0 && isOrderUnknown(summary))
        return `Nothing was deleted: nothing tells which conversations of ${archive} are the oldest`;
      return deleted === 0
        ? `Complete: nothing to delete of what ${archive} holds`
        : `Complete: ${counted(deleted, 'conversation')} deleted from the service${staying}; still archived in ${archive}`;
    case 'refused':
      return `${counted(deleted, 'conversation')} deleted${staying}`;
    case 'interrupted':
      return `Interrupted: ${counted(deleted, 'conversation')} deleted so far, and recorded`;
    case 'failed':
      return `Failed: ${counted(deleted, 'conversation')} deleted so far`;
  }
}

/** Whether slots are missing because the age of conversations is not known. */
function isOrderUnknown({ short_of_slots: short }: PruneSummary): boolean {
  return short.some(({ why }) => why === 'order');
}

/** Users who are named: a company may have many. */
const NAMED_USERS = 5;

const WHY_SHORT: Readonly<Record<ShortOfSlots['why'], string>> = {
  'no-other': 'no other conversation of theirs may go, so --free-slots is not reached',
  plan: 'the plan names no other conversation of theirs, so --free-slots is not reached',
  limit: 'this run may delete no more, the next one goes on',
  order: 'which of their conversations are older cannot be told, so these stay',
};

/** What makes room where nothing tells which conversations are older: somebody names them. */
function afterUnorderedSlots({ short_of_slots: short }: PruneSummary): NextStep | undefined {
  const [first] = short.filter(({ why }) => why === 'order');
  return first && afterUnordered(first.user);
}

/** `3 for ada, 1 for ben: …`; null where the target of free slots is met. */
function shortOfText({ short_of_slots: short }: PruneSummary): string | null {
  if (short.length === 0) return null;
  const reasons = [...groupBy(short, ({ why }) => why)].map(([why, same]) => {
    const named = same
      .slice(0, NAMED_USERS)
      .map(({ user, missing }) => `${missing} for ${visibleLine(user)}`);
    const others = same.length - NAMED_USERS;
    const more = others > 0 ? `, and ${counted(others, 'other user')}` : '';
    return `${named.join(', ')}${more}: ${WHY_SHORT[why]}`;
  });
  return reasons.join('; ');
}

function unfinishedText(unfinished: number): string {
  return `${counted(unfinished, 'deletion')} left open by an earlier run: the next deletion finishes or abandons them`;
}

/** Outcomes of sessions that stay, which may be many. */
const GROUPED = ['left', 'held', 'kept'] as const;
type GroupedOutcome = (typeof GROUPED)[number];

function isGrouped(outcome: PrunedSession['outcome']): outcome is GroupedOutcome {
  return GROUPED.some((grouped) => grouped === outcome);
}

function outcomeText(outcome: PrunedSession['outcome'], asked?: Asked): string {
  if (outcome === 'held') return 'kept by a hold';
  if (outcome === 'refused') return 'not deleted';
  if (outcome === 'kept') return 'not selected';
  if (outcome !== 'planned') return outcome;
  return asked === 'without a rule' ? 'for a rule' : 'to delete';
}

function sessionLine(session: PrunedSession, asked?: Asked): string {
  const { user, outcome, detail } = session;
  const text = outcomeText(outcome, asked);
  const why = detail === null ? '' : `: ${detail}`;
  const name = session.name === null ? '' : ` ${JSON.stringify(session.name)}`;
  const jobs = outcome === 'planned' ? ` (${counted(session.jobs, 'question')})` : '';
  return visibleLine(`user ${user}, session ${session.session}${name}: ${text}${jobs}${why}`);
}

const DAY = /\b\d{4}-\d{2}-\d{2}\b/;

/** A line for each reason, whatever day it names: a company may have a thousand sessions that stay. `--json` has each. */
function groupedLines(sessions: readonly PrunedSession[], stays: GroupedOutcome): string[] {
  const staying = sessions.filter(({ outcome }) => outcome === stays);
  return [...groupBy(staying, ({ detail }) => (detail ?? '').replace(DAY, ''))].flatMap(
    ([, same]) => {
      const [first] = same;
      if (!first) return [];
      if (same.length === 1) return [sessionLine(first)];
      return [visibleLine(`${whoseText(same)}: ${outcomeText(stays)}: ${detailOfAll(same)}`)];
    },
  );
}

/** `user ann, 3 conversations`, `7 conversations of 2 users (ann, bob)` */
function whoseText(sessions: readonly PrunedSession[]): string {
  const users = [...new Set(sessions.map(({ user }) => user))];
  const count = counted(sessions.length, 'conversation');
  if (users.length === 1) return `user ${users[0] ?? ''}, ${count}`;
  const named = withMore(users.slice(0, NAMED_USERS), users.length);
  return `${count} of ${counted(users.length, 'user')} (${named})`;
}

/** The detail of all sessions: of several days, the first and the last. */
function detailOfAll(sessions: readonly PrunedSession[]): string {
  const days = sessions.flatMap(({ detail }) => DAY.exec(detail ?? '') ?? []).toSorted();
  const [first, last] = [days[0], days.at(-1)];
  const detail = sessions[0]?.detail ?? '';
  return first === last ? detail : detail.replace(DAY, `${first ?? ''} to ${last ?? ''}`);
}
