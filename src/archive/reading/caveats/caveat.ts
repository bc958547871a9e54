/**
 * What qualifies an answer: each caveat is one value, and every output renders this list and words none again. A new kind
 * is a function here, and its fact in `reading.ts`.
 */
import type { CopyLack } from '../../identity.js';
import { asConfigured, type NextStep, onArchive, step } from '../../../base/next-step.js';
import { agreeing, counted } from '../../../base/text/counted.js';
import { whereErasedIs } from '../../erasures.js';
import { boundsText } from '../../../model/timestamp.js';
import type { LeftOutJob } from '../chosen-jobs.js';
import { spellingPairs } from '../listed-again.js';
import { ACCEPT, afterDoubts, afterGaps, RETRY_GAPS } from './after-gaps.js';
import type { RemarkKind } from './job-remarks.js';
import {
  MOST_NAMED,
  NamedPlaces,
  placeLine,
  type DecidedPlaces,
  type NamedPlace,
} from './named-places.js';
import type { Reading, Searched, UnreadTable } from './reading.js';
import { spellingsHave, toldApart } from './told-apart.js';
import { whatCopyLacks } from './what-copy-lacks.js';

/** `missing`: it is not there. `doubt`: something may be missing or wrong. `note`: nothing is, and a reader should know it. */
export type CaveatSeverity = 'missing' | 'doubt' | 'note';

export interface Caveat {
  readonly kind: CaveatKind;
  readonly severity: CaveatSeverity;
  readonly count: number;
  /** How many there are in all; null where no other number says more. */
  readonly total: number | null;
  /** A clause with the count, without names and texts of the archive: it may stand anywhere. */
  readonly headline: string;
  /** What that means, as clauses, also without names and texts of the archive; null where the headline says it. */
  readonly why: string | null;
  /** The first of them by name, a line each, with names and texts of the archive. */
  readonly named: readonly string[];
  /** How many are not named. */
  readonly unnamed: number;
  /** What whoever runs the command can do, as clauses. Null in what is made for others. */
  readonly next: NextStep | null;
  /** Whether a run, a repair or a decision can end it, and nobody has decided on it: then the command ends with exit code 3. */
  readonly open: boolean;
}

export interface CaveatChoice {
  /**
   * `operator`: whoever runs the command has the archive. `recipient`: whoever gets what is made learns nothing of people
   * whom it is not about, and has no command to run. Default: `operator`.
   */
  readonly audience?: 'operator' | 'recipient' | undefined;
}

interface Choice {
  readonly isForOthers: boolean;
  readonly namesOf: (places: NamedPlaces) => Names;
  readonly nameOf: (place: NamedPlace) => string;
}

type Qualified = Omit<Caveat, 'kind'>;
type CaveatOf = (reading: Reading, choice: Choice) => Qualified | undefined;

