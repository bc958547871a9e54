/** Whom and what a product shows, and what the log says of it: before any row is read. */
import type { AcceptedGap } from '../archive/log/accepted-gaps.js';
import { historyStateOf, type HistoryState } from '../archive/reading/doubts.js';
import type { WithheldJobs } from '../archive/reading/archive-view.js';
import type { GapEntry } from '../archive/log/commit.js';
import { completenessOfUser } from '../archive/reading/caveats/completeness-of-user.js';
import type { Completeness } from '../archive/reading/caveats/completeness.js';
import { NewestSessions } from '../archive/reading/newest-sessions.js';
import type { ListingGap } from '../archive/reading/users/user-listings.js';
import { sha256Hex } from '../base/digest.js';
import { NOTHING_MISSING, type MissingCounts } from '../model/gap-counts.js';
import { rowId, sessionKey } from '../model/ids.js';
import { BindingHolds } from './binding-holds.js';
import type { HoldLine } from './hold-line.js';
import type { Making, SummedUser } from './making.js';

export interface SurveyedSession {
  /** From 1, throughout the product, and in a later one in its place. */
  readonly number: number;
  /** Equal where all that is shown of it is equal, as far as the log goes. */
  readonly print: string;
  readonly user: string;
  /** As `SurveyedUser`. */
  readonly userNumber: number;
  readonly session: string;
  /** How many the archive has of it. */
  readonly jobs: number;
  /** Absent where decisions leave no job out. */
  readonly withheld: WithheldJobs | undefined;
  /** The ids of the jobs whose answers may still change, as rows have them. */
  readonly unsettled: readonly string[];
  readonly history: HistoryState;
  readonly isDeleted: boolean;
  /** ISO 8601; null while the service lists it. */
  readonly goneAt: string | null;
  readonly gaps: readonly GapEntry[];
  readonly missing: MissingCounts;
  /** Who has accepted each of the gaps, as a sentence, in the order of the gaps; null of an open one. */
  readonly accepted: readonly (string | null)[];
  /** The holds on the session and on its user. */
  readonly holds: readonly HoldLine[];
}

export interface SurveyedUser {
  /** Among those of the survey, from 0. */
  readonly place: number;
  /** From 1. */
  readonly number: number;
  /** As rows have it: there a lone surrogate is U+FFFD. */
  readonly user: string;
  /** What the last listing of all sessions shows to be missing; null where only named sessions or hits are shown. */
  readonly problem: string | null;
  /** How whole is what is shown of the user. */
  readonly completeness: Completeness;
  /** Whether the service lists nothing of the user, and nothing is archived. */
  readonly isNeverSeen: boolean;
  /** What is missing of the sessions, and of the listing. */
  readonly missing: MissingCounts;
  /** The holds on the user as a whole. */
  readonly holds: readonly HoldLine[];
  /** With ids as rows have them. */
  readonly sessions: readonly SurveyedSession[];
}

/** Users and sessions keep the numbers that they have in an earlier product. */
export interface KnownNumbers {
  readonly users: ReadonlyMap<string, number>;
  /** By `sessionKey`. */
  readonly sessions: ReadonlyMap<string, number>;
  /** The highest numbers. */
  readonly lastUser: number;
  readonly lastSession: number;
}

const NONE_KNOWN: KnownNumbers = {
  users: new Map(),
  sessions: new Map(),
  lastUser: 0,
  lastSession: 0,
};

/** Memory holds a line for each session and user. */
export class Survey {
  private constructor(
    readonly making: Making,
    /** By id, also those whom no run could list: nothing of theirs is there, and the product says so. */
    readonly users: ReadonlyMap<string, SurveyedUser>,
    /** By each user who is the same person as one whose spelling is newer: that one. */
    readonly people: ReadonlyMap<string, string>,
  ) {}

