/** Whom exports of everybody read no more. */
import type { UserId } from '../../../model/ids.js';
import { isInShardOf } from '../../../model/shard.js';
import type { LogIndex } from '../../log/log-index.js';
import { fullRuns } from '../../state/run-history.js';
import type { Scope } from '../scope.js';

/**
 * Whether no export reads a user any more, as far as the log tells: exports skip the user, or the newest of everybody, or of
 * the user's shard, that came to its last user did not list the user, nor has any since.
 */
export function readNoMore(
  index: LogIndex,
  listings: { get(user: string): { readonly commit: number } | undefined },
): (user: UserId) => boolean {
  const full = fullRuns(index);
  return (user) => {
    if (index.suppressions.ofUser(user) !== undefined) return true;
    const listing = listings.get(user);
    const newest = full.find(({ shard }) => isInShardOf(shard, user));
    return newest !== undefined && listing !== undefined && listing.commit < newest.commits[0];
  };
}

/**
 * Whether the id of a user who has nothing may be wrong. An id that exports of everybody read no more was a mistake that somebody has
 * mended, or is of somebody who left: what is made of everybody asks nobody to look at it.
 */
export function isIdInDoubt({ users }: Scope, isReadNoMore: boolean): boolean {
  return users.length > 0 || !isReadNoMore;
}
