/** Who was erased with a receipt that suppresses, and is archived again: the digests of the log find whom the archive has now. */
import type { SessionId, UserId } from '../../../model/ids.js';
import { agreeing, counted } from '../../../base/text/counted.js';
import { visibleLine } from '../../../base/text/visible.js';
import { usersAndConversations } from '../../../model/users-and-conversations.js';
import type { Archive } from '../../archive.js';
import { keyedDigest } from '../../log/keyed-digest.js';
import type { SuppressionRecord } from '../../log/suppressions.js';
import { isArchived } from '../../state/archived-session.js';
import { NewestSessions } from '../newest-sessions.js';

type Digested = Pick<SuppressionRecord, 'subject' | 'key' | 'digest'>;

interface Found {
  readonly user: UserId;
  readonly session: SessionId;
}

/** What is archived now of these users and sessions, by digest. @throws {IntegrityError} the log is damaged */
export async function archivedByDigest(
  { index }: Archive,
  looked: readonly Digested[],
): Promise<ReadonlyMap<string, readonly Found[]>> {
  const digests = new Set(looked.map(({ digest }) => digest));
  const keys = new Map(looked.map(({ key, subject }) => [`${subject} ${key}`, { key, subject }]));
  const found = new Map<string, Found[]>();
  if (digests.size === 0) return found;
  for (const newest of await NewestSessions.of(index)) {
    if (!isArchived(newest)) continue;
    const { user, session } = newest;
    for (const { key, subject } of keys.values()) {
      const digest = keyedDigest(key, subject, subject === 'user' ? user : session);
      if (digests.has(digest)) found.set(digest, [...(found.get(digest) ?? []), { user, session }]);
    }
  }
  return found;
}

/** A user as somebody has spelt it, or a session of one. */
export interface ArchivedAgain {
  readonly user: UserId;
  /** Null of a user who was erased as a whole. */
  readonly session: SessionId | null;
  /** Number of the commit with which an export archived something of it again. */
  readonly commit: number;
}

/**
 * @param receipts numbers of the commits that are the receipts
 * @throws {IntegrityError} the log is damaged
 */
export async function erasedAndBack(
  archive: Archive,
  receipts: readonly number[],
): Promise<ArchivedAgain[]> {
  await archive.index.refresh();
  const { records } = archive.index.suppressions;
  const back = records.filter((record) => record.back && receipts.includes(record.commit));
  const found = await archivedByDigest(archive, back);
  const again = new Map<string, ArchivedAgain>();
  for (const { digest, subject, back: noted } of back) {
    for (const { user, session: id } of found.get(digest) ?? []) {
      const session = subject === 'user' ? null : id;
      again.set(JSON.stringify([user, session]), { user, session, commit: noted?.commit ?? 0 });
    }
  }
  return [...again.values()];
}

/**
 * How many archived sessions may be some that were erased with their users, whom exports have archived again: of each user no
 * more than the service had when the receipts were put.
 *
 * @param archive its index must be up to date
 * @throws {IntegrityError} the log is damaged
 */
export async function mayBeHere(archive: Archive): Promise<number> {
  const { index, log } = archive;
  const back = index.suppressions.records.filter(
    ({ subject, reason, back: noted }) => subject === 'user' && reason === undefined && noted,
  );
  const found = await archivedByDigest(archive, back);
  const atService = new Map<string, number>();
  for (const { commit, digest } of back) {
    const { erasure } = await log.read(commit);
    const had = erasure?.stage === 'begun' ? (erasure.at_service ?? 0) : 0;
    atService.set(digest, (atService.get(digest) ?? 0) + had);
  }
  let most = 0;
  for (const [digest, sessions] of found) {
    const here = new Set(sessions.map(({ session }) => session)).size;
    most += Math.min(here, atService.get(digest) ?? 0);
  }
  return most;
}

/** What a receipt says of how it may come back. */
interface Receipt {
  readonly commit: number;
  readonly at_service?: number | undefined;
  readonly suppressed?: object | null | undefined;
}

