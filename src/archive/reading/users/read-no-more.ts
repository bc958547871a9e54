/** Whom exports of everybody read no more. */
import type { UserId } from '../../../model/ids.js';
import { isInShardOf } from '../../../model/shard.js';
import type { LogIndex } from '../../log/log-index.js';
import { fullRuns } from '../../state/run-history.js';

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
