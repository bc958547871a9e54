/** The gaps of an archive: lists them, accepts those of sessions, and withdraws that; each change is a commit. */
import { ulid } from '../base/ulid.js';
import { UsageError } from '../base/error.js';
import { sessionKey } from '../model/ids.js';
import { foldedUser } from '../model/user-spelling.js';
import type { Archive } from './archive.js';
import { type AcceptedGap, type AcceptedImage } from './log/accepted-gaps.js';
import type {
  AcceptedEntry,
  AcceptedImageEntry,
  Commit,
  GapEntry,
  SessionEntry,
} from './log/commit.js';
import { NewestSessions } from './reading/newest-sessions.js';
import { EVERYBODY } from './reading/scope.js';
import { assertUsersKnown, noSuchSession } from './reading/selection.js';
import { appendNote, type Note, type Planned } from './runs/note.js';
import { ArchiveView } from './reading/archive-view.js';

/** Every gap of the users and sessions in the log, and whether somebody accepts it. */
export interface ListedGap extends GapEntry, Pick<SessionEntry, 'user'> {
  /** Null if the sessions of the user could not all be listed. */
  readonly session: SessionEntry['session'] | null;
  /** Whether the session is gone or deleted: no run reads it any more. */
  readonly is_absent: boolean;
  /** Whether exports of everybody read the user no more. */
  readonly is_read_no_more: boolean;
  /** Null if nobody accepts it. */
  readonly accepted: Pick<AcceptedGap, 'reason' | 'by' | 'at' | 'commit'> | null;
}

/**
 * The gaps that `status` counts, in the order in which users came into the log.
 *
 * @param users default: everybody
 * @throws {UsageError} a user is not in the archive
 * @throws {IntegrityError}
 */
export async function listGaps(
  archive: Archive,
  signal: AbortSignal,
  users: readonly string[] = [],
): Promise<ListedGap[]> {
  const view = await ArchiveView.of(archive, { ...EVERYBODY, users }, { signal });
  const found: ListedGap[] = [];
  for await (const { user, sessions, listingGap, isReadNoMore } of view.summaries()) {
    if (listingGap)
      found.push({
        user,
        session: null,
        ...NO_PLACE,
        ...listingGap,
        is_absent: false,
        is_read_no_more: isReadNoMore,
        accepted: null,
      });
    for (const { session, gaps, state } of sessions) {
      const isAbsent = state.deleted || state.goneAt !== null;
      for (const gap of gaps) {
        const accepted = archive.index.acceptedGaps.find(user, session, gap) ?? null;
        const whose = { is_absent: isAbsent, is_read_no_more: isReadNoMore };
        found.push({ user, session, ...gap, ...whose, accepted });
      }
    }
  }
  return found;
}

const NO_PLACE = { job: null, role: null, block_index: null, file_index: null, kind: null };

/** Options of `acceptGaps` and `withdrawGaps` of an open archive. Users, sessions and statuses narrow each other; one of them is needed. */
export interface AcceptChoices {
  /** Gaps that sessions of these users have now; of `withdrawGaps` accepted ones. Default: of everybody. */
  readonly users?: readonly string[] | undefined;
  /** Gaps of these sessions, each of which must have one. Default: all. */
  readonly sessions?: readonly string[] | undefined;
  /** Gaps of these statuses alone, as `gaps` and `status` name them: `missing`, `expired`. Default: of any. */
  readonly statuses?: readonly string[] | undefined;
  /** Only gaps of this job of the one session. Default: all, also those of the session as a whole. */
  readonly job?: string | undefined;
  /** Why: what was found out, a ticket. */
  readonly reason: string;
  /** The person who accepts them, or withdraws that. */
  readonly by: string;
  /** Called once with what is meant, before anything is recorded; false declines. What comes later is not accepted. */
  readonly confirm?: ((gaps: readonly SelectedGap[]) => Promise<boolean>) | undefined;
}

/** A gap that is to be accepted, or is accepted no more. */
export interface SelectedGap extends Pick<SessionEntry, 'user' | 'session'> {
  readonly gap: Omit<GapEntry, 'reason'>;
  /** How many jobs a history lacks that was not read to its end, if the service says that. */
  readonly lacking?: number | undefined;
}