/** What may be archived again of receipts that suppress nothing: the log has no digest of it, and knows what came since. */
export interface PerhapsBack {
  /** The most: no more than came since a receipt, or than the service still had. */
  readonly sessions: number;
  /** Number of the commit with which the first came. */
  readonly since: number;
}

/**
 * @param all receipts of which this is asked
 * @returns of some of these, in their order, without sessions that go now; null where nothing is back: nothing has come
 *   since, or the service had none of it
 * @throws {IntegrityError} the log is damaged
 */
export async function perhapsBackOf<T extends Receipt>(
  { index }: Archive,
  all: readonly T[],
): Promise<(some: readonly T[], but?: ReadonlySet<string>) => PerhapsBack | null> {
  if (!all.some(mayReturn)) return () => null;
  const came = new Map<SessionId, number>();
  for (const newest of await NewestSessions.of(index)) {
    if (!isArchived(newest)) continue;
    const { session, commits } = newest;
    // what another spelling has kept did not come
    const first = Math.min(commits[0] ?? 0, came.get(session) ?? Infinity);
    came.set(session, first);
  }
  const inOrder = [...came].sort(([, a], [, b]) => a - b);
  return (some, but) => {
    const here = inOrder.filter(([session]) => but?.has(session) !== true);
    const commits = here.map(([, first]) => first);
    const cameAfter = (commit: number) => commits.filter((first) => first > commit);
    const open = some.filter(mayReturn);
    const [first, ...others] = open.map(({ commit }) => cameAfter(commit));
    const [since] = first ?? [];
    if (first === undefined || since === undefined) return null;
    const counts = [first, ...others].map(({ length }, at) => {
      return Math.min(length, open[at]?.at_service ?? 0);
    });
    const most = counts.reduce((sum, count) => sum + count, 0);
    return { sessions: Math.min(first.length, most), since };
  };
}

function mayReturn({ suppressed, at_service: atService = 0 }: Receipt): boolean {
  return !suppressed && atService > 0;
}

/** What of somebody or something erased is here again, or may be. */
interface BackAgain {
  readonly again: readonly ArchivedAgain[];
  readonly perhaps_back: PerhapsBack | null;
}

/** A clause for what is here again, and one for what may be. */
export function backTexts({ again, perhaps_back: perhaps }: BackAgain): string[] {
  return [
    ...(again.length === 0 ? [] : [visibleLine(archivedAgainText(again))]),
    ...(perhaps === null ? [] : [perhapsBackText(perhaps)]),
  ];
}

/** `up to 2 conversations of these may be archived again since commit 9: …` */
function perhapsBackText(back: PerhapsBack): string {
  return `up to ${counted(back.sessions, 'conversation')} of these may be archived again since commit ${back.since}: exports did not skip them, and the log does not say which they are`;
}

/** More are only counted. */
const NAMED = 10;

/** `1 user of these is archived again since commit 9: ada` */
function archivedAgainText(again: readonly ArchivedAgain[]): string {
  const { users, sessions } = againIds(again);
  const what = usersAndConversations({ users: users.length, sessions: sessions.length });
  const all = [...users, ...sessions];
  const since = Math.min(...again.map(({ commit }) => commit));
  const named = all.length > NAMED ? '' : `: ${all.join(', ')}`;
  return `${what} of these ${agreeing(all.length, 'is', 'are')} archived again since commit ${since}${named}`;
}

/** Words of `erase` that erase it again. */
export function eraseAgainWords(again: readonly ArchivedAgain[]): string[] {
  const { users, sessions } = againIds(again);
  return [
    ...users.flatMap((user) => ['--user', user]),
    ...sessions.flatMap((session) => ['--session', session]),
    '--suppress',
  ];
}

function againIds(again: readonly ArchivedAgain[]) {
  const users = new Set(again.flatMap(({ user, session }) => (session === null ? [user] : [])));
  const sessions = new Set(again.flatMap(({ session }) => session ?? []));
  return { users: [...users], sessions: [...sessions] };
}
