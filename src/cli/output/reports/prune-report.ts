/** Formats the plan or the result of a deletion for people. */
import { formatDuration } from '../../../base/units.js';
import { groupBy } from '../../../base/group-by.js';
import type { PrunedSession, PruneSummary } from '../../../prune/prune-summary.js';
import { counted } from '../../../base/text/counted.js';
import { aligned, sessionsAndJobs, visible } from '../aligned.js';
import { plain, type Paint } from '../terminal.js';

/**
 * @param paint colours for a terminal whose owner wants them
 * @param isAgreed a plan is carried out at once, without a question
 */
export function pruneReport(summary: PruneSummary, paint: Paint = plain, isAgreed = false): string {
  const { sessions, deletions, planned, gone, kept, unfinished, requests } = summary;
  const isPlan = summary.status === 'planned' || summary.status === 'declined';
  const textOf = (wanted: PrunedSession['outcome']): string => {
    const ofOutcome = sessions.filter(({ outcome }) => outcome === wanted);
    return ofOutcome.length === 0 ? 'none' : sessionsAndJobs(ofOutcome);
  };
  return [
    `${isAgreed && summary.status === 'planned' ? agreedHeadline(summary) : painted(summary, paint)}\n`,
    aligned([
      isPlan ? ['to delete', textOf('planned')] : ['deleted', textOf('deleted')],
      ['gone', gone > 0 ? `${gone} already gone from the service, now recorded` : null],
      ['refused', deletions.refused === 0 ? 'none' : counted(deletions.refused, 'session')],
      [
        'left',
        deletions.left > 0 ? `${counted(deletions.left, 'session')}: the budget was spent` : null,
      ],
      ['kept by a hold', deletions.held > 0 ? counted(deletions.held, 'session') : null],
      ['kept', kept === 0 ? 'none' : `${counted(kept, 'session')} not selected by the rules`],
      ['slots missing', shortOfText(summary)],
      ['clock', clockText(summary)],
      ['unfinished', unfinished > 0 ? unfinishedText(unfinished) : null],
      ['unchecked', isPlan ? null : uncheckedText(summary)],
      ['requests', isPlan ? null : `${requests.api} to the service, ${requests.retries} retries`],
      ['time', isPlan ? null : formatDuration(summary.duration_ms)],
    ]),
    ...sessions.filter(({ outcome }) => !isGrouped(outcome)).map(sessionLine),
    ...GROUPED.flatMap((outcome) => groupedLines(sessions, outcome)),
    ...(summary.status === 'planned' && planned > 0 ? [WARNING] : []),
  ].join('');
}

const WARNING = `
Before a session is deleted, its archived files and rows are read back, and its
history and name are read from the service again. A question that is asked
between this final check and the DELETE is lost: make sure that no one works in
sessions that are being deleted. Links with which a session was shared end with
it.
`;

function clockText({ clock_not_compared: why }: PruneSummary): string | null {
  return why === null
    ? null
    : `not compared with the service's, because ${why}: a run refuses every session if it is wrong`;
}

function uncheckedText({ longest_check_to_delete_ms: ms }: PruneSummary): string | null {
  return ms === null
    ? null
    : `at most ${formatDuration(ms)} between the final check and the DELETE`;
}

function painted(summary: PruneSummary, paint: Paint): string {
  const text = headline(summary);
  switch (summary.status) {
    case 'planned':
      return text;
    case 'complete':
      return summary.deletions.left > 0 ? paint.warn(text) : paint.good(text);
    case 'declined':
    case 'refused':
    case 'interrupted':
      return paint.warn(text);
    case 'failed':
      return paint.bad(text);
  }
}

function agreedHeadline({ archive, planned }: PruneSummary): string {
  return `Plan, carried out now (--yes): ${counted(planned, 'session')} of ${archive} to delete from the service`;
}

