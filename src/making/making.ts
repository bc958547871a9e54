/** What a product is made of: who and what is in it as of one commit, the rows of these, and what qualifies them. */
import type { Archive } from '../archive/archive.js';
import { RewrittenMeanwhileError, type Made } from '../archive/archive-errors.js';
import { bindingHolds } from '../archive/holds/held-sessions.js';
import type { CommitRef } from '../archive/log/commit-log.js';
import type { RequestRecord } from '../archive/log/request-history.js';
import { ArchiveView, type ViewedUser } from '../archive/reading/archive-view.js';
import type { LeftOutJobs } from '../archive/reading/caveats/completeness-of-user.js';
import type { Remark } from '../archive/reading/caveats/job-remarks.js';
import { Reading, type UnreadTable } from '../archive/reading/caveats/reading.js';
import { Decisions } from '../archive/reading/requests/decisions.js';
import { LostFiles } from '../archive/reading/lost-files.js';
import { readUntil } from '../archive/reading/users/read-until.js';
import { parsedScope, type GivenScope } from '../archive/reading/scope.js';
import { SelectedRows } from '../archive/reading/rows/selected-rows.js';
import type { Selection } from '../archive/reading/selection.js';
import { shownHolds, type ShownHolds } from '../archive/reading/requests/shown-holds.js';
import { summaryOf, type SessionSummary } from '../archive/state/session-summary.js';
import type { JobId, SessionId } from '../model/ids.js';
import { findChosen, type FoundJobs } from '../search/search-archive.js';
import type { SearchChoice } from '../search/search-choice.js';
import { leftOutOf } from '../search/search-facts.js';
import { searchedOf } from '../search/unread-tables.js';

/** The request that a product is made for, as the product names it. */
export type ProductRequest = Pick<
  RequestRecord,
  'id' | 'name' | 'reason' | 'by' | 'since' | 'decisions'
>;

/** With `match`, `from` or `to` it is of the jobs alone that a search finds. */
export interface MakingOptions extends SearchChoice, GivenScope {
  readonly archive: Archive;
  /** For which it is made: what was decided for it is withheld or redacted, and so are the holds of other requests. */
  readonly request?: Pick<RequestRecord, 'id' | 'decisions'> | undefined;
  /** Tables and images that the storage has lost are missing, and not stored in the rows. Default: whoever reads one fails. */
  readonly allowLostFiles?: boolean | undefined;
  /** Whether it tells what listings say. Default: unless the scope names sessions, which need no listing. */
  readonly tellsListings?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What every product takes. With `match`, `from` or `to` it has only the jobs that a search finds, and says so. */
export interface ProductOptions extends Omit<MakingOptions, 'tellsListings'> {
  /** For which it is made: it names the request, and has only what was decided for that. */
  readonly request?: ProductRequest | undefined;
  /** Tables and images that the archive has lost are left out, and named. Default: one of them ends it. */
  readonly allowLostFiles?: boolean | undefined;
  /** The person who makes it. Default: it names nobody. */
  readonly by?: string | undefined;
}

export type SummedUser = ViewedUser<SessionSummary>;

/** The user with summaries of sessions that are made of the log alone: from no cache. */
export function summedUser({ sessions, ...user }: ViewedUser): SummedUser {
  return {
    ...user,
    sessions: sessions.map(({ state, ...session }) => ({ ...session, state: summaryOf(state) })),
  };
}

/** A user in scope, and by session the jobs there whose answers may still change. */
interface UserInScope {
  readonly viewed: SummedUser;
  readonly unsettled: ReadonlyMap<SessionId, readonly JobId[]>;
}

export class Making {
  private constructor(
    /** Users, sessions and jobs in scope, as of its commit. */
    readonly view: ArchiveView,
    /** What the part files have of these. */
    readonly rows: SelectedRows,
    /** The search that has chosen the jobs; undefined where all of them are in scope. */
    readonly found: FoundJobs | undefined,
    /** The holds of the archive, as far as whoever gets the product may see them; released ones, too. */
    readonly holds: ShownHolds,
    /** What qualifies the product: `users` adds to it, or whoever takes the users from elsewhere. */
    readonly reading: Reading,
    /** When the service was read last of anybody whom it is asked about; ISO 8601, null where nobody was listed. */
    readonly readUntil: string | null,
  ) {}

