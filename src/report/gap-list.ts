/** The list of what is missing: the first of its lines, and how many there are in all. */
import { undatedGap } from '../search/search-facts.js';
import { meaningOfGap } from '../archive/reading/gap-meaning.js';
import type { GapLine } from './page-data.js';
import type { Survey } from '../making/survey.js';
import type { Tallies } from './first-page/tallies.js';

const SHOWN_GAPS = 2000;
const NOT_LISTED = 'the next export lists them again; where it fails, too, the id may be wrong';
const EXCLUDED = 'whoever made this decided to leave it out; it is in the archive';
const UNDECIDED = 'whoever makes this decides whether it is taken in, or may be left out';

export class GapList {
  readonly lines: GapLine[] = [];

  add(lines: readonly GapLine[]): void {
    this.lines.push(...lines.slice(0, SHOWN_GAPS - this.lines.length));
  }
}

/** Users whom the last run could not list, as gaps of theirs. */
export function unlistedUsers({ users }: Survey, isCopy: boolean): GapLine[] {
  const status = 'user not listed';
  const meaning = isCopy ? meaningOfGap({ status }, isCopy) : NOT_LISTED;
  const ofUser = { session: '', sessionName: null, job: null, when: null, kind: null };
  return [...users.values()].flatMap(({ user, problem }) =>
    problem === null
      ? []
      : [{ user, ...ofUser, status, reason: problem, isAccepted: false, meaning }],
  );
}

/** Jobs that a search by time could not place: named, whether it took them or not. */
export function undatedJobs({ making: { found } }: Survey): GapLine[] {
  const { status, reason } = undatedGap(found?.facts.undated);
  const meaning = found?.facts.undated === 'exclude' ? EXCLUDED : UNDECIDED;
  return (found?.leftOut ?? []).map(
    ({ user, session, sessionName, job, created_after: after, created_before: before }) => {
      const when = [msOf(after), msOf(before)] as const;
      const facts = { kind: 'JOB', status, reason, isAccepted: false, meaning };
      return { user, session, sessionName, job, when, ...facts };
    },
  );
}

/** How many there are, shown or not. */
export function missingIn({ making: { found } }: Survey, tallies: Tallies): number {
  const notTaken = found && found.facts.undated !== 'include' ? found.facts.time_unknown : 0;
  return tallies.gaps.sum + notTaken;
}

/** @param at ISO 8601 */
function msOf(at: string | null): number | null {
  return at === null ? null : Date.parse(at);
}