/** In the order in which they are told, within a severity. */
const KINDS = {
  nothing_searched: ({ facts: { searched } }) => {
    const { searched_in: fields, not_searched: without } = searched?.facts ?? {};
    if (fields?.length !== 0) return undefined;
    return missing(1, 'nothing was searched', {
      why: without ?? null,
      open: true,
      next: 'search the archive that this copy was made of',
    });
  },
  nothing_archived: ({ facts: { isEmpty } }) =>
    isEmpty
      ? missing(1, 'nothing is archived yet', {
          why: 'no export has saved anything',
          next: step`${asConfigured('export')} archives what the service has`,
          open: true,
        })
      : undefined,
  erased: ({ erased: { missing: count, certain, unexplained }, archived, facts }, { namesOf }) => {
    const total = archived + count;
    const were = agreeing(count, 'was', 'were');
    // these may be of the same users: of what was gone from the service before, no listing tells
    const more = unexplained > 0 ? `, and ${unexplained} more of whom the log does not say` : '';
    const least = facts.copy ? 'at least ' : '';
    return missing(
      count,
      `${least}${count} of ${counted(total, 'conversation')} ${were} erased${more}`,
      {
        total,
        why: `${archived === 0 ? 'none of these is in the archive' : `the archive has ${archived} of the ${total}`}; ${facts.copy ? 'a copy does not have the receipts of erasures' : 'its log says how much was erased, and never what'}`,
        ...namesOf(certain),
      },
    );
  },
  maybe_erased: ({ erased: { atMost, possible }, facts: { copy } }, { namesOf }) => {
    if (possible.count === 0) return undefined;
    const whose = agreeing(possible.count, 'a user', `${possible.count} users`);
    return doubt(
      atMost,
      `up to ${counted(atMost, 'conversation')} of ${whose} may have been erased since the last listing`,
      {
        why: 'the log says how much was erased, and never whose',
        ...namesOf(possible),
        next: copy ? null : 'the next export lists them again',
        open: !copy,
      },
    );
  },
  lost_file: ({ lost }, { nameOf }) =>
    missing(
      lost.files,
      `${counted(lost.files, 'file')} ${agreeing(lost.files, 'is', 'are')} lost`,
      {
        why: `${agreeing(lost.files, 'it was', 'they were')} archived, and ${agreeing(lost.files, 'is', 'are')} missing or damaged in the archive now`,
        ...first(lost.places, ({ path, name: file, why, ...place }) =>
          nameOf({ ...place, file, note: `${path} ${why}` }),
        ),
        next: step`restore the lost files from a copy of the archive, or with ${onArchive('verify', '--repair')}, and make it again; where neither has them, it is what there is`,
        open: true,
      },
    ),
  gap: ({ gaps, gapsOfGone, facts }, { namesOf }) =>
    missing(gaps.count, counted(gaps.count, 'gap'), {
      why: 'what could not be archived',
      ...namesOf(gaps),
      next: facts.copy ? null : afterGaps({ open: gaps.count, ofGone: gapsOfGone }),
      open: true,
    }),
  unread_users: ({ facts: { unreadUsers: unread } }) => {
    if (!unread) return undefined;
    const { count, isExact, orErased, total } = unread;
    const some = `${isExact ? '' : 'at least '}${count} of the ${counted(total, 'user')}`;
    const [tell, since] = orErased ? [doubt, ', or erased since'] : [missing, ''];
    return tell(
      count,
      `${some} of the last export ${agreeing(count, 'was', 'were')} never read${since}`,
      {
        total,
        why: `it ended early, or its budget was spent, and ${orErased ? 'of whom an erasure left nothing, nothing tells who was read' : `no export has read ${agreeing(count, 'that user', 'them')} before`}`,
        next: 'the next export reads them',
        open: true,
      },
    );
  },
  left_out: ({ facts: { searched } }, { nameOf }) => {
    if (!searched || searched.facts.undated === 'include') return undefined;
    const { undated, time_unknown: count, total } = searched.facts;
    const isDecided = undated === 'exclude';
    const jobs = `${counted(count, 'question')} whose date is unknown ${agreeing(count, 'was', 'were')} left out`;
    return missing(count, isDecided ? `${jobs} by decision` : jobs, {
      total,
      why: unknownDate(count),
      ...first(searched.leftOut, (job) => nameOf(placeOfUndated(job)), count),
      next: isDecided
        ? null
        : `--undated include takes ${agreeing(count, 'it', 'them')} in, --undated exclude leaves ${agreeing(count, 'it', 'them')} out by decision`,
      open: !isDecided,
    });
  },
  withheld: ({ withheld }, { namesOf }) =>
    missing(
      withheld.count,
      `${counted(withheld.count, 'question')} ${agreeing(withheld.count, 'is', 'are')} withheld by decision`,
      {
        why: 'nothing of what is withheld is here but who decided that, and why',
        ...placesOf(namesOf(withheld)),
      },
    ),
  redacted: ({ redacted }, { namesOf }) =>
    missing(
      redacted.count,
      `${counted(redacted.count, 'question')} ${agreeing(redacted.count, 'is', 'are')} redacted by decision`,
      { why: 'texts and files of what is redacted are not here', ...placesOf(namesOf(redacted)) },
    ),
  accepted_gap: ({ accepted }, { namesOf }) =>
    missing(accepted.count, counted(accepted.count, 'accepted gap'), {
      why: 'what could not be archived stays missing, and somebody has accepted that',
      ...namesOf(accepted),
    }),
  doubted: ({ doubted, facts: { copy } }, { namesOf }) =>
    doubt(
      doubted.count,
      `${counted(doubted.count, 'doubt')} about what is archived${acceptedDoubtsText(doubted)}`,
      {
        why: WHY_DOUBTED,
        ...namesOf(doubted),
        next: copy ? null : afterDoubts(doubted),
        open: doubted.open > 0,
      },
    ),
  searched_gap: ({ facts: { doubts, searched, copy } }, { namesOf }) => {
    if (!doubts || !searched || isNothingSearched(searched)) return undefined;
    const { count, open, ofGone } = doubts.lacking;
    const head = `${conversationsIn(searched, count)} ${agreeing(count, 'has', 'have')} gaps`;
    const tell = open === 0 ? missing : doubt;
    return tell(count, head + acceptedGapsText(doubts.lacking), {
      why:
        searched.facts.searched_in === null
          ? 'what could not be archived may be of it, too'
          : 'what could not be archived was not searched, and may be what was looked for',
      ...namesOf(doubts.lacking),
      next:
        open === 0 || copy
          ? null
          : ofGone === 0
            ? step`${RETRY_GAPS} fetches what is missing; ${ACCEPT} ends the exit code 3`
            : afterGaps({ open, ofGone }),
      open: open > 0,
    });
  },
  searched_doubt: ({ facts: { doubts, searched, copy } }, { namesOf }) => {
    if (!doubts || !searched || isNothingSearched(searched)) return undefined;
    const { doubted } = doubts;
    const { count } = doubted;
    const head = `${conversationsIn(searched, count)} ${agreeing(count, 'is', 'are')} in doubt`;
    return doubt(count, head + acceptedDoubtsText(doubted), {
      why: WHY_DOUBTED,
      ...namesOf(doubted),
      next: copy ? null : afterDoubts(doubted),
      open: doubted.open > 0,
    });
  },
  not_proven: ({ unproven, users, facts: { doubts, searched, copy } }, { namesOf }) => {
    if (isNothingSearched(searched)) return undefined;
    const { count } = unproven;
    return doubt(count, `${counted(count, 'user is not', 'users are not')} proven complete`, {
      total: doubts?.users ?? users,
      why: copy
        ? 'a copy does not have the listings of its archive'
        : `${agreeing(count, 'its', 'their')} conversations were never listed as a whole, or not all of those that were listed last were archived`,
      ...namesOf(unproven),
      next: copy ? null : 'an export of all conversations lists them',
      open: !copy,
    });
  },
  table_not_searched: ({ facts: { searched } }, choice) => {
    const count = searched?.facts.tables_not_searched ?? 0;
    return doubt(count, `${counted(count, 'table was not', 'tables were not')} searched`, {
      why: `the archive does not have ${agreeing(count, 'it', 'them')} as text: what was looked for may stand there`,
      ...unreadNames(searched, { ...choice, isInPart: false, count }),
    });
  },
  table_in_part: ({ facts: { searched } }, choice) => {
    const count = searched?.facts.tables_in_part ?? 0;
    return doubt(
      count,
      `${counted(count, 'table was', 'tables were')} searched only in ${agreeing(count, 'its', 'their')} first 16 KB`,
      {
        why: 'what was looked for may stand in the rest',
        ...unreadNames(searched, { ...choice, isInPart: true, count }),
      },
    );
  },
  other_spelling: ({ facts: { otherSpellings, erasures } }, { isForOthers }) => {
    const others = otherSpellings.filter(({ is_same: isSame }) => !isSame);
    return doubt(
      others.length,
      `nothing is here of ${counted(others.length, 'user whose id is another spelling', 'users whose ids are other spellings')} of one that is named`,
      {
        why: `the ids differ only in capitals, white space or the form of characters, and the archive does not tell whether ${agreeing(others.length, 'it is', 'they are')} the same person${erasures.count === 0 ? '' : ': conversations that both listed would show it, and these may have been erased'}`,
        named: isForOthers ? [] : others.map(({ user }) => toldApart(user)),
        next: 'name both with --user if they are the same person, or record a request that names both',
      },
    );
  },
  same_person: ({ facts: { otherSpellings } }, { isForOthers }) => {
    const others = otherSpellings.filter(({ is_same: isSame }) => isSame);
    const more = spellingsHave(others);
    const tell = more === null ? note : doubt;
    return tell(
      others.length,
      `${counted(others.length, 'other spelling')} of a user who is named ${agreeing(others.length, 'is', 'are')} the same person, with ${more ?? 'no other conversation'}`,
      {
        why: 'the service lists the same conversations for both ids, and they count for the one that is named',
        named: isForOthers
          ? []
          : others.map((other) => {
              const has = spellingsHave([other]);
              return has === null ? toldApart(other.user) : `${toldApart(other.user)}: ${has}`;
            }),
        next: more === null ? null : 'name both with --user, or record a request that names both',
      },
    );
  },
  never_seen: ({ neverSeen: { count }, neverSeen }, { namesOf }) =>
    note(
      count,
      `the service lists no conversation of ${counted(count, 'user')}, and none is archived`,
      {
        why: `a mistyped id looks the same`,
        ...namesOf(neverSeen),
        next: `look whether ${agreeing(count, 'the id is', 'the ids are')} right`,
      },
    ),
  erasures: ({ facts: { erasures } }) => {
    const { count, last } = erasures;
    return note(
      count,
      `the archive has ${counted(count, 'erasure')}, ${agreeing(count, 'of', 'the last of')} ${last?.slice(0, 10) ?? ''}`,
      {
        why: `${whereErasedIs(erasures)}, and the receipts in its log say how much went, and not whose it was`,
        next: step`${onArchive('erase', '--list')} says how much each has taken`,
      },
    );
  },
  undated: ({ facts: { searched } }, { nameOf }) => {
    if (!searched) return undefined;
    const { undated, time_unknown: known, total, searched: within } = searched.facts;
    if (undated === 'include') {
      return note(
        known,
        `${counted(known, 'question')} whose date is unknown ${agreeing(known, 'was', 'were')} taken in by decision`,
        {
          total,
          why: unknownDate(known),
          ...first(searched.takenIn, (job) => nameOf(placeOfUndated(job)), known),
        },
      );
    }
    const count = total - within - known;
    return note(
      count,
      `${counted(count, 'question')} whose date is unknown ${agreeing(count, 'does not have', 'do not have')} these words`,
      {
        total,
        why: `whatever the date, ${agreeing(count, 'it is no hit', 'they are no hits')}`,
      },
    );
  },
  without_questions: ({ withoutQuestions, facts: { doubts } }, { namesOf }) => {
    const { count } = withoutQuestions;
    return note(count, `${counted(count, 'conversation has', 'conversations have')} no question`, {
      why: doubts
        ? 'words and periods are looked for in questions: a conversation without one is not here'
        : `no list of questions has ${agreeing(count, 'it', 'them')}`,
      ...namesOf(withoutQuestions),
    });
  },
  listed_twice: ({ facts: { listedAgain } }, { namesOf }) => {
    const count = listedAgain.length;
    const uncounted = listedAgain.reduce((sum, again) => sum + again.uncounted, 0);
    const pairs = new NamedPlaces();
    for (const { users, sessions } of spellingPairs(listedAgain)) {
      const [user, other] = users;
      pairs.add({ user, note: `${counted(sessions, 'conversation')} also of ${toldApart(other)}` });
    }
    const once = `${counted(count, 'conversation is', 'conversations are')} listed under two spellings of a user, and ${agreeing(count, 'counts', 'count')} once`;
    const tell = uncounted > 0 ? doubt : note;
    return tell(
      count,
      uncounted === 0
        ? once
        : `${once}; ${counted(uncounted, 'question')} that only the other spelling has ${agreeing(uncounted, 'is', 'are')} not here`,
      {
        why: 'two ids that list the same conversation are one user',
        ...namesOf(pairs),
        next: uncounted === 0 ? null : 'name the other spelling alone with --user to see them',
      },
    );
  },
  listed_for_two: ({ owners }, { namesOf }) => {
    const pairs = new NamedPlaces();
    let count = 0;
    for (const { users, sessions } of owners.shared()) {
      const [user, other] = users;
      count += sessions;
      pairs.add({ user, note: `${counted(sessions, 'conversation')} also of ${toldApart(other)}` });
    }
    return note(
      count,
      `${counted(count, 'conversation is', 'conversations are')} listed twice, for two users, and ${agreeing(count, 'counts', 'count')} for each`,
      {
        why: `${agreeing(count, 'its id is', 'their ids are')} unique in a project: ${agreeing(count, 'it is one conversation', 'each is one conversation')}, archived for both users`,
        ...namesOf(pairs),
      },
    );
  },
  unsettled: ({ remarks: { unsettled } }, { namesOf }) =>
    note(unsettled.count, `${counted(unsettled.count, 'answer')} may still come or change`, {
      why: `nothing showed yet that ${agreeing(unsettled.count, 'it was final when it was', 'they were final when they were')} read last`,
      ...namesOf(unsettled),
      next: 'what is made after a later export can tell',
    }),
  suspicious_file: ({ remarks: { suspicious_file: suspicious } }, { namesOf }) =>
    note(
      suspicious.count,
      `${counted(suspicious.count, 'file has', 'files have')} doubtful content`,
      {
        why: `stored as the service sent ${agreeing(suspicious.count, 'it', 'them')}: ${DOUBTFUL_CONTENT}`,
        ...namesOf(suspicious),
        next: step`look at them; a picture that is the same in several places on purpose: ${onArchive('gap accept', '--content', 'SHA256', '--reason', 'TEXT')}; any other doubt stays until the service sends another file`,
      },
    ),
  gone: ({ gone, deleted }, { namesOf }) => {
    const { count } = gone;
    const are = agreeing(count, 'is', 'are');
    const by =
      deleted === 0
        ? ''
        : `, ${deleted === count ? '' : `${deleted} of them `}deleted from it by jobvault prune`;
    return note(count, `${counted(count, 'conversation')} ${are} gone from the service${by}`, {
      why: `${agreeing(count, 'it stays', 'they stay')} in the archive, and no export reads ${agreeing(count, 'it', 'them')} again`,
      ...namesOf(gone),
    });
  },
  period_open: ({ facts: { period, nowMs } }) => {
    const end = period?.to;
    if (end === undefined || end <= BigInt(nowMs) * 1000n) return undefined;
    return note(1, 'the period is not over', { why: 'what is asked from now on is not in it' });
  },
  hold: ({ holds }, { namesOf }) =>
    note(holds.count, counted(holds.count, 'hold binds what is here', 'holds bind what is here'), {
      why: 'what is held is neither deleted nor erased',
      ...namesOf(holds),
    }),
  other_hold: ({ otherHolds }, { namesOf }) =>
    note(
      otherHolds.count,
      `${counted(otherHolds.count, 'hold of another matter binds', 'holds of other matters bind')} what is here`,
      {
        why: `who asked for ${agreeing(otherHolds.count, 'it', 'them')}, and why, is not told here`,
        ...namesOf(otherHolds),
      },
    ),
  pseudonymised: ({ facts: { copy } }) =>
    copy &&
    note(1, 'a pseudonymised copy, which is not anonymous', {
      why: whatCopyLacks(copy),
    }),
  not_searched: ({ facts: { searched } }) => {
    const { searched_in: fields, not_searched: without } = searched?.facts ?? {};
    if (without == null || fields?.length === 0) return undefined;
    return note(1, `not searched: ${without}`);
  },
} satisfies Readonly<Record<string, CaveatOf>> & Readonly<Record<RemarkKind, CaveatOf>>;