/**
 * A run does not fail any more for the gaps that the sessions have now. They permit no deletion, and another gap of the
 * same session is not accepted.
 *
 * @returns empty where `confirm` declined
 * @throws {UsageError} nothing is named, or what is named has no gap that can be accepted and is not
 * @throws {ErasureUnfinishedError} an erasure has its receipt and is not finished: it may erase what is named
 * @throws {SigningKeyError | SigningStartError} the log is signed, and this run has no key or another one; or is not, and its key may not begin
 */
export async function acceptGaps(archive: Archive, choices: AcceptChoices): Promise<AcceptedGap[]> {
  assertWhole(choices);
  const confirmed = confirmedBy(choices);
  const { reason, by } = choices;
  const { index, clock, random } = archive;
  const plan = async (): Promise<Planned<AcceptedGap[]>> => {
    const found = await confirmed(await gapsToAccept(archive, choices));
    if (found.length === 0) return { note: undefined, told: [] };
    const entries = found.map(({ user, session, gap, lacking }): AcceptedEntry => {
      return {
        ...placeOf(gap),
        ...(lacking === undefined ? {} : { lacking }),
        action: 'accept',
        id: ulid(clock, random),
        user,
        session,
        reason,
        by,
      };
    });
    return {
      note: noteOfGaps(entries),
      told: ({ number }) => index.acceptedGaps.records.filter(({ commit }) => commit === number),
    };
  };
  return appendNote(archive, { namesPeople: true, plan });
}

/** Which image is meant, and who says so. */
export interface ImageChoice extends Pick<AcceptChoices, 'reason' | 'by'> {
  /** SHA-256 of the image, as `artifacts` has it: 64 hexadecimal digits. */
  readonly content: string;
}

/**
 * An image is what it should be, though several places have its bytes. No later export marks it as suspicious, and the next
 * one takes the mark away where it reads the session again.
 *
 * @throws {UsageError} it is no SHA-256, or is accepted already
 * @throws {SigningKeyError | SigningStartError} as `acceptGaps`
 */
export async function acceptImage(archive: Archive, choice: ImageChoice): Promise<AcceptedImage> {
  const { content, reason, by } = checkedImage(choice);
  const { index, clock, random } = archive;
  return appendImage(archive, () => {
    if (index.acceptedGaps.image(content)) {
      throw new UsageError(`the image ${content} is accepted already`);
    }
    return { action: 'accept', id: ulid(clock, random), sha256: content, reason, by };
  });
}

/**
 * The image is accepted no more: where it comes from several places again, it is suspicious.
 *
 * @throws {UsageError} it is no SHA-256, or is not accepted
 * @throws {SigningKeyError | SigningStartError} as `acceptGaps`
 */
export async function withdrawImage(archive: Archive, choice: ImageChoice): Promise<AcceptedImage> {
  const { content, reason, by } = checkedImage(choice);
  const { index } = archive;
  return appendImage(archive, () => {
    const known = index.acceptedGaps.image(content);
    if (!known) throw new UsageError(`the image ${content} is not accepted`);
    return { action: 'withdraw', id: known.id, sha256: content, reason, by };
  });
}

/** @param entryNow as of the newest commit */
async function appendImage(
  archive: Archive,
  entryNow: () => AcceptedImageEntry,
): Promise<AcceptedImage> {
  const plan = (): Planned<AcceptedImage> => {
    const entry = entryNow();
    const isOutdatedBy = ({ accepted_images: images = [] }: Commit): boolean =>
      images.some(({ sha256 }) => sha256 === entry.sha256);
    return {
      note: { kind: 'accept', accepted_images: [entry], isOutdatedBy },
      told: ({ created_at: at, number }) => ({ ...entry, at, commit: number }),
    };
  };
  return appendNote(archive, { namesPeople: false, plan });
}

/** @throws {UsageError} */
function checkedImage({ content, ...choice }: ImageChoice): ImageChoice {
  assertAnswerable(choice);
  if (/^[0-9a-f]{64}$/.test(content)) return { content, ...choice };
  throw new UsageError(
    `the content is ${JSON.stringify(content)}; allowed is a SHA-256, as artifacts.sha256 has it`,
  );
}

export interface WithdrawnGaps {
  /** Number of the commit that says so; null where there is none. */
  readonly commit: number | null;
  /** The acceptances that are in force no more. */
  readonly withdrawn: readonly AcceptedGap[];
}

