/** A machine's share of the users, by a hash of the id: it does not depend on the other users. */
import { createHash } from 'node:crypto';

export interface Shard {
  /** From 0; people count from 1. */
  readonly index: number;
  readonly count: number;
}

/** Far more machines than the service's rate limit allows. */
const MAX_SHARDS = 10_000;

/** Parses `3/16`, the third of sixteen; undefined if the text is invalid. */
export function parseShard(text: string): Shard | undefined {
  const match = /^(\d{1,5})\/(\d{1,5})$/.exec(text.trim());
  return match ? shard(Number(match[1]) - 1, Number(match[2])) : undefined;
}

/** @param index from 0 @returns undefined if there is no such shard */
function shard(index: number, count: number): Shard | undefined {
  const isShard = index >= 0 && index < count && count <= MAX_SHARDS;
  return isShard ? { index, count } : undefined;
}

/** The text that `parseShard` reads. */
export function formatShard({ index, count }: Shard): string {
  return `${index + 1}/${count}`;
}

/** Whether a run reads the id. @param text its shard, as the log has it; null of one that reads all */
export function isInShardOf(text: string | null, id: string): boolean {
  const named = text === null ? undefined : parseShard(text);
  return !named || isInShard(id, named);
}

/** Whether the id is in the shard. Each id is in exactly one of the shards of a count. */
export function isInShard(id: string, { index, count }: Shard): boolean {
  // six bytes fit a JavaScript number exactly, and the shards are practically equal in size
  return createHash('sha256').update(id).digest().readUIntBE(0, 6) % count === index;
}