  /**
   * @param made what is made of it, for errors
   * @throws {UsageError} a user or a session is not in the archive, or the words or the period make no sense
   * @throws {IntegrityError} the log is damaged
   * @throws {RewrittenMeanwhileError} another run has appended to the log between the search and this: begin again
   */
  static async of(options: MakingOptions, made: Made): Promise<Making> {
    const { archive, request, allowLostFiles, tellsListings, signal } = options;
    const decisions = Decisions.of(request);
    const found = await findChosen(options, decisions);
    const whole = await ArchiveView.of(archive, parsedScope(options), {
      chosen: found,
      hasWords: options.match !== undefined,
      decisions,
      tellsListings,
      signal,
    });
    if (found && found.commit !== (whole.head?.number ?? 0)) {
      throw new RewrittenMeanwhileError(archive.storage.location, made);
    }
    const { selection } = whole;
    const all = await SelectedRows.of({ archive, signal }, selection);
    const lost =
      allowLostFiles === true ? await LostFiles.of(archive, all, signal) : LostFiles.NONE;
    const [view, rows] =
      lost.files === 0
        ? [whole, all]
        : [whole.withLost(lost), await SelectedRows.of({ archive, signal }, selection, lost)];
    const held = shownHolds(await view.bindingHolds(), request);
    const reading = Reading.of(view, searchedOf(found, selection.users), held);
    const holds = shownHolds(await bindingHolds(archive, view.holds), request);
    const { doubts } = view;
    const read = doubts ? doubts.readUntil : await readUntil(archive, selection.users);
    return new Making(view, rows, found, holds, reading, read);
  }

  get archive(): Archive {
    return this.view.archive;
  }

  get selection(): Selection {
    return this.view.selection;
  }

  /** The commit whose data it is of: the newest that is more than a note. Null where nothing is archived. */
  get asOf(): CommitRef | null {
    return this.archive.index.asOf(this.view.head?.number ?? 0);
  }

  /** Tables that the search did not read to their end, as far as whoever gets the product may see them. */
  get unreadTables(): readonly UnreadTable[] {
    return this.reading.facts.searched?.unread.named ?? [];
  }

  /** Adds what rows of a conversation tell to what qualifies the product: once each. */
  tell(
    { user, session }: { readonly user: string; readonly session: string },
    { name, remarks }: { readonly name: string | null; readonly remarks: readonly Remark[] },
  ): void {
    const sessionName = name === '' ? null : name;
    this.reading.addTitle(user, session, sessionName);
    this.reading.addRemarks({ user, session, sessionName }, remarks);
  }

  /** Jobs of a user that the period could not place, and that are not in it. */
  leftOutOf(user: string): LeftOutJobs {
    const jobs = this.found?.leftOutOf(user) ?? 0;
    return leftOutOf(this.found?.facts) > 0
      ? { undecided: jobs, decided: 0 }
      : { undecided: 0, decided: jobs };
  }

  /**
   * Yields everybody in scope, in the order in which they came into the log, and adds them to `reading`: once.
   *
   * @param viewed they, where the caller has read them; default: as the newest snapshot and the log have them
   */
  async *users(
    viewed: AsyncIterable<SummedUser> | Iterable<SummedUser> = this.view.summaries(),
  ): AsyncGenerator<UserInScope> {
    for await (const user of viewed) {
      const unsettled = await this.view.unsettledJobs(user);
      this.reading.add(user);
      yield { viewed: user, unsettled };
    }
  }
}