/**
 * Runs fail again for the gaps of the sessions that were accepted.
 *
 * @returns the acceptances that are in force no more; none where `confirm` declined
 * @throws {UsageError} nothing is named, or what is named has no accepted gap
 * @throws {ErasureUnfinishedError} as `acceptGaps`
 * @throws {SigningKeyError | SigningStartError} as `acceptGaps`
 */
export async function withdrawGaps(
  archive: Archive,
  choices: AcceptChoices,
): Promise<WithdrawnGaps> {
  assertWhole(choices);
  const { reason, by } = choices;
  const confirmed = confirmedBy(choices);
  const plan = async (): Promise<Planned<WithdrawnGaps>> => {
    await assertUsersKnown(archive, choices.users ?? []);
    const found = acceptedAmong(archive, choices);
    const selected = await confirmed(
      found.map((gap) => ({ user: gap.user, session: gap.session, gap: placeOf(gap) })),
    );
    const keys = new Set(selected.map(keyOf));
    const withdrawn = found.filter((gap) => keys.has(keyOf({ ...gap, gap })));
    if (withdrawn.length === 0) return { note: undefined, told: { commit: null, withdrawn } };
    const entries = withdrawn.map((gap): AcceptedEntry => {
      const { id, user, session } = gap;
      return { ...placeOf(gap), action: 'withdraw', id, user, session, reason, by };
    });
    return {
      note: noteOfGaps(entries),
      told: ({ number: commit }) => ({ commit, withdrawn }),
    };
  };
  return appendNote(archive, { namesPeople: true, plan });
}

/** @throws {UsageError} */
function acceptedAmong({ index, storage }: Archive, choices: AcceptChoices): AcceptedGap[] {
  const { sessions = [] } = choices;
  const all = index.acceptedGaps.records.map((gap) => ({ ...gap, gap }));
  const found = selectedOf(all, choices).map(({ gap }) => gap);
  const without = sessions.find((id) => found.every(({ session }) => session !== id));
  if (found.length > 0 && without === undefined) {
    return sessions.length === 0
      ? found
      : [...new Set(sessions)].flatMap((id) => found.filter(({ session }) => session === id));
  }
  throw new UsageError(
    `no gap${selectionText(choices, without)} is accepted in ${storage.location}`,
  );
}

type Confirmed = (found: readonly SelectedGap[]) => Promise<readonly SelectedGap[]>;

/** Asks once, however often it is planned: of a later plan only what was shown is taken. */
function confirmedBy({ confirm }: AcceptChoices): Confirmed {
  if (!confirm) return (found) => Promise.resolve(found);
  let agreed: ReadonlySet<string> | undefined;
  return async (found) => {
    agreed ??= new Set((await confirm(found)) ? found.map(keyOf) : []);
    return found.filter((candidate) => agreed?.has(keyOf(candidate)));
  };
}

function keyOf({ user, session, gap }: SelectedGap): string {
  return JSON.stringify([user, session, placeOf(gap)]);
}

/** Whether a gap is of the users, sessions, statuses and job that are named. */
function isSelectedBy({ users = [], sessions = [], statuses = [], job }: AcceptChoices) {
  const [ofUsers, ofSessions, ofStatuses] = [users, sessions, statuses].map((ids) => new Set(ids));
  const has = (ids: ReadonlySet<string> | undefined, id: string): boolean =>
    ids === undefined || ids.size === 0 || ids.has(id);
  return ({ user, session, gap }: SelectedGap): boolean =>
    has(ofUsers, user) &&
    has(ofSessions, session) &&
    has(ofStatuses, gap.status) &&
    (job === undefined || gap.job === job);
}

/** A session that several spellings of a user list is one: its gaps are meant under each. */
function selectedOf<Gap extends SelectedGap>(all: readonly Gap[], choices: AcceptChoices): Gap[] {
  const sessionOf = ({ user, session }: Gap): string => sessionKey(foldedUser(user), session);
  const meant = new Set(all.filter(isSelectedBy(choices)).map(sessionOf));
  const isSelected = isSelectedBy({ ...choices, users: [] });
  return all.filter((gap) => meant.has(sessionOf(gap)) && isSelected(gap));
}

