/** The sessions of a user that a run exports: all that the service lists, or the given ones. */
import type { Archive } from '../../archive/archive.js';
import { HeldSessions, spellingsOnHold } from '../../archive/holds/held-sessions.js';
import { Holds } from '../../archive/holds/holds.js';
import { isArchived } from '../../archive/state/archived-session.js';
import type { UserState } from '../../archive/state/user-state.js';
import { asSessionId, type SessionId, type UserId } from '../../model/ids.js';
import type { SessionRecord, Verbatim } from '../../model/records.js';
import { StaleAnswerError, staleText } from '../../service/service-errors.js';
import { PageReader } from '../../service/page-reader.js';
import { readAll } from '../../service/read-all.js';
import { type ListingRun } from '../export-run.js';
import { isSkippable } from '../jobs/gap.js';

/** A listing without what the archive skips. */
export interface KeptListing extends SessionListing {
  /** The sessions that it skips. */
  readonly skipped: readonly SessionId[];
}

/**
 * Leaves out sessions that were erased and are not to come back, unless somebody holds them since: holds count first. One
 * that the archive has again is none of these any more.
 */
export async function withoutSuppressed(
  archive: Archive,
  { user, sessions: archived }: UserState,
  listing: SessionListing,
): Promise<KeptListing> {
  const { suppressions, openErasures } = archive.index;
  // while an erasure is under way, the state may have what is being erased
  const isHere = (id: SessionId): boolean => {
    const session = openErasures.size > 0 ? undefined : archived.get(id);
    return session !== undefined && isArchived(session);
  };
  const isListed = ({ value: { id } }: Verbatim<SessionRecord>): boolean =>
    suppressions.ofSession(id) !== undefined && !isHere(id);
  if (!listing.sessions.some(isListed)) return { ...listing, skipped: [] };
  const holds = await new HeldSessions(archive, Holds.none).now();
  const isSkipped = (session: Verbatim<SessionRecord>): boolean =>
    isListed(session) && holds.reasonFor(user, session.value.id) === undefined;
  const sessions = listing.sessions.filter((session) => !isSkipped(session));
  const skipped = listing.sessions.filter(isSkipped).map(({ value }) => value.id);
  const { totalItems: total } = listing;
  const totalItems = total === null ? null : Math.max(sessions.length, total - skipped.length);
  return { ...listing, sessions, totalItems, skipped };
}

/** Spellings of a user whom the archive skips of whom something is on hold: none, unless the hold came by another way than `hold add`. */
export async function skippedOnHold(archive: Archive, user: UserId): Promise<UserId[]> {
  const holds = await new HeldSessions(archive, Holds.none).now();
  return spellingsOnHold(archive, holds, [user]);
}

export interface SessionListing {
  readonly sessions: readonly Verbatim<SessionRecord>[];
  readonly totalItems: number | null;
  /** Sessions that were given by id and could not be read. */
  readonly missing: readonly { readonly sessionId: SessionId; readonly error: unknown }[];
  /** Archived sessions that the service neither lists nor has when each is asked for. */
  readonly gone: readonly SessionId[];
  readonly gap: Error | undefined;
}

/** Lists the sessions of a run; given ones are read one by one, without a listing. */
export async function listSessions(run: ListingRun, userId: UserId): Promise<SessionListing> {
  const { service, settings, signal } = run;
  if (settings.sessions.length > 0) return getSessions(run, userId);
  const reader = new PageReader<SessionRecord>({
    fetchPage: (range) =>
      service.listSessions({ userId, search: settings.search, ...range, signal }),
    idOf: (session) => session.id,
    grant: run.grants.sessions,
    what: `the sessions of user ${userId}`,
  });
  const sessions: Verbatim<SessionRecord>[] = [];
  const pages = readAll(reader);
  for (;;) {
    const step = await pages.next();
    if (step.done) {
      const { totalItems, gap } = step.value;
      return { sessions, totalItems, missing: [], gone: [], gap };
    }
    sessions.push(...step.value.items.map(({ record }) => record));
  }
}

async function getSessions(
  { service, settings, signal }: ListingRun,
  userId: UserId,
): Promise<SessionListing> {
  const sessions: Verbatim<SessionRecord>[] = [];
  const missing: { sessionId: SessionId; error: unknown }[] = [];
  let gap: Error | undefined;
  for (const sessionId of new Set(settings.sessions.map(asSessionId))) {
    try {
      const session = await service.getSession({ userId, sessionId, signal });
      sessions.push(session);
      const { stale } = session.served;
      if (stale !== undefined) gap ??= new StaleAnswerError(staleText(sessionId, stale));
    } catch (error) {
      if (!isSkippable(error)) throw error;
      missing.push({ sessionId, error });
    }
  }
  const totalItems = sessions.length + missing.length;
  return { sessions, totalItems, missing, gone: [], gap };
}
