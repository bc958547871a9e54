/**
 * What is known of what somebody reads, as far as it qualifies the answer: collected once, user by user. The kinds of
 * `caveat.ts` make sentences of it, and nothing else does.
 */
import { holdsByName } from '../../holds/held-sessions.js';
import { boundAsText, heldAs, holdsOn, type BindingHold } from '../../holds/holds.js';
import { SessionOwners } from '../../histories/session-owners.js';
import type { ArchiveIdentity, CopyLack } from '../../identity.js';
import { rowId, sessionKey, type UserId } from '../../../model/ids.js';
import type { Period } from '../../../model/times/time-bounds.js';
import type { Archive } from '../../archive.js';
import { erasureCounts, NO_ERASURES, type ErasureCounts } from '../../erasing/erasures.js';
import { isUnproven, type ArchiveView, type ViewedUser } from '../archive-view.js';
import type { LeftOutJob, Undated } from '../chosen-jobs.js';
import { isDoubted, isLost } from '../../../model/gap-counts.js';
import { isWithErased, type ScopeDoubts } from '../doubts.js';
import { REMARK_KINDS, type Remark, type RemarkKind } from './job-remarks.js';
import { LostFiles } from '../lost-files.js';
import { DecidedPlaces, filePlace, NamedPlaces, type NamedPlace } from './named-places.js';
import type { UnreadUsers } from '../../state/run-history.js';
import { hasNoQuestion, type SessionSummary } from '../../state/session-summary.js';
import type { ListedAgain, OtherSpelling } from '../users/listed-again.js';
import type { ErasedOfScope, Scope } from '../scope.js';
import type { Selection } from '../selection.js';
import { shownHolds, type ShownHolds } from '../requests/shown-holds.js';
import { ErasedSessions } from '../users/user-listings.js';

/** A table that a search did not read to its end; ids as rows have them. A file that is in several jobs is named in each. */
export interface UnreadTable {
  readonly user_id: string;
  readonly session_id: string;
  readonly session_name: string | null;
  readonly job_id: string;
  /** Its name; null where it has none. */
  readonly file: string | null;
  /** Whether its first 16 KB were searched; false: nothing of it. */
  readonly in_part: boolean;
  /** Whether the job was found all the same. */
  readonly is_found: boolean;
  /** Whether it is told by its ids alone: somebody has decided that its job is not shown. */
  readonly is_hidden?: boolean;
}

/** What a search counts, as far as it qualifies its answer. */
export interface SearchedFacts {
  /** In the period, or may be: those that were searched, that were left out, and that are no hit whatever their date. */
  readonly total: number;
  readonly searched: number;
  /** They have the words; nothing tells whether they are in the period. */
  readonly time_unknown: number;
  readonly undated: Undated | null;
  readonly tables_not_searched: number;
  readonly tables_in_part: number;
  /** Where words were looked for; null of a search without words. */
  readonly searched_in: readonly string[] | null;
  /** What words were not looked for in; null of a search without words. */
  readonly not_searched: string | null;
}

export interface Searched {
  readonly facts: SearchedFacts;
  readonly leftOut: readonly LeftOutJob[];
  readonly takenIn: readonly LeftOutJob[];
  /** Tables that were not searched to their end; `others` are not named to whoever gets what is made. */
  readonly unread: { readonly named: readonly UnreadTable[]; readonly others: number };
}

interface ReadingFacts {
  readonly copy: ArchiveIdentity['pseudonymised'];
  /** What a pseudonymised copy was made without, and does not know whose it is. */
  readonly lacks: readonly CopyLack[];
  readonly period: Period | undefined;
  /** What the request is about and was erased: nothing says any more what that is. */
  readonly erasedOfScope: ErasedOfScope | undefined;
  readonly nowMs: number;
  /** All of the archive, whosever they were. */
  readonly erasures: ErasureCounts;
  /** Users who are spellings of one that was named: nothing of them is in the answer. */
  readonly otherSpellings: readonly OtherSpelling[];
  /** Sessions that two spellings in scope list: they are in the answer once. */
  readonly listedAgain: readonly ListedAgain[];
  /** Undefined where somebody is named, or all were read. */
  readonly unreadUsers: UnreadUsers | undefined;
  /** Whether no run has saved anything yet. */
  readonly isEmpty: boolean;
  /** The doubts of where a search looked; undefined: what is read tells them of each user. */
  readonly doubts: ScopeDoubts | undefined;
  readonly searched: Searched | undefined;
}

interface RemarkedSession {
  readonly user: string;
  readonly session: string;
  /** Null of one without a name. */
  readonly sessionName: string | null;
}