  /**
   * Adds everybody to what qualifies the product.
   *
   * @param viewed the users in scope, in their order, where they are not read from the log here
   * @param known numbers of an earlier product
   * @throws {IntegrityError} the log is damaged
   */
  static async of(
    making: Making,
    viewed?: Iterable<SummedUser>,
    known: KnownNumbers = NONE_KNOWN,
  ): Promise<Survey> {
    const { archive, view } = making;
    const held = new BindingHolds(making.holds);
    const users = new Map<string, SurveyedUser>();
    const through = view.head?.number ?? 0;
    const newest = await NewestSessions.of(archive.index, { through, signal: view.signal });
    let { lastSession, lastUser } = known;
    for await (const { viewed: summedUser, unsettled } of making.users(viewed)) {
      const { user, sessions, listingGap, isNeverSeen } = summedUser;
      const userNumber = known.users.get(rowId(user)) ?? ++lastUser;
      const surveyed = sessions.map(
        ({ session, state, gaps, withheld, ...counts }): SurveyedSession => {
          const { deleted: isDeleted, goneAt } = state;
          const history = historyStateOf(state);
          const key = sessionKey(rowId(user), rowId(session));
          const number = known.sessions.get(key) ?? ++lastSession;
          const ids = { number, userNumber, user: rowId(user), session: rowId(session) };
          const holds = held.ofSession(user, session);
          const archived = withheld?.archived ?? state.jobs.total;
          const jobs = { jobs: archived, unsettled: (unsettled.get(session) ?? []).map(rowId) };
          const accepted = gaps.map((gap) =>
            acceptedText(archive.index.acceptedGaps.find(user, session, gap)),
          );
          const facts = { ...jobs, history, isDeleted, goneAt, gaps, accepted, holds };
          const commit = newest.get(user, session)?.commits.at(-1) ?? 0;
          const all = JSON.stringify([ids, facts, commit, archive.index.digestOf(commit)]);
          // field by field: what is made of two others has a shape of its own in V8, 480 bytes each
          return {
            number,
            print: sha256Hex(all),
            user: ids.user,
            userNumber,
            session: ids.session,
            jobs: facts.jobs,
            withheld,
            unsettled: shared(facts.unsettled),
            history,
            isDeleted,
            goneAt,
            gaps: shared(gaps),
            missing: sharedCounts(counts),
            accepted: shared(accepted),
            holds: shared(holds),
          };
        },
      );
      users.set(rowId(user), {
        place: users.get(rowId(user))?.place ?? users.size,
        number: userNumber,
        user: rowId(user),
        problem: problemOf(listingGap),
        completeness: completenessOfUser(
          summedUser,
          archive.index.acceptedGaps,
          making.leftOutOf(user),
        ),
        isNeverSeen,
        missing: sharedCounts(summedUser),
        holds: shared(held.ofUser(user)),
        sessions: [
          ...new Map(
            surveyed.map((surveyedSession) => [surveyedSession.session, surveyedSession]),
          ).values(),
        ],
      });
    }
    const people = new Map(
      [...view.selection.spellings.people].map(([user, person]) => [rowId(user), rowId(person)]),
    );
    return new Survey(making, users, people);
  }

  /** User by user. */
  *sessions(): Generator<SurveyedSession> {
    for (const { sessions } of this.users.values()) yield* sessions;
  }

  get usersById(): SurveyedUser[] {
    return [...this.users.values()].sort((a, b) => (a.user < b.user ? -1 : 1));
  }

  /** Whether it is about one user, who was named, or whose sessions were. */
  get isOfOne(): boolean {
    const { scope } = this.making.selection;
    return scope.users.length + scope.sessions.length > 0 && this.users.size === 1;
  }

  get sessionCount(): number {
    return [...this.users.values()].reduce((sum, { sessions }) => sum + sessions.length, 0);
  }

  /** How many people have sessions in it: spellings of a user that list the same one are one. */
  get peopleCount(): number {
    const some = [...this.users.values()].filter(({ sessions }) => sessions.length > 0);
    return new Set(some.map(({ user }) => this.people.get(user) ?? user)).size;
  }

  /** Each once, whatever its versions; none that is withheld. */
  get jobCount(): number {
    const { found } = this.making;
    if (found) return found.facts.matches - found.facts.withheld;
    let count = 0;
    for (const { jobs, withheld } of this.sessions()) count += withheld?.shown ?? jobs;
    return count;
  }

  /** Finds sessions by ids as rows have them. Those of one user are mostly asked for together: only theirs are in a map. */
  finder(): (user: string, session: string) => SurveyedSession | undefined {
    let last: SurveyedUser | undefined;
    let byId = new Map<string, SurveyedSession>();
    return (user, session) => {
      const surveyed = this.users.get(user);
      if (surveyed !== last)
        byId = new Map(
          surveyed?.sessions.map((surveyedSession) => [surveyedSession.session, surveyedSession]),
        );
      last = surveyed;
      return byId.get(session);
    };
  }
}

const NONE: readonly never[] = [];

/** One list for all that are empty: there are many. */
function shared<T>(list: readonly T[]): readonly T[] {
  return list.length === 0 ? NONE : list;
}

function sharedCounts({
  gapCounts,
  lostFiles,
}: Pick<SummedUser, 'gapCounts' | 'lostFiles'>): MissingCounts {
  const counts = { ...gapCounts, lost_files: lostFiles };
  return Object.values(counts).some((count) => count > 0) ? counts : NOTHING_MISSING;
}

function problemOf(gap: ListingGap | undefined): string | null {
  if (!gap) return null;
  const { status, reason } = gap;
  return status === 'failed' ? `The last run could not list all sessions: ${reason}` : reason;
}

function acceptedText(accepted: AcceptedGap | undefined): string | null {
  return accepted ? `accepted by ${accepted.by}: ${accepted.reason}` : null;
}
