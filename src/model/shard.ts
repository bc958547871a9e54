/** A share of the users that is a machine's own: stable by a hash of the id, whoever else is listed. */
import { createHash } from 'node:crypto';

export interface Shard {
  /** From 0; people count from 1. */
  readonly index: number;
  readonly count: number;
}

/** Far more than a service with a rate limit can feed. */
const MAX_SHARDS = 10_000;

/** `3/16`, the third of sixteen; undefined where the text says nothing of the kind. */
export function parseShard(text: string): Shard | undefined {
  const match = /^(\d{1,5})\/(\d{1,5})$/.exec(text.trim());
  return match ? shard(Number(match[1]) - 1, Number(match[2])) : undefined;
}

/** @param index from 0 @returns undefined where there is no such shard */
export function shard(index: number, count: number): Shard | undefined {
  const isShard = index >= 0 && index < count && count <= MAX_SHARDS;
  return isShard ? { index, count } : undefined;
}

/** As people write it. */
export function formatShard({ index, count }: Shard): string {
  return `${index + 1}/${count}`;
}

/** Whether the id falls into the shard: of all shards of one count, into exactly one. */
export function isInShard(id: string, { index, count }: Shard): boolean {
  // six bytes: what a JavaScript number holds exactly, and no shard is favoured by a measurable share
  return createHash('sha256').update(id).digest().readUIntBE(0, 6) % count === index;
}