/** Without a name where somebody else may read it. */
type NamedSession = Omit<RemarkedSession, 'sessionName'> & Partial<RemarkedSession>;

export class Reading {
  users = 0;
  sessions = 0;
  /** The gaps that nobody has accepted. */
  readonly gaps = new NamedPlaces();
  /** How many of these are of sessions that no run reads again. */
  gapsOfAbsent = 0;
  /** How many of the others are of users whom exports read no more. */
  gapsOfUnread = 0;
  /** Users of whom the service lists nothing, and nothing is archived; of a search also those whom it has only searched. */
  readonly neverSeen: NamedPlaces;
  /** Sessions that have no job; of a search those of where it looked. */
  readonly withoutQuestions: NamedPlaces;
  /** Sessions that are no longer at the service, and how many of them jobvault has deleted. */
  readonly absent = new NamedPlaces();
  deleted = 0;
  /** What is archived and may not be what the service has. */
  readonly doubted = new DecidedPlaces();
  /** What is missing, and somebody has accepted that. */
  readonly accepted = new NamedPlaces();
  /** What is withheld from what is made for the request, and what is redacted in it: questions, or whole conversations. */
  readonly withheld = new NamedPlaces();
  readonly redacted = new NamedPlaces();
  /** What rows of jobs tell. */
  readonly remarks: Readonly<Record<RemarkKind, NamedPlaces>> = noRemarks();
  /** Users; of a search also those without a hit. */
  readonly unproven: NamedPlaces;
  readonly erased: ErasedSessions;
  /** Users with something archived whom exports skip; of a search also those without a hit. */
  readonly skipped: NamedPlaces;
  /** Holds that bind what is here; of those of other matters it is told how many there are. */
  readonly holds = new NamedPlaces();
  readonly otherHolds = new NamedPlaces();
  /** Which users list a session: that of two spellings of one is here once. */
  readonly owners = new SessionOwners();
  lost = LostFiles.NONE;
  readonly facts: ReadingFacts;
  readonly #acceptedGaps: Archive['index']['acceptedGaps'] | undefined;
  readonly #holds: ShownHolds;
  readonly #about = new Set<string>();
  readonly #counted = new Set<string>();
  readonly #absentOnce = new Set<string>();
  /** Sessions that are archived, and of which nothing is shown. */
  #withheldSessions = 0;
  /** What the named sessions are called, as far as somebody has read it. */
  readonly #titles = new Map<string, string | null | undefined>();

  private constructor(
    facts: ReadingFacts,
    holds: ShownHolds = { told: [], others: [] },
    accepted?: Archive['index']['acceptedGaps'],
  ) {
    this.facts = facts;
    const { lacking, doubted, withoutQuestions } = facts.doubts ?? {};
    for (const some of [lacking, doubted, withoutQuestions]) {
      for (const place of some?.places ?? []) this.#expectTitle(place);
    }
    this.unproven = facts.doubts?.unproven ?? new NamedPlaces();
    this.neverSeen = facts.doubts?.neverSeen ?? new NamedPlaces();
    this.withoutQuestions = withoutQuestions ?? new NamedPlaces();
    this.erased = facts.doubts?.erased ?? new ErasedSessions();
    this.skipped = facts.doubts?.skipped ?? new NamedPlaces();
    this.#holds = holds;
    this.#acceptedGaps = accepted;
  }

  /** @param held the holds of the archive, as far as they are told; default: all of them, as they name users and sessions */
  static of(
    view: ArchiveView,
    searched?: Searched,
    held: ShownHolds = shownHolds(holdsByName(view.holds), undefined),
  ): Reading {
    const { archive, selection, doubts, lost } = view;
    const facts = {
      copy: archive.identity.pseudonymised,
      lacks: lacksIn(archive, selection.scope),
      period: selection.scope.period,
      erasedOfScope: selection.scope.erased,
      nowMs: archive.clock.now(),
      erasures: erasureCounts(archive.index),
      otherSpellings: selection.otherSpellings,
      listedAgain: selection.listedAgain,
      unreadUsers: selection.unreadUsers,
      isEmpty: isNothingArchived(archive.index),
      doubts,
      searched,
    };
    const reading = new Reading(facts, bindingOf(held), archive.index.acceptedGaps);
    reading.lost = lost;
    return reading;
  }

