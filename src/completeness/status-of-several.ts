/** Computes the status of several archives together, such as those of a fleet that are made by shards of the users. */
import { fromSnapshot, type Archive } from '../archive/archive.js';
import {
  usersInSeveral,
  type UserInSeveral,
  type UsersOfArchive,
} from '../archive/reading/users/users-in-several.js';
import { NO_ERASURES, type ErasureCounts } from '../archive/erasing/erasures.js';
import { addCounts } from '../base/group-by.js';
import type { UserId } from '../model/ids.js';
import { archiveStatus, type ArchiveStatus, type StatusOptions } from './archive-status.js';
import { addCounted, type Counted, nothingCounted, type UserStatus } from './user-status.js';
import { NO_USERS, type UserCounts } from './users-counted.js';

/** An archive whose status nobody could read. */
export interface UnreadArchive {
  readonly location: string;
  /** What keeps it from being read. */
  readonly error: unknown;
}

/** Sums are those of the archives that could be read. */
export interface StatusOfSeveral
  extends
    Counted,
    Pick<
      ArchiveStatus,
      'users' | 'unexplained_erased' | 'erasures' | 'open_requests' | 'holds' | 'size'
    > {
  /** In the order given. */
  readonly archives: readonly (ArchiveStatus | UnreadArchive)[];
  /** Users whom several of the archives have: the sums count them in each. */
  readonly users_in_several: readonly UserInSeveral[];
}

interface Choices extends Omit<StatusOptions, 'onUser'> {
  readonly onUser?: ((user: UserStatus, archive: string) => void) | undefined;
}

/** One archive after the other, so that memory holds the sessions of one. */
export async function statusOfSeveral(
  sources: readonly (Archive | UnreadArchive)[],
  { onUser, ...options }: Choices,
): Promise<StatusOfSeveral> {
  const archives: (ArchiveStatus | UnreadArchive)[] = [];
  const known: UsersOfArchive[] = [];
  for (const source of sources) {
    if ('error' in source) {
      archives.push(source);
      continue;
    }
    const { location } = source.storage;
    const users: UserId[] = [];
    try {
      const hearUser = (user: UserStatus): void => {
        users.push(user.user);
        onUser?.(user, location);
      };
      // a reader of its own: what it knows goes when it has been asked
      archives.push(await archiveStatus(fromSnapshot(source), { ...options, onUser: hearUser }));
    } catch (error) {
      options.signal?.throwIfAborted();
      archives.push({ location, error });
    }
    known.push({ location, service: source.identity.service, users });
  }
  return { archives, ...sumsOf(archives), users_in_several: usersInSeveral(known) };
}

type Sums = Omit<StatusOfSeveral, 'archives' | 'users_in_several'>;

function sumsOf(archives: StatusOfSeveral['archives']): Sums {
  const sums = {
    ...nothingCounted(),
    users: { ...NO_USERS },
    unexplained_erased: 0,
    erasures: NO_ERASURES,
    open_requests: [] as ArchiveStatus['open_requests'][number][],
    holds: 0,
    size: { files: 0, artifacts: 0, bytes: 0 },
  };
  for (const archive of archives) {
    if ('error' in archive) continue;
    addCounted(sums, archive);
    addCounts<keyof UserCounts>(sums.users, archive.users);
    addCounts<string>(sums.size, archive.size);
    sums.unexplained_erased += archive.unexplained_erased;
    sums.open_requests.push(...archive.open_requests);
    sums.erasures = together(sums.erasures, archive.erasures);
    sums.holds += archive.holds;
  }
  return sums;
}

function together(one: ErasureCounts, other: ErasureCounts): ErasureCounts {
  const last = [one.last, other.last].filter((at) => at !== null).toSorted();
  return {
    count: one.count + other.count,
    sessions: one.sessions + other.sessions,
    last: last.at(-1) ?? null,
    exported_since: one.exported_since || other.exported_since,
    back: one.back + other.back,
    still_there: one.still_there + other.still_there,
  };
}