export type CaveatKind = keyof typeof KINDS;

export const CAVEAT_KINDS = Object.keys(KINDS) as readonly CaveatKind[];

const SEVERITIES: readonly CaveatSeverity[] = ['missing', 'doubt', 'note'];

/** What is missing comes first, then what is in doubt. */
export function caveatsOf(
  reading: Reading,
  { audience = 'operator' }: CaveatChoice = {},
): Caveat[] {
  const isForOthers = audience === 'recipient';
  const nameOf = (place: NamedPlace): string => {
    const { user, session, sessionName } = place;
    if (sessionName !== undefined || user === undefined || session == null) return placeLine(place);
    return placeLine({ ...place, sessionName: reading.titleOf(user, session) });
  };
  // of others it is told how many there are
  const isTold = ({ user }: NamedPlace): boolean =>
    !isForOthers || user === undefined || reading.isAbout(user);
  const namesOf = ({ places, count }: NamedPlaces): Names => {
    const named = places.filter(isTold).map(nameOf);
    return { named, unnamed: count - named.length };
  };
  const own = CAVEAT_KINDS.flatMap((kind): Caveat[] => {
    const caveatOf: CaveatOf = KINDS[kind];
    const caveat = caveatOf(reading, { isForOthers, nameOf, namesOf });
    if (!caveat || caveat.count === 0) return [];
    return [{ kind, ...caveat, ...(isForOthers && { next: null }) }];
  });
  const all = [...caveatsOfCopy(reading.facts.lacks), ...own];
  return SEVERITIES.flatMap((severity) => all.filter((caveat) => caveat.severity === severity));
}