/** ` of job "j1" of session "s"`, ` of user "ann" with status missing`, ` with status expired or failed` */
function selectionText(
  { users = [], statuses = [], job }: AcceptChoices,
  session?: string,
): string {
  const words = users.length === 1 ? 'user' : 'users';
  return [
    ...(job === undefined || session === undefined ? [] : [`job "${job}"`]),
    ...(session === undefined ? [] : [`session "${session}"`]),
    ...(users.length === 0 ? [] : [`${words} ${users.map((user) => `"${user}"`).join(', ')}`]),
  ]
    .map((text) => ` of ${text}`)
    .concat(statuses.length === 0 ? [] : [` with status ${statuses.join(' or ')}`])
    .join('');
}

function noteOfGaps(accepted: readonly AcceptedEntry[]): Note {
  const named = new Set(accepted.map(({ user, session }) => sessionKey(user, session)));
  // the gap may be gone
  const isOutdatedBy = ({ sessions }: Commit): boolean =>
    sessions.some(({ user, session }) => named.has(sessionKey(user, session)));
  return { kind: 'accept', accepted, isOutdatedBy };
}

function placeOf(gap: Omit<GapEntry, 'reason'>): Omit<GapEntry, 'reason'> {
  const { job, role, block_index, file_index, kind, status, shared_with, lost_below } = gap;
  return { job, role, block_index, file_index, kind, status, shared_with, lost_below };
}

/** @throws {UsageError} */
async function gapsToAccept(
  archive: Archive,
  choices: AcceptChoices,
): Promise<readonly SelectedGap[]> {
  const { index } = archive;
  const { users = [], sessions = [] } = choices;
  await assertUsersKnown(archive, users);
  const named = new Set(sessions);
  const entries = [...(await NewestSessions.of(index))].filter(
    ({ session, version }) => version > 0 && (named.size === 0 || named.has(session)),
  );
  const unknown = sessions.find((id) => entries.every(({ session }) => session !== id));
  if (unknown !== undefined) throw await noSuchSession(archive, unknown);
  const all = entries.flatMap(({ user, session, gaps: some, lacking }) =>
    some.map((gap) => ({ user, session, gap, ...(isOfEnd(gap) && { lacking }) })),
  );
  const gaps = selectedOf(all, choices);
  const isOpen = ({ user, session, gap }: SelectedGap): boolean =>
    !index.acceptedGaps.find(user, session, gap);
  const open = gaps.filter(isOpen);
  if (sessions.length === 0) {
    assertAny({ gaps, open }, selectionText(choices));
    return open;
  }
  return [...new Set(sessions)].flatMap((id) => {
    const isOfSession = ({ session }: SelectedGap): boolean => session === id;
    const sessionGaps = { gaps: gaps.filter(isOfSession), open: open.filter(isOfSession) };
    assertAny(sessionGaps, selectionText(choices, id));
    return sessionGaps.open;
  });
}

/** @throws {UsageError} there is none, or none that is not accepted */
function assertAny(
  { gaps, open }: { readonly gaps: readonly unknown[]; readonly open: readonly unknown[] },
  what: string,
): void {
  if (open.length > 0) return;
  throw new UsageError(
    gaps.length > 0
      ? `every gap${what} is accepted already`
      : `there is no gap${what} that can be accepted; jobvault gap list shows those of the archive`,
  );
}

/** Whether it says that the history may go on. */
function isOfEnd({ job, status }: GapEntry): boolean {
  return job === null && status === 'incomplete';
}

/** @throws {UsageError} */
function assertWhole({ job, ...choices }: AcceptChoices): void {
  const { users = [], sessions = [], statuses = [] } = choices;
  if (users.length + sessions.length + statuses.length === 0) {
    throw new UsageError(
      'nothing is named whose gaps are meant; give a session, a user or a status',
    );
  }
  if (job !== undefined && new Set(sessions).size !== 1) {
    throw new UsageError('a job is named; allowed with it is exactly one session');
  }
  assertAnswerable(choices);
}

/** @throws {UsageError} */
function assertAnswerable({ reason, by }: AcceptChoices): void {
  if (reason.trim() === '') throw new UsageError('accepting a gap needs a reason, and it is empty');
  if (by.trim() === '') {
    throw new UsageError('accepting a gap needs the name of the person, and it is empty');
  }
}
