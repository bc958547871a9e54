/** Users whom several archives of one service have: each belongs into one, and counts over all would count them twice. */
import { rowId, type UserId } from '../../../model/ids.js';
import type { ArchiveIdentity } from '../../identity.js';

export interface UsersOfArchive {
  readonly location: string;
  readonly service: ArchiveIdentity['service'];
  readonly users: readonly UserId[];
}

export interface UserInSeveral {
  readonly user: UserId;
  /** Locations, in the order given. */
  readonly archives: readonly string[];
}

/** Lists the users in the order in which they were found. */
export function usersInSeveral(archives: readonly UsersOfArchive[]): UserInSeveral[] {
  const first = new Map<string, number>();
  const several = new Map<string, { readonly user: UserId; readonly archives: string[] }>();
  archives.forEach(({ location, service, users }, at) => {
    const prefix = JSON.stringify([service.base_url, service.project]);
    for (const user of users) {
      const key = prefix + rowId(user);
      const found = first.get(key);
      if (found === undefined) first.set(key, at);
      else if (found !== at) {
        const entry = several.get(key) ?? { user, archives: [archives[found]?.location ?? ''] };
        several.set(key, entry);
        if (entry.archives.at(-1) !== location) entry.archives.push(location);
      }
    }
  });
  return [...several.values()];
}