  /**
   * A reading of one conversation: what is known of its user as a whole, such as that not all of theirs is archived, is
   * not told.
   */
  static ofConversation(
    { archive, selection }: ArchiveView,
    owners: readonly ViewedUser<SessionSummary>[],
    held: ShownHolds,
  ): Reading {
    const facts = {
      copy: archive.identity.pseudonymised,
      lacks: [],
      period: undefined,
      erasedOfScope: undefined,
      nowMs: archive.clock.now(),
      // an erasure takes whole conversations
      erasures: NO_ERASURES,
      otherSpellings: [],
      listedAgain: selection.listedAgain.filter(({ countsFor, session: id }) =>
        owners.some(
          ({ user, sessions }) =>
            user === countsFor && sessions.some(({ session }) => session === id),
        ),
      ),
      unreadUsers: undefined,
      isEmpty: false,
      doubts: undefined,
      searched: undefined,
    };
    const { acceptedGaps } = archive.index;
    const reading = new Reading(facts, bindingOf(held), acceptedGaps);
    for (const owner of owners) {
      reading.add({ ...owner, ...NOTHING_OF_USER });
    }
    return reading;
  }

  /** A reading of a scope of which only the log was read: what a search finds it in. */
  static ofScope(
    archive: Archive,
    {
      selection: { scope, otherSpellings, listedAgain, unreadUsers },
      doubts,
    }: { readonly selection: Selection; readonly doubts: ScopeDoubts },
    searched: Searched,
  ): Reading {
    return new Reading({
      copy: archive.identity.pseudonymised,
      lacks: lacksIn(archive, scope),
      period: scope.period,
      erasedOfScope: scope.erased,
      nowMs: archive.clock.now(),
      erasures: erasureCounts(archive.index),
      otherSpellings,
      listedAgain,
      unreadUsers,
      isEmpty: isNothingArchived(archive.index),
      doubts,
      searched,
    });
  }

  add(viewed: ViewedUser<SessionSummary>): void {
    const { user, sessions, listingGap, erasure, isReadNoMore } = viewed;
    this.users++;
    this.#about.add(rowId(user));
    this.sessions += sessions.length;
    if (listingGap) {
      const note = `${listingGap.status}: ${listingGap.reason}`;
      if (isDoubted(listingGap))
        this.doubted.decide({ isAccepted: false, isAbsent: false, isReadNoMore });
      else if (isReadNoMore) this.gapsOfUnread++;
      (isDoubted(listingGap) ? this.doubted : this.gaps).add({ user, note });
    }
    // the first are named: the same ones, whichever was archived first
    const inOrder = sessions.toSorted((a, b) => (a.session < b.session ? -1 : 1));
    this.owners.add(
      rowId(user),
      inOrder.map(({ session }) => rowId(session)),
    );
    for (const { session, state, gaps: all } of inOrder) {
      this.#addIfAbsent({ user, session }, state);
      if (!this.facts.doubts && hasNoQuestion(state)) {
        this.#add(this.withoutQuestions, { user, session });
      }
      for (const gap of all) {
        if (isLost(gap)) continue; // the file may stand in several places
        const { job, status, reason } = gap;
        const accepted = this.#acceptedGaps?.find(user, session, gap);
        const what = [filePlace(gap), status, reason].filter((part) => part !== '').join(': ');
        const by = accepted && `; accepted by ${accepted.by}: ${accepted.reason}`;
        const place = { user, session, job, note: what + (by ?? '') };
        if (isDoubted(gap)) {
          this.#add(this.doubted, place);
          const isOver = isAbsent(state) || isWithErased(gap);
          this.doubted.decide({
            isAccepted: accepted !== undefined,
            isAbsent: isOver,
            isReadNoMore,
          });
        } else if (accepted) this.#add(this.accepted, place);
        else {
          this.#add(this.gaps, place);
          if (isAbsent(state)) this.gapsOfAbsent++;
          else if (isReadNoMore) this.gapsOfUnread++;
        }
      }
    }
    for (const { session, job, jobs, decision } of viewed.decided ?? []) {
      const places = decision.decision === 'withhold' ? this.withheld : this.redacted;
      const { reason, by, at } = decision;
      // no title: it may tell what is withheld
      places.add({
        user,
        session,
        sessionName: null,
        job,
        note: `${reason} (by ${by}, ${at.slice(0, 10)})`,
      });
      places.addUnnamed(jobs - 1);
    }
    const shown = new Set(sessions.map(({ session }) => session));
    const decided = new Set((viewed.decided ?? []).map(({ session }) => session));
    this.#withheldSessions += [...decided].filter((session) => !shown.has(session)).length;
    this.#addHolds(user, sessions);
    if (this.facts.doubts) return;
    if (erasure) this.erased.add(user, erasure);
    if (viewed.isNeverSeen) this.neverSeen.add({ user });
    if (viewed.isSkipped) this.skipped.add({ user });
    if (isUnproven(viewed)) this.unproven.add({ user, note: viewed.whyUnproven });
  }

