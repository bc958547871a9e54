/** The caveats of what is in doubt: it may be missing, or wrong. */
import { type NextStep, step } from '../../../base/next-step.js';
import { clauses } from '../../../base/text/clauses.js';
import { agreeing, counted } from '../../../base/text/counted.js';
import { acceptedDoubtsText, acceptedGapsText } from './accepted-text.js';
import { ACCEPT, afterDoubts, afterGaps, RETRY_GAPS } from './after-gaps.js';
import { type CaveatOf, doubt, type Kinds, missing, note } from './caveat-kind.js';
import { conversationsIn, isNothingSearched, unreadNames } from './in-search.js';
import type { DecidedPlaces } from './named-places.js';
import type { OtherSpelling } from '../users/listed-again.js';
import { spellingsHave, toldApart } from './told-apart.js';

export const WHAT_IS_IN_DOUBT = {
  doubted: (reading, naming) => {
    const { doubted } = reading;
    const head = `${counted(doubted.count, 'doubt')} about what is archived`;
    return doubtOf(head, doubted)(reading, naming);
  },

  searched_gap: ({ facts: { doubts, searched, copy } }, naming) => {
    if (!doubts || !searched || isNothingSearched(searched)) return undefined;
    const { lacking } = doubts;
    const { count, open } = lacking;
    const head = `${conversationsIn(searched, count)} ${agreeing(count, 'has', 'have')} gaps`;
    const tell = open === 0 ? missing : doubt;
    return tell(count, head + acceptedGapsText(lacking), {
      why:
        searched.facts.searched_in === null
          ? 'what could not be archived may be of it, too'
          : 'what could not be archived was not searched, and may be what was looked for',
      ...naming.names(lacking),
      next: copy ? null : afterSearchedGaps(lacking),
      open: open > 0,
    });
  },

  searched_doubt: (reading, naming) => {
    const { doubts, searched } = reading.facts;
    if (!doubts || !searched || isNothingSearched(searched)) return undefined;
    const { doubted } = doubts;
    const { count } = doubted;
    const head = `${conversationsIn(searched, count)} ${agreeing(count, 'is', 'are')} in doubt`;
    return doubtOf(head, doubted)(reading, naming);
  },

  not_proven: ({ unproven, users, facts: { doubts, searched, copy } }, naming) => {
    if (isNothingSearched(searched)) return undefined;
    const { count } = unproven;
    return doubt(count, `${counted(count, 'user is not', 'users are not')} proven complete`, {
      total: doubts?.users ?? users,
      why: copy
        ? 'a copy does not have the listings of its archive'
        : `${agreeing(count, 'its', 'their')} conversations were never listed as a whole, the last listing failed, or not all of those that were listed last were archived`,
      ...naming.names(unproven),
      next: copy ? null : 'an export of all conversations lists them',
      open: !copy,
    });
  },

  table_not_searched: ({ facts: { searched } }, naming) => {
    const count = searched?.facts.tables_not_searched ?? 0;
    return doubt(count, `${counted(count, 'table was not', 'tables were not')} searched`, {
      why: `the archive does not have ${agreeing(count, 'it', 'them')} as text: what was looked for may stand there`,
      ...unreadNames(searched, naming, { isInPart: false, count }),
    });
  },

  table_in_part: ({ facts: { searched } }, naming) => {
    const count = searched?.facts.tables_in_part ?? 0;
    const its = agreeing(count, 'its', 'their');
    return doubt(
      count,
      `${counted(count, 'table was', 'tables were')} searched only in ${its} first 16 KB`,
      {
        why: 'what was looked for may stand in the rest',
        ...unreadNames(searched, naming, { isInPart: true, count }),
      },
    );
  },

  other_spelling: ({ facts: { otherSpellings, erasures } }, { isForOthers }) => {
    const others = otherSpellings.filter(({ is_same: isSame }) => !isSame);
    const count = others.length;
    const whose = counted(
      count,
      'user whose id is another spelling',
      'users whose ids are other spellings',
    );
    const erased =
      erasures.count === 0
        ? ''
        : ': conversations that both listed would show it, and these may have been erased';
    return doubt(count, `nothing is here of ${whose} of one that is named`, {
      why: `the ids differ only in capitals, white space or the form of characters, and the archive does not tell whether ${agreeing(count, 'it is', 'they are')} the same person${erased}`,
      named: isForOthers ? [] : others.map(({ user }) => toldApart(user)),
      next: 'name both with --user if they are the same person, or record a request that names both',
    });
  },

  same_person: ({ facts: { otherSpellings } }, { isForOthers }) => {
    const others = otherSpellings.filter(({ is_same: isSame }) => isSame);
    const count = others.length;
    const more = spellingsHave(others);
    const tell = more === null ? note : doubt;
    const are = agreeing(count, 'is', 'are');
    return tell(
      count,
      `${counted(count, 'other spelling')} of a user who is named ${are} the same person, with ${more ?? 'no other conversation'}`,
      {
        why: 'the service lists the same conversations for both ids, and they count for the one that is named',
        named: isForOthers ? [] : others.map(spellingText),
        next: more === null ? null : 'name both with --user, or record a request that names both',
      },
    );
  },
} satisfies Kinds;

function doubtOf(head: string, doubted: DecidedPlaces): CaveatOf {
  return ({ facts: { copy } }, naming) =>
    doubt(doubted.count, head + acceptedDoubtsText(doubted), {
      why: 'what is archived could not be compared with what the service has, or the service may have sent something else in its place',
      ...naming.names(doubted),
      next: copy ? null : afterDoubts(doubted),
      open: doubted.open > 0,
    });
}

function afterSearchedGaps({ open, ofAbsent, ofUnread }: DecidedPlaces): NextStep | null {
  if (open === 0) return null;
  return ofAbsent + ofUnread === 0
    ? step`${RETRY_GAPS} fetches what is missing; ${ACCEPT} ends the exit code 3`
    : afterGaps({ open, ofAbsent, ofUnread });
}

function spellingText(other: OtherSpelling): string {
  return clauses(': ', toldApart(other.user), spellingsHave([other]));
}