/** What a copy has noted in itself, as caveats. */
export function caveatsOfCopy(lacks: readonly CopyLack[]): Caveat[] {
  return lacks.map(({ kind, ...lack }) => ({
    kind: kind as CaveatKind,
    ...lack,
    total: null,
    why: 'as of the making of this copy, which does not tell whose it is',
    named: [],
    unnamed: 0,
    next: null,
  }));
}

const WHY_DOUBTED =
  'what is archived could not be compared with what the service has, or the service may have sent something else in its place';

/** What a file with doubtful content may be. */
export const DOUBTFUL_CONTENT =
  'empty, an error message, not what the type says, or a picture with the same bytes as others';

/** What is said of a job that the period could not place. */
export const UNKNOWN_DATE = unknownDate(1);

function unknownDate(count: number): string {
  return `nothing tells whether ${agreeing(count, 'it was', 'they were')} asked within the period`;
}

function placeOfUndated(job: LeftOutJob): NamedPlace {
  const { createdAfter, createdBefore, ...place } = job;
  const bounds = boundsText(createdAfter, createdBefore);
  return { ...place, note: bounds === null ? 'asked at an unknown time' : `asked ${bounds}` };
}

function unreadNames(
  searched: Searched | undefined,
  { nameOf, isInPart, count: all }: Choice & { readonly isInPart: boolean; readonly count: number },
): Names {
  const { named = [], others = 0 } = searched?.unread ?? {};
  const tables = named.filter((table) => table.in_part === isInPart);
  const count = others > 0 ? undefined : all;
  const { named: lines, unnamed } = first(tables, (table) => nameOf(placeOfTable(table)), count);
  // who they are is nobody's business who gets it
  const isTold = others > 0 && isInPart === named.every((table) => table.in_part);
  return {
    named: isTold ? [...lines, `${others} of people of whom nothing is here`] : lines,
    unnamed,
  };
}