  /** How many sessions the archive has of the users whom it is about, as far as it is not about named sessions. */
  get archived(): number {
    return this.facts.doubts?.sessions ?? this.sessions + this.#withheldSessions;
  }

  /** Notes a session of the answer. */
  addSession(session: NamedSession, state: ServiceState): void {
    this.owners.add(rowId(session.user), [rowId(session.session)]);
    this.#addIfAbsent(session, state);
  }

  #addIfAbsent(session: NamedSession, state: ServiceState): void {
    const key = sessionKey(rowId(session.user), rowId(session.session));
    if (!isAbsent(state) || this.#absentOnce.has(key)) return;
    this.#absentOnce.add(key);
    if (state.deleted) this.deleted++;
    const note = state.deleted
      ? 'deleted from it after it was archived'
      : `not listed since ${state.goneAt?.slice(0, 10) ?? ''}`;
    this.#add(this.absent, { ...session, note });
  }

  /**
   * Notes the name of every session that is read, so that those which are named have their title.
   *
   * @param name null of one without
   */
  addTitle(user: string, session: string, name: string | null): void {
    const key = sessionKey(rowId(user), rowId(session));
    if (this.#titles.has(key)) this.#titles.set(key, name);
  }

  /** Adds the remarks of a session. */
  addRemarks(session: RemarkedSession, remarks: readonly Remark[]): void {
    for (const { kind, ...place } of remarks) this.remarks[kind].add({ ...session, ...place });
  }

  /** Whether something of the user is here, or the user was named. */
  isAbout(user: string): boolean {
    return this.#about.has(rowId(user));
  }

  titleOf(user: string, session: string): string | null | undefined {
    return this.#titles.get(sessionKey(rowId(user), rowId(session)));
  }

  #add(places: NamedPlaces, place: NamedPlace): void {
    places.add(place);
    this.#expectTitle(place);
  }

  #expectTitle({ user, session }: NamedPlace): void {
    if (user === undefined || session == null) return;
    this.#titles.set(sessionKey(rowId(user), rowId(session)), undefined);
  }

  #addHolds(user: UserId, sessions: ViewedUser<SessionSummary>['sessions']): void {
    const { told, others } = this.#holds;
    if (told.length + others.length === 0) return;
    const ids = sessions.map(({ session }) => session);
    for (const [places, holds] of [
      [this.holds, told],
      [this.otherHolds, others],
    ] as const) {
      for (const hold of holdsOn(holds, user, ids)) {
        const { id, session, reason, by, since } = hold;
        if (this.#counted.has(id)) continue;
        this.#counted.add(id);
        const note = `${reason} (asked for by ${by}, since ${since.slice(0, 10)}${boundAsText(hold, user)})`;
        const userAs = heldAs(hold, user);
        this.#add(places, { user, userAs, session, ...(places === this.holds && { note }) });
      }
    }
  }
}

/** What a copy has noted, but for users who were never read where others are named. */
function lacksIn({ identity }: Archive, { users, sessions }: Scope): readonly CopyLack[] {
  const { lacks = [] } = identity.pseudonymised ?? {};
  const isOfEverybody = users.length + sessions.length === 0;
  return lacks.filter(({ kind }) => isOfEverybody || kind !== 'unread_users');
}

function isNothingArchived({ commits, erasures }: Archive['index']): boolean {
  if (erasures.length > 0) return false;
  for (const { counts } of commits) if (counts.users + counts.sessions > 0) return false;
  return true;
}

/** Of one conversation, nothing is told of its user as a whole. */
const NOTHING_OF_USER = {
  listingGap: undefined,
  isProven: true,
  isNeverSeen: false,
  isSkipped: false,
  erasure: undefined,
} as const;

/** Whether the service had a session when it was asked last. */
type ServiceState = Pick<SessionSummary, 'goneAt' | 'deleted'>;

function isAbsent({ goneAt, deleted }: ServiceState): boolean {
  return goneAt !== null || deleted;
}

function bindingOf({ told, others }: ShownHolds): ShownHolds {
  const isBinding = ({ release }: BindingHold): boolean => release === null;
  return { told: told.filter(isBinding), others: others.filter(isBinding) };
}

function noRemarks(): Record<RemarkKind, NamedPlaces> {
  const all = REMARK_KINDS.map((kind) => [kind, new NamedPlaces()] as const);
  return Object.fromEntries(all) as Record<RemarkKind, NamedPlaces>;
}
