/** How whole one user is, as status, the list of users of a report and the summary of a pack say it. */
import type { AcceptedGaps } from '../../log/accepted-gaps.js';
import type { ViewedUser } from '../archive-view.js';
import { completenessOf } from './caveat-text.js';
import type { Completeness } from './completeness.js';
import { isDoubted } from '../../../model/gap-counts.js';

export interface LeftOutJobs {
  /** Jobs that a period left out because nobody knows their dates, and nobody has decided on that. */
  readonly undecided: number;
  /** Jobs that somebody has left out. */
  readonly decided: number;
}

/** What decides on it. */
export type JudgedUser = Pick<
  ViewedUser<object>,
  | 'user'
  | 'sessions'
  | 'listingGap'
  | 'erasure'
  | 'hasGaps'
  | 'isListed'
  | 'isProven'
  | 'isUndecided'
  | 'hasMoreElsewhere'
  | 'decided'
  | 'lacks'
>;

/** The rule of `completenessOf`, of what is only counted. */
export function completenessOfUser(
  {
    user,
    sessions,
    listingGap,
    erasure,
    isUndecided,
    decided = [],
    lacks = [],
    ...rest
  }: JudgedUser,
  accepted: AcceptedGaps,
  leftOut: LeftOutJobs = { undecided: 0, decided: 0 },
): Completeness {
  const gaps = sessions.flatMap(({ session, gaps: all }) =>
    all.map((gap) => ({
      severity: isDoubted(gap) ? ('doubt' as const) : ('missing' as const),
      open: accepted.find(user, session, gap) === undefined,
    })),
  );
  // gaps of sessions that count for another spelling are told there
  const isElsewhere = rest.hasGaps && rest.isListed && gaps.length === 0;
  const isErased = (erasure?.missing ?? 0) > 0;
  return completenessOf([
    ...gaps,
    ...lacks,
    ...(listingGap
      ? [{ severity: isDoubted(listingGap) ? 'doubt' : 'missing', open: true } as const]
      : []),
    ...(leftOut.undecided > 0 ? [{ severity: 'missing', open: true } as const] : []),
    ...(isErased || leftOut.decided + decided.length > 0
      ? [{ severity: 'missing', open: false } as const]
      : []),
    ...(rest.hasMoreElsewhere ? [{ severity: 'doubt', open: false } as const] : []),
    ...(rest.isProven || isElsewhere ? [] : [{ severity: 'doubt', open: isUndecided } as const]),
  ]);
}