function placeOfTable(table: UnreadTable): NamedPlace {
  const { user_id: user, session_id: session, session_name: sessionName, job_id: job } = table;
  const file = table.is_hidden === true ? undefined : table.file;
  const note = table.is_found ? 'the question was found all the same' : undefined;
  return { user, session, sessionName, job, file, note };
}

/** Conversations in which a search looked. */
function conversationsIn(searched: Searched, count: number): string {
  const all = counted(count, 'conversation');
  if (searched.facts.searched_in === null) return `${all} that may be of the period`;
  return `${all} that ${agreeing(count, 'was', 'were')} searched`;
}

function isNothingSearched(searched: Searched | undefined): boolean {
  return searched?.facts.searched_in?.length === 0;
}

type Names = Pick<Caveat, 'named' | 'unnamed'>;

/** A conversation counts as its questions, and is named once. */
function placesOf({ named }: Names): Names {
  return { named, unnamed: 0 };
}

/** @param count how many there are: a search with a limit lists the first; default: those that are given */
function first<T>(all: readonly T[], lineOf: (element: T) => string, count = all.length): Names {
  const named = all.slice(0, MOST_NAMED).map(lineOf);
  return { named, unnamed: count - named.length };
}

/** Of the gaps of conversations. */
function acceptedGapsText({ accepted, count }: Pick<DecidedPlaces, 'accepted' | 'count'>): string {
  if (accepted === 0) return '';
  return accepted === count ? ', all of them accepted' : `, those of ${accepted} all accepted`;
}

/** Of doubts, or of conversations in doubt. */
function acceptedDoubtsText({
  accepted,
  count,
}: Pick<DecidedPlaces, 'accepted' | 'count'>): string {
  if (accepted === 0) return '';
  if (accepted < count) return `, ${accepted} of them accepted`;
  return count === 1 ? ', which is accepted' : ', all accepted';
}

type Details = Partial<Omit<Caveat, 'kind' | 'severity' | 'count' | 'headline' | 'next'>> & {
  readonly next?: NextStep | string | null;
};

function qualified(severity: CaveatSeverity) {
  return (count: number, headline: string, details: Details = {}): Qualified => {
    const {
      total = null,
      why = null,
      named = [],
      unnamed = 0,
      next = null,
      open = false,
    } = details;
    const shownNext = typeof next === 'string' ? step`${next}` : next;
    return { severity, count, total, headline, why, named, unnamed, next: shownNext, open };
  };
}

const missing = qualified('missing');
const doubt = qualified('doubt');
const note = qualified('note');
