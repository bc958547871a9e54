/** The options of an erasure, with the check of what people write in its receipt, and its summary. */
import { Holds, type Hold } from '../../archive/holds/holds.js';
import type { PerhapsBack } from '../../archive/reading/requests/erased-and-back.js';
import type { Counted, OtherSpelling } from '../../archive/reading/users/listed-again.js';
import type { BackOfRequest } from '../../archive/reading/requests/rest-of-request.js';
import type { BegunErasure } from '../../archive/log/commit.js';
import { UsageError, JobvaultError } from '../../base/error.js';
import type { ErasedText } from '../../archive/erasing/redact-commit.js';
import type { ErasureRequest } from '../../archive/erasing/erasure-target.js';
import { groupBy } from '../../base/group-by.js';
import { eachSessionOnce } from '../../model/user-spelling.js';
import type { SessionRef } from '../../archive/histories/shared-jobs.js';
import type { KeptSession } from './except-held.js';
import type { SharingSession } from './sharing-sessions.js';
import type { ArchiveTask } from '../../archive/archive.js';

export interface EraseChoices {
  /** Ids of users to erase, with all their sessions. */
  readonly users?: readonly string[] | undefined;
  /** Ids of sessions to erase, of any user. */
  readonly sessions?: readonly string[] | undefined;
  /** For the receipt; must not name the erased (`namedIn`). Default: that of the request. */
  readonly reason?: string | undefined;
  /** The person who erases, for the receipt; must not name the erased. Default: the receipt names nobody. */
  readonly by?: string | undefined;
  /**
   * The open request (its name or id) that this is for: its users go, or the sessions with jobs of its words and period.
   * The receipt names it. No users or sessions are named then.
   */
  readonly request?: string | undefined;
  /** Jobs of a request with a period of which nothing tells whether they are in it. Default: they stay. */
  readonly undated?: 'include' | 'exclude' | undefined;
  /** Holds beside those of the log. Default: none. */
  readonly holds?: Holds | undefined;
  /** Whether exports skip from then on what is erased; default false: they archive it again if the service still has it. */
  readonly suppress?: boolean | undefined;
  /** What is on hold stays, and the rest goes. Default false: an erasure of a held user or session is refused as a whole. */
  readonly exceptHeld?: boolean | undefined;
  /** Whether a hold may match nothing in the archive. Default false. */
  readonly allowUnknownHolds?: boolean | undefined;
  /** Only count what would be erased. Default false. */
  readonly dryRun?: boolean | undefined;
  /** Fail instead of waiting for a run that works on one of the users. Default false. */
  readonly noWait?: boolean | undefined;
  /** Called with the plan before anything is changed; false declines. Default: no confirmation. */
  readonly confirm?: ((plan: EraseSummary) => Promise<boolean>) | undefined;
}

/**
 * Fills in the defaults.
 *
 * @throws {UsageError} no user or session is named, users and sessions are named together, or an id or the person is empty
 */
export function eraseChoices(choices: EraseChoices): Chosen {
  const { users = [], sessions = [] } = choices;
  if (users.length + sessions.length === 0) {
    throw new UsageError('nothing to erase; give a user or a session');
  }
  // elsewhere the two together mean these sessions of this user; here all of the user would go
  if (users.length > 0 && sessions.length > 0) {
    throw new UsageError(
      'users and sessions are named together; name sessions alone, or users, who go with everything that is theirs',
    );
  }
  if ([...users, ...sessions].includes('')) throw new UsageError('an id is empty');
  if (choices.by?.trim() === '')
    throw new UsageError('an erasure names the person, and that is empty');
  return {
    users: [...new Set(users)],
    sessions: [...new Set(sessions)],
    reason: choices.reason ?? null,
    by: choices.by ?? null,
    holds: choices.holds ?? Holds.none,
    allowUnknownHolds: choices.allowUnknownHolds ?? false,
    dryRun: choices.dryRun ?? false,
    noWait: choices.noWait ?? false,
    suppress: choices.suppress,
    confirm: choices.confirm,
  };
}

interface Chosen extends ErasureRequest {
  readonly holds: Holds;
  readonly allowUnknownHolds: boolean;
  readonly reason: string | null;
  readonly by: string | null;
  readonly noWait: boolean;
  readonly suppress?: boolean | undefined;
  readonly dryRun: boolean;
  readonly confirm?: EraseChoices['confirm'];
}

