/** Formats the status of one user for people. */
import { MAY_CHANGE } from '../../../model/blocks/answered.js';
import { visibleId } from '../../../base/text/direction.js';
import { headlineClauseOf } from '../../../archive/reading/caveats/caveat-text.js';
import type { OtherSpelling } from '../../../archive/reading/users/listed-again.js';
import type { Caveat } from '../../../archive/reading/caveats/caveat.js';
import type { SessionStatus, UserStatus } from '../../../completeness/user-status.js';
import { countedGaps, gapCountTexts } from '../../../model/gap-counts.js';
import { clauses } from '../../../base/text/clauses.js';
import { counted } from '../../../base/text/counted.js';
import { placeText, filePlaceText } from '../texts/place-text.js';
import { timeWithAge, secondText } from '../texts/time-text.js';
import type { View } from '../view.js';
import { visibleLine } from '../../../base/text/visible.js';
import { conversationsText, questionsText } from './status/what-is-archived.js';
import { mayChangeText, openGapsText } from './status/what-is-missing.js';

export interface UserDetail extends UserStatus {
  /** Holds in force on the user, and on sessions of the user. */
  readonly holds: readonly UserHold[];
  readonly detail: readonly SessionStatus[];
  /** What qualifies all that is archived of the user, as a report of the user has it. */
  readonly caveats: readonly Caveat[];
  /** Users of the archive who are spellings of this one, and are not named as well. */
  readonly other_spellings: readonly OtherSpelling[];
}

interface UserHold {
  /** Null where a session is held. */
  readonly user_id: string | null;
  readonly session_id: string | null;
  readonly reason: string;
  readonly by: string;
  readonly since: string;
}

export function userView(
  { user, sessions, jobs, ...rest }: UserDetail,
  { isCopy, nowMs }: { readonly isCopy: boolean; readonly nowMs: number },
): View {
  const { last_listing: listing, detail } = rest;
  const deletes = sessions.gone + sessions.deleted > 0;
  return {
    headline: `${visibleId(user)}: ${headlineClauseOf(rest.caveats)}`,
    caveats: rest.caveats.map(withoutListed),
    facts: [
      ['conversations', conversationsText(sessions, { deletes })],
      ['questions', questionsText({ jobs, may_change: rest.may_change }, isCopy)],
      ['may still change', isCopy ? null : mayChangeText(rest.may_change)],
      ['gaps', openGapsText(rest)],
      ['last listing', listingOf(listing, nowMs)],
      ['exports', rest.is_read_no_more ? UNREAD : null],
    ],
    sections: [
      {
        facts: detail.map((session) => sessionFact(session, isCopy)),
        lists: [
          { items: detail.flatMap(gapItems) },
          { items: isCopy ? [] : detail.flatMap(unsettledItems) },
        ],
      },
    ],
  };
}

/** Whoever left the list of users, and is skipped, alike. */
const UNREAD = 'those of everybody read this user no more: nothing new is archived';

/** What names the list of conversations below names. */
const LISTED: ReadonlySet<Caveat['kind']> = new Set([
  'gap',
  'accepted_gap',
  'doubted',
  'unsettled',
]);

function withoutListed(caveat: Caveat): Caveat {
  return LISTED.has(caveat.kind) ? { ...caveat, named: [], unnamed: 0 } : caveat;
}

function listingOf(listing: UserStatus['last_listing'], nowMs: number): string {
  if (!listing) return 'none of all conversations is complete';
  const at = timeWithAge(listing.at, nowMs);
  if (listing.error !== null) return `${at}: failed: ${listing.error}`;
  const { listed, suppressed, total_items: total, erased, erased_since: since } = listing;
  return clauses(
    '; ',
    `${at}: ${counted(listed, 'conversation')} listed, ${total ?? 'an unknown number'} announced${lackingOf(listing)}`,
    suppressed > 0 && `${suppressed} more skipped (suppressed)`,
    erased > 0 && `${counted(erased, 'conversation')} of this user erased before`,
    since > 0 && `${counted(since, 'conversation')} of any user erased since`,
  );
}

function lackingOf(listing: NonNullable<UserStatus['last_listing']>): string {
  const { complete, listed, suppressed, total_items: total } = listing;
  if (complete) return ', all of them archived';
  const isWhole = total !== null && listed + suppressed >= total;
  return isWhole ? ', not all of them archived whole' : ': not the whole list';
}

function sessionFact(
  {
    session,
    state,
    jobs,
    gaps,
    gone_at: goneAt,
    left_open_by: leftOpenBy,
    counts_for: countsFor,
    also_of: alsoOf,
  }: SessionStatus,
  isCopy: boolean,
) {
  const others = alsoOf.filter((other) => other !== countsFor);
  const unsettled = isCopy || isAbsent(state) ? 'not settled' : MAY_CHANGE;
  const text = clauses(
    ', ',
    state,
    goneAt !== null && `not listed since ${secondText(goneAt)}`,
    leftOpenBy !== null && 'its deletion was left open',
    counted(jobs.total, 'question'),
    jobs.unsettled > 0 && `${jobs.unsettled} ${unsettled}`,
    others.length > 0 && `also listed under ${others.map(visibleLine).join(' and ')}`,
    countsFor !== null && `counts for ${visibleLine(countsFor)}`,
    ...gapCountTexts(countedGaps(gaps, (gap) => gap.accepted_by !== undefined)),
  );
  return [session, text] as const;
}

/** Whether nobody can say any more if its answers would have changed. */
function isAbsent(state: SessionStatus['state']): boolean {
  return state === 'gone' || state === 'deleted';
}

function unsettledItems({ session, unsettled, state }: SessionStatus): string[] {
  const what = isAbsent(state)
    ? 'not settled, and its conversation is no longer at the service'
    : MAY_CHANGE;
  return unsettled.map(
    ({ job, seen_at: seenAt }) =>
      `${placeText({ session, job })}: ${what}; as it is since ${secondText(seenAt)}`,
  );
}

function gapItems({ session, gaps }: SessionStatus): string[] {
  return gaps.map((gap) => {
    const place = placeText({ session, job: gap.job }) + filePlaceText(gap);
    const by = gap.accepted_by === undefined ? '' : ` (accepted by ${gap.accepted_by})`;
    return `${place}: ${gap.status}: ${gap.reason}${by}`;
  });
}
