/** The caveats of what a reader should know, though nothing is missing or in doubt. */
import { onArchive, step } from '../../../base/next-step.js';
import { agreeing, counted } from '../../../base/text/counted.js';
import { whereErasedIs } from '../../erasing/erasures.js';
import { spellingPairs, uncountedIn } from '../users/listed-again.js';
import { isDay, minuteText } from '../../../model/times/timestamp.js';
import { doubt, type Kinds, note } from './caveat-kind.js';
import { isNothingSearched, placeOfUndated, unknownDate } from './in-search.js';
import { NamedPlaces } from './named-places.js';
import { onlyElsewhere, toldApart } from './told-apart.js';
import { whatCopyLacks } from './what-copy-lacks.js';

/** What a file with doubtful content may be. */
export const DOUBTFUL_CONTENT =
  'empty, an error message, not what the type says, or a picture that had the same bytes as others when it was fetched, also where these were erased since';

/** Lists those of everybody, with what is wrong with each. */
export const SUSPICIOUS_FILES = onArchive(
  'query',
  'SELECT user_id, session_id, job_id, name, suspicious FROM current_artifacts WHERE suspicious IS NOT NULL',
);

export const WHAT_TO_KNOW = {
  never_seen: ({ neverSeen, neverSeen: { count }, facts: { copy } }, naming) =>
    note(
      count,
      `the service lists no conversation of ${counted(count, 'user')}, and none is archived`,
      {
        why: `a mistyped id looks the same`,
        ...naming.names(neverSeen),
        next: copy ? null : `look whether ${agreeing(count, 'the id is', 'the ids are')} right`,
      },
    ),

  skipped_user: ({ skipped, skipped: { count }, facts: { copy } }, naming) => {
    const [them, they] = [agreeing(count, 'it', 'them'), agreeing(count, 'it is', 'they are')];
    return note(count, `${counted(count, 'user is', 'users are')} not read any more`, {
      why: `exports skip ${agreeing(count, 'a user', 'users')} of whom another spelling was erased and is not to come back: what is archived of ${them} stays, and nothing new of ${them} is archived`,
      ...naming.names(skipped),
      next: copy
        ? null
        : step`if ${they} somebody else, ${onArchive('erase', '--unsuppress', '--user', 'USER', '--reason', 'TEXT')} ends that; otherwise erase ${them}, too`,
    });
  },

  erasures: ({ facts: { erasures } }) => {
    const { count, sessions, last } = erasures;
    const when = `${agreeing(count, 'of', 'the last of')} ${last?.slice(0, 10) ?? ''}`;
    return note(
      count,
      `the archive has ${counted(count, 'erasure')} (${counted(sessions, 'conversation')}), ${when}`,
      {
        why: `${whereErasedIs(erasures)}, and the receipts in its log say how much went, and not whose it was`,
        next: step`${onArchive('erase', '--list')} says how much each has taken`,
      },
    );
  },

  undated: ({ facts: { searched } }, naming) => {
    if (!searched) return undefined;
    const { undated, time_unknown: known, total, searched: within } = searched.facts;
    const count = undated === 'include' ? known : total - within - known;
    const head = `${counted(count, 'question')} whose date is unknown`;
    if (undated === 'include') {
      return note(count, `${head} ${agreeing(count, 'was', 'were')} taken in by decision`, {
        total,
        why: unknownDate(count),
        ...naming.first(searched.takenIn, placeOfUndated, count),
      });
    }
    return note(count, `${head} ${agreeing(count, 'does not have', 'do not have')} these words`, {
      total,
      why: `whatever the date, ${agreeing(count, 'it is no hit', 'they are no hits')}`,
    });
  },

  without_questions: ({ withoutQuestions, facts: { doubts } }, naming) => {
    const { count } = withoutQuestions;
    return note(count, `${counted(count, 'conversation has', 'conversations have')} no question`, {
      why: doubts
        ? 'words and periods are looked for in questions: a conversation without one is not here'
        : `no list of questions has ${agreeing(count, 'it', 'them')}`,
      ...naming.names(withoutQuestions),
    });
  },

  listed_twice: ({ facts: { listedAgain } }, naming) => {
    const count = listedAgain.length;
    const only = onlyElsewhere(uncountedIn(listedAgain));
    const are = counted(count, 'conversation is', 'conversations are');
    const once = `${are} listed under two spellings of a user, and ${agreeing(count, 'counts', 'count')} once`;
    const details = {
      why: 'two ids that list the same conversation are one user',
      ...naming.names(placesOfPairs(spellingPairs(listedAgain))),
    };
    if (only === null) return note(count, once, details);
    return doubt(count, `${once}; ${only} not here`, {
      ...details,
      next: 'name the other spelling alone with --user to see them',
    });
  },

  listed_for_two: ({ owners }, naming) => {
    const pairs = owners.shared();
    const count = pairs.reduce((sum, { sessions }) => sum + sessions, 0);
    const are = counted(count, 'conversation is', 'conversations are');
    return note(
      count,
      `${are} listed twice, for two users, and ${agreeing(count, 'counts', 'count')} for each`,
      {
        why: `${agreeing(count, 'its id is', 'their ids are')} unique in a project: ${agreeing(count, 'it is one conversation', 'each is one conversation')}, archived for both users`,
        ...naming.names(placesOfPairs(pairs)),
      },
    );
  },

  unsettled: ({ remarks: { unsettled } }, naming) => {
    const { count } = unsettled;
    return note(count, `${counted(count, 'answer')} may still come or change`, {
      why: `nothing showed yet that ${agreeing(count, 'it was final when it was', 'they were final when they were')} read last`,
      ...naming.names(unsettled),
      next: 'what is made after a later export can tell',
    });
  },

  suspicious_file: ({ remarks: { suspicious_file: suspicious }, facts: { copy } }, naming) => {
    const { count } = suspicious;
    return note(count, `${counted(count, 'file has', 'files have')} doubtful content`, {
      why: `stored as the service sent ${agreeing(count, 'it', 'them')}: ${DOUBTFUL_CONTENT}`,
      ...naming.names(suspicious),
      next: copy
        ? 'the archive that this copy was made of has them, and says of each why'
        : step`${SUSPICIOUS_FILES} lists those of everybody, with reasons; a picture that is the same in several places on purpose: ${onArchive('gap accept', '--content', 'SHA256', '--reason', 'TEXT')}; any other doubt stays until the service sends another file`,
    });
  },

  absent: ({ absent, deleted }, naming) => {
    const { count } = absent;
    const ofThem = deleted === count ? '' : `${deleted} of them `;
    const by = deleted === 0 ? '' : `, ${ofThem}deleted from it by jobvault prune`;
    const are = agreeing(count, 'is', 'are');
    return note(count, `${counted(count, 'conversation')} ${are} no longer at the service${by}`, {
      why: `${agreeing(count, 'it stays', 'they stay')} in the archive, and no export reads ${agreeing(count, 'it', 'them')} again`,
      ...naming.names(absent),
    });
  },

  period_open: ({ facts: { period, nowMs, doubts, copy } }) => {
    const end = period?.to;
    if (end === undefined || !doubts) return undefined;
    const { readUntil, isEndUnread } = doubts;
    const last = readUntil === null ? null : minuteText(readUntil);
    if (end > BigInt(nowMs) * 1000n) {
      const since = last === null ? 'is asked from now on' : `was asked after ${last}`;
      return note(1, 'the period is not over', { why: `what ${since} is not in it` });
    }
    if (!isEndUnread) return undefined;
    const at = readUntil !== null && isDay(readUntil) ? 'on' : 'at';
    return doubt(1, `the service was read last ${at} ${last ?? ''}, before the end of the period`, {
      why: 'what was asked since is not in it',
      next: copy ? null : 'an export reads it',
      open: !copy,
    });
  },

  hold: ({ holds }, naming) =>
    note(holds.count, counted(holds.count, 'hold binds what is here', 'holds bind what is here'), {
      why: 'what is held is neither deleted nor erased',
      ...naming.names(holds),
    }),

  other_hold: ({ otherHolds, otherHolds: { count } }, naming) => {
    const bind = counted(count, 'hold of another matter binds', 'holds of other matters bind');
    return note(count, `${bind} what is here`, {
      why: `who asked for ${agreeing(count, 'it', 'them')}, and why, is not told here`,
      ...naming.names(otherHolds),
    });
  },

  pseudonymised: ({ facts: { copy } }) =>
    copy
      ? note(1, 'a pseudonymised copy, which is not anonymous', { why: whatCopyLacks(copy) })
      : undefined,

  not_searched: ({ facts: { searched } }) => {
    const without = searched?.facts.not_searched;
    if (without == null || isNothingSearched(searched)) return undefined;
    return note(1, `not searched: ${without}`);
  },
} satisfies Kinds;

/** Users who list the same conversations, by the first of them. */
function placesOfPairs(
  pairs: readonly { readonly users: readonly [string, string]; readonly sessions: number }[],
): NamedPlaces {
  const places = new NamedPlaces();
  for (const { users, sessions } of pairs) {
    const [user, other] = users;
    places.add({ user, note: `${counted(sessions, 'conversation')} also of ${toldApart(other)}` });
  }
  return places;
}