/** The request for which something is erased. */
export interface ErasingRequest {
  readonly id: string;
  readonly name: string;
  /** Its users; empty of everybody. */
  readonly about: readonly string[];
  /** What its earlier receipts suppressed, and the archive has again. */
  readonly again: readonly BackOfRequest[];
  /** What may be archived again of its earlier receipts that suppress nothing, without sessions that go now. */
  readonly perhapsBack: (going: ReadonlySet<string>) => PerhapsBack | null;
  /** Whether the reason of the receipt is the request's. */
  readonly givesReason: boolean;
  /** What it means with its words or period, where these sessions stay; null of a request without them. */
  readonly inScope: ((kept: ReadonlySet<string>) => JobsInScope) | null;
  /** @throws {UsageError} it is closed */
  readonly assertOpen: () => Promise<void>;
}

/** What a request with words or a period means; the sessions that have any of it go whole. */
export interface JobsInScope {
  /** Jobs that go, and jobs that are held. */
  readonly jobs: number;
  /** In sessions that go. */
  readonly going: number;
  /** In sessions that stay, because they are on hold. */
  readonly held: number;
  /** `with “falcon” to 2026-12` */
  readonly chosen: string;
  /** Jobs with the words of which nothing tells whether they are in the period. */
  readonly time_unknown: number;
  /** What becomes of these; null: they stay, and nobody has said that they may. */
  readonly undated: 'include' | 'exclude' | null;
  /** Jobs of unknown time that do not stay all the same, because their session goes. */
  readonly go_along: number;
}

export interface EraseOptions extends ArchiveTask, Chosen {
  readonly forRequest?: ErasingRequest | undefined;
  /** What was asked for, and stays, because it is on hold. Default: nothing. */
  readonly held?: readonly KeptSession[] | undefined;
  /** What was asked for, and stays, because somebody else lists it, too. Default: nothing. */
  readonly shared?: readonly KeptSession[] | undefined;
  /** Whether its caller may ask for what is not held alone (`exceptHeld`). Default false. */
  readonly canExceptHeld?: boolean | undefined;
  /** Users who were asked for, and of whom some of that stays. Default: none. */
  readonly usersHeld?: readonly string[] | undefined;
  /** What the storage keeps of deleted objects, as a clause; null if nothing. */
  readonly kept: string | null;
  /** Throws if the reason to erase is gone; called whenever the erasure is planned. */
  readonly assertStill?: (() => Promise<void>) | undefined;
}

/** What people wrote about a request or a hold that concerns the erased: it stays in the log, without their ids. */
export interface TextsLeft {
  /** `request`, `hold` */
  readonly kind: 'request' | 'hold';
  /** The texts that name none of the ids: names, reasons, who asked. */
  readonly texts: readonly string[];
}

/** Texts of people that become `[erased]`, because they name the erased or are the words of a request about them. */
export interface ErasedTexts extends ErasedText {
  /** The name of a request, or of whom a hold is on; null of the others. */
  readonly name: string | null;
  /** How many at this place: a request has several searches. */
  readonly count: number;
}

export interface ErasedSession extends Counted<SessionRef> {
  readonly jobs: number;
  /** Whether the service still lists it, as far as the archive knows. */
  readonly at_service: boolean;
}

/** Those that the service still has, as far as the archive knows; each once, however many spellings list it. */
export function sessionsAtService(sessions: readonly ErasedSession[]): readonly ErasedSession[] {
  return eachSessionOnce(sessions.filter(({ at_service: isThere }) => isThere));
}

/** A user of whom something is on hold, under whatever spelling: the list of those whom exports skip knows no spellings. */
export interface UserHeld {
  readonly user: string;
  /** Held sessions of this user that were asked for. */
  readonly sessions: number;
  /** Spellings that were not asked for, and of whom something is on hold. */
  readonly spellings: readonly string[];
}

/** Whom exports skip from an erasure on, and whom of those who were asked for they do not. */
export interface Suppressed {
  /** With everything that they ever have. */
  readonly users: readonly string[];
  /** Other spellings of these that the archive has: a suppression is of every spelling, so that exports skip them, too. */
  readonly other_spellings: readonly string[];
  /** How many sessions of others: new ones of these are archived. */
  readonly sessions: number;
  /** Users of whom something is on hold: exports go on, so that nothing that is held is missed. */
  readonly users_held: readonly UserHeld[];
}