function headline({ status, archive, deletions, planned }: PruneSummary): string {
  const { deleted, refused, left } = deletions;
  if (left > 0 && (status === 'complete' || status === 'refused')) {
    const failed = refused > 0 ? `, ${refused} refused` : '';
    return `Stopped by its budget: ${counted(deleted, 'session')} deleted${failed}, ${left} left for the next run`;
  }
  switch (status) {
    case 'planned':
      return `Plan, nothing is deleted: ${counted(planned, 'session')} of ${archive} could go`;
    case 'declined':
      return `Nothing was deleted: not confirmed for ${counted(planned, 'session')} of ${archive}`;
    case 'complete':
      return deleted === 0
        ? `Complete: nothing to delete of what ${archive} holds`
        : `Complete: ${counted(deleted, 'session')} deleted from the service; still archived in ${archive}`;
    case 'refused':
      return `Refused: ${counted(deleted, 'session')} deleted, ${refused} refused`;
    case 'interrupted':
      return `Interrupted: ${counted(deleted, 'session')} deleted so far, and recorded`;
    case 'failed':
      return `Failed: ${counted(deleted, 'session')} deleted so far`;
  }
}

/** Users who are named: a company may have many. */
const NAMED_USERS = 5;

/** `3 for ada, 1 for ben: …`; null where the target of free slots is met. */
function shortOfText({ short_of_slots: short }: PruneSummary): string | null {
  if (short.length === 0) return null;
  const named = short
    .slice(0, NAMED_USERS)
    .map(({ user, missing }) => `${missing} for ${visible(user)}`);
  const more =
    short.length > NAMED_USERS ? `, and ${counted(short.length - NAMED_USERS, 'other user')}` : '';
  return `${named.join(', ')}${more}: no other session of theirs may go, so --free-slots is not reached`;
}

function unfinishedText(unfinished: number): string {
  return `${counted(unfinished, 'deletion')} left open by an earlier run: the next deletion finishes or abandons them`;
}

/** Outcomes of sessions that stay, which may be many. */
const GROUPED = ['left', 'held', 'kept'] as const;
type GroupedOutcome = (typeof GROUPED)[number];

function isGrouped(outcome: PrunedSession['outcome']): outcome is GroupedOutcome {
  return GROUPED.some((one) => one === outcome);
}

function outcomeText(outcome: PrunedSession['outcome']): string {
  if (outcome === 'held') return 'kept by a hold';
  return outcome === 'planned' ? 'to delete' : outcome;
}

function sessionLine(session: PrunedSession): string {
  const { user, outcome, detail } = session;
  const text = outcomeText(outcome);
  const why = detail === null ? '' : `: ${detail}`;
  const name = session.name === null ? '' : ` ${JSON.stringify(session.name)}`;
  const what = outcome === 'planned' ? ` (${counted(session.jobs, 'job')})` : '';
  return `    ${visible(`user ${user}, session ${session.session}${name}: ${text}${what}${why}`)}\n`;
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
      const text = `${whoseText(same)}: ${outcomeText(stays)}: ${detailOfAll(same)}`;
      return [`    ${visible(text)}\n`];
    },
  );
}

/** `user ann, 3 sessions`, `7 sessions of 2 users (ann, bob)` */
function whoseText(sessions: readonly PrunedSession[]): string {
  const users = [...new Set(sessions.map(({ user }) => user))];
  const count = counted(sessions.length, 'session');
  if (users.length === 1) return `user ${users[0] ?? ''}, ${count}`;
  const more = users.length > NAMED_USERS ? ` and ${users.length - NAMED_USERS} more` : '';
  return `${count} of ${counted(users.length, 'user')} (${users.slice(0, NAMED_USERS).join(', ')}${more})`;
}

/** Of several days, the first and the last. */
function detailOfAll(sessions: readonly PrunedSession[]): string {
  const days = sessions.flatMap(({ detail }) => DAY.exec(detail ?? '') ?? []).toSorted();
  const [first, last] = [days[0], days.at(-1)];
  const detail = sessions[0]?.detail ?? '';
  return first === last ? detail : detail.replace(DAY, `${first ?? ''} to ${last ?? ''}`);
}
