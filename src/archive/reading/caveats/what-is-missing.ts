/** The caveats of what is missing, or has perhaps been erased. */
import { asConfigured, onArchive, step } from '../../../base/next-step.js';
import { clauses } from '../../../base/text/clauses.js';
import { agreeing, counted } from '../../../base/text/counted.js';
import { usersAndConversations } from '../../../model/users-and-conversations.js';
import { afterGaps } from './after-gaps.js';
import { doubt, type Kinds, missing } from './caveat-kind.js';
import { isNothingSearched, placeOfUndated, unknownDate } from './in-search.js';

export const WHAT_IS_MISSING = {
  nothing_searched: ({ facts: { searched } }) =>
    isNothingSearched(searched)
      ? missing(1, 'nothing was searched', {
          why: searched?.facts.not_searched ?? null,
          open: true,
          next: 'search the archive that this copy was made of',
        })
      : undefined,

  nothing_archived: ({ facts: { isEmpty, copy } }) => {
    if (!isEmpty) return undefined;
    if (copy) {
      return doubt(1, 'nobody is in this copy', {
        why: 'the archive that it was made of had nothing for it then',
      });
    }
    return missing(1, 'nothing is archived yet', {
      why: 'no export has saved anything',
      next: step`${asConfigured('export')} archives what the service has`,
      open: true,
    });
  },

  erased: ({ erased, archived, facts }, naming) => {
    const { missing: count, certain, unexplained, mayBeHere } = erased;
    const total = archived + count;
    const were = agreeing(count, 'was', 'were');
    const least = facts.copy || (erased.isAtLeast && unexplained > 0) ? 'at least ' : '';
    // these may be of the same users: of what was no longer at the service before, no listing tells
    const again = mayBeHere > 0 ? ` (up to ${mayBeHere} of these may be archived again)` : '';
    // what was archived again, and erased once more, counts twice
    const more =
      unexplained > 0 ? `, and up to ${unexplained} more that the log does not name${again}` : '';
    const here =
      archived === 0
        ? 'none of these is in the archive'
        : clauses(' ', `the archive has ${archived}`, least === '' && `of the ${total}`);
    const unknown = facts.copy
      ? 'a copy does not have the receipts of erasures'
      : 'its log says how much was erased, and never what';
    return missing(
      count,
      `${least}${count} of ${least}${counted(total, 'conversation')} ${were} erased${more}`,
      { total, why: `${here}; ${unknown}`, ...naming.names(certain) },
    );
  },

  erased_of_request: ({ facts: { erasedOfScope: erased } }) => {
    if (!erased) return undefined;
    const count = erased.users + erased.sessions;
    const were = agreeing(count, 'was', 'were');
    return missing(count, `${usersAndConversations(erased)} of the request ${were} erased`, {
      why: 'the request does not name what was erased any more, and nothing of it is here',
    });
  },

  maybe_erased: ({ erased: { atMost, possible }, facts: { copy } }, naming) => {
    if (possible.count === 0) return undefined;
    const whose = agreeing(possible.count, 'a user', `${possible.count} users`);
    return doubt(
      atMost,
      `up to ${counted(atMost, 'conversation')} of ${whose} may have been erased since the last listing`,
      {
        why: 'the log says how much was erased, and never whose',
        ...naming.names(possible),
        next: copy ? null : 'the next export lists them again',
        open: !copy,
      },
    );
  },

  lost_file: ({ lost: { files, places } }, naming) => {
    const are = agreeing(files, 'is', 'are');
    return missing(files, `${counted(files, 'file')} ${are} lost`, {
      why: `${agreeing(files, 'it was', 'they were')} archived, and ${are} missing or damaged in the archive now`,
      ...naming.first(places, ({ path, name: file, why, ...place }) => ({
        ...place,
        file,
        note: `${path} ${why}`,
      })),
      next: step`restore the lost files from a copy of the archive, or with ${onArchive('verify', '--repair')}, and make it again; where neither has them, it is what there is`,
      open: true,
    });
  },

  gap: ({ gaps, gapsOfAbsent, gapsOfUnread, facts: { copy } }, naming) =>
    missing(gaps.count, counted(gaps.count, 'gap'), {
      why: 'what could not be archived',
      ...naming.names(gaps),
      next: copy
        ? null
        : afterGaps({ open: gaps.count, ofAbsent: gapsOfAbsent, ofUnread: gapsOfUnread }),
      open: true,
    }),

  unread_users: ({ facts: { unreadUsers: unread } }) => {
    if (!unread) return undefined;
    const { count, isExact, orErased, total } = unread;
    const some = `${isExact ? '' : 'at least '}${count} of the ${counted(total, 'user')}`;
    const head = `${some} of the last export ${agreeing(count, 'was', 'were')} never read`;
    const cause = 'it ended early, or its budget was spent, and';
    const more = { total, next: 'the next export reads them', open: true };
    if (orErased) {
      const why = `${cause} of whom an erasure left nothing, nothing tells who was read`;
      return doubt(count, `${head}, or erased since`, { ...more, why });
    }
    const them = agreeing(count, 'that user', 'them');
    return missing(count, head, { ...more, why: `${cause} no export has read ${them} before` });
  },

  left_out: ({ facts: { searched } }, naming) => {
    if (!searched || searched.facts.undated === 'include') return undefined;
    const { undated, time_unknown: count, total } = searched.facts;
    const isDecided = undated === 'exclude';
    const them = agreeing(count, 'it', 'them');
    const head = `${counted(count, 'question')} whose date is unknown ${agreeing(count, 'was', 'were')} left out`;
    return missing(count, isDecided ? `${head} by decision` : head, {
      total,
      why: unknownDate(count),
      ...naming.first(searched.leftOut, placeOfUndated, count),
      next: isDecided
        ? null
        : `--undated include takes ${them} in, --undated exclude leaves ${them} out by decision`,
      open: !isDecided,
    });
  },

  withheld: ({ withheld, withheld: { count } }, naming) =>
    missing(
      count,
      `${counted(count, 'question')} ${agreeing(count, 'is', 'are')} withheld by decision`,
      {
        why: 'nothing of what is withheld is here but who decided that, and why',
        ...naming.namesOnce(withheld),
      },
    ),

  redacted: ({ redacted, redacted: { count } }, naming) =>
    missing(
      count,
      `${counted(count, 'question')} ${agreeing(count, 'is', 'are')} redacted by decision`,
      { why: 'texts and files of what is redacted are not here', ...naming.namesOnce(redacted) },
    ),

  accepted_gap: ({ accepted }, naming) =>
    missing(accepted.count, counted(accepted.count, 'accepted gap'), {
      why: 'what could not be archived stays missing, and somebody has accepted that',
      ...naming.names(accepted),
    }),
} satisfies Kinds;