export interface EraseSummary {
  readonly status: 'erased' | 'planned' | 'declined' | 'nothing';
  readonly archive: string;
  /** Id of the receipt; null if nothing was erased. */
  readonly receipt: string | null;
  /** The reason of the receipt; null of none. */
  readonly reason: string | null;
  /** The person whom the receipt names; null of nobody. */
  readonly by: string | null;
  readonly commits: readonly number[];
  /** Name of the request for which it was done; null of none. */
  readonly request: string | null;
  /** Null where the request, if there is one, has neither words nor a period. */
  readonly in_scope: JobsInScope | null;
  readonly erased: BegunErasure['erased'];
  /** Null: exports archive again what the service still has. */
  readonly suppressed: Suppressed | null;
  /** What was asked for and stays, because it is on hold (`exceptHeld`), by session. */
  readonly held: readonly KeptSession[];
  /** What stays beside it, because somebody else lists it, too, by session. */
  readonly shared: readonly KeptSession[];
  /** What earlier receipts of the request suppressed, and the archive has again; without what goes now. */
  readonly again: readonly BackOfRequest[];
  /** What may be archived again of its earlier receipts that suppress nothing, without what goes now; null of none. */
  readonly perhaps_back: PerhapsBack | null;
  /** Names of open requests, beside the one it is for, that are about any of it: it will not be in what is made for them. */
  readonly open_requests: readonly string[];
  /** Names of open requests for which nothing can be made any more: whom they are about, or their words, go with what is erased. */
  readonly requests_lost: readonly string[];
  /** Ids of the users who were asked for; empty where sessions were. */
  readonly users: readonly string[];
  /** What goes, session by session. */
  readonly sessions: readonly ErasedSession[];
  readonly texts_left: readonly TextsLeft[];
  readonly texts_erased: readonly ErasedTexts[];
  /** Earlier commits that were redacted. */
  readonly redacted: number;
  /** Users of the archive who are spellings of one that was asked for, such as Ana for ana: they stay. */
  readonly other_spellings: readonly OtherSpelling[];
  /** Sessions of others, or not asked for, that have jobs of what is erased: they stay. */
  readonly still_there: readonly SharingSession[];
  /** What the storage keeps of deleted objects, and of what other runs have not finished, as a clause; null if nothing. */
  readonly kept: string | null;
  readonly duration_ms: number;
}

/** The summary of a request of which all that is found is left out: nothing was changed. */
export function nothingInScope(
  location: string,
  { name, inScope, again, perhapsBack }: ErasingRequest,
): EraseSummary {
  return {
    status: 'nothing',
    archive: location,
    receipt: null,
    reason: null,
    by: null,
    commits: [],
    request: name,
    in_scope: inScope?.(new Set()) ?? null,
    erased: { sessions: 0, jobs: 0, rows: {}, artifacts: 0, artifact_bytes: 0 },
    suppressed: null,
    held: [],
    shared: [],
    again,
    perhaps_back: perhapsBack(new Set()),
    open_requests: [],
    requests_lost: [],
    users: [],
    sessions: [],
    texts_left: [],
    texts_erased: [],
    redacted: 0,
    other_spellings: [],
    still_there: [],
    kept: null,
    duration_ms: 0,
  };
}

/** A user or a session that is not erased. */
interface HeldBack {
  /** `user "ann"`, `session "s1" of "ann"` */
  readonly who: string;
  readonly why: string;
  /** They say where each of them was read, so that somebody can find and release it. */
  readonly holds: readonly Hold[];
}

/** How many an error names. */
const NAMED_HELD = 10;

/** Users or sessions to be erased are on hold: nothing was changed. */
export class ErasureHeldError extends JobvaultError {
  override readonly name = 'ErasureHeldError';
  /** `ERASURE_HELD_BY_FILE`: no hold of the log is among them. */
  readonly code: 'ERASURE_HELD' | 'ERASURE_HELD_BY_FILE';
  readonly disposition = 'fatal';
  readonly failure = 'refused';

  /** @param canGoInPart whether `exceptHeld` would erase something */
  constructor(
    held: readonly HeldBack[],
    readonly canGoInPart = false,
  ) {
    const [only, ...others] = held;
    super(
      only !== undefined && others.length === 0
        ? `${only.who} is not erased: ${whyText(only)}; nothing was changed`
        : `${held.length} are on hold and not erased: ${listOf(held)}; nothing was changed`,
    );
    const isInLog = held.some(({ holds }) => holds.some((hold) => hold.isInLog));
    this.code = isInLog ? 'ERASURE_HELD' : 'ERASURE_HELD_BY_FILE';
  }
}

/** Lists those with the same holds together: `session "s1" of "ann", session "s2" of "ann": its user is on hold: …` */
function listOf(held: readonly HeldBack[]): string {
  const named = groupBy(held.slice(0, NAMED_HELD), whyText);
  const texts = [...named].map(
    ([why, heldTogether]) => `${heldTogether.map(({ who }) => who).join(', ')}: ${why}`,
  );
  const more = held.length - NAMED_HELD;
  return [...texts, ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}

function whyText({ why, holds }: HeldBack): string {
  return `${why}: ${[...new Set(holds.map(({ source }) => source))].join(', ')}`;
}
