import { createdAtOf } from './created-at.js';
import { createHash } from 'node:crypto';

/** A string with a type of its own: a job id cannot be used as a session id. */
type Brand<Text extends string, Name extends string> = Text & { readonly __brand: Name };

/** The id of a user within the caller's organisation; chosen by the caller. */
export type UserId = Brand<string, 'UserId'>;
/** Unique within a project; given by the service. */
export type SessionId = Brand<string, 'SessionId'>;
/** Unique within its session; given by the service. */
export type JobId = Brand<string, 'JobId'>;
/** Unique within a project; given by the service. */
export type DatasetId = Brand<string, 'DatasetId'>;
/** One export run: a ULID. */
export type RunId = Brand<string, 'RunId'>;

export const asUserId = (text: string): UserId => text as UserId;
export const asSessionId = (text: string): SessionId => text as SessionId;
export const asJobId = (text: string): JobId => text as JobId;
export const asDatasetId = (text: string): DatasetId => text as DatasetId;
export const asRunId = (text: string): RunId => text as RunId;

/** The key of a user's session in maps and sets. */
export function sessionKey(user: string, session: string): string {
  return JSON.stringify([user, session]);
}

/**
 * An id as rows have it: where the service sent half of a surrogate pair, the log keeps it and rows have U+FFFD. Compare
 * an id of a row, or one that somebody has copied from a table, with this.
 */
export function rowId(id: string): string {
  return id.toWellFormed();
}

/** Tells ids that no two jobs can share by chance from ids that count: `1`, `2`, `3`. */

const BOUNDARY = '(?:^|[-_:.])';
const UUID = new RegExp(
  `${BOUNDARY}[0-9a-f]{8}-[0-9a-f]{4}-[14-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`,
  'i',
);
/** 24 hexadecimal digits are 96 bits; so are those of an ObjectId, which begins with a time. */
const HEX = new RegExp(`${BOUNDARY}([0-9a-f]{24,}|[0-9A-F]{24,})$`);
const LETTERS = new RegExp(`${BOUNDARY}([0-9A-Za-z]+)$`);

/** 96 bits: 17 characters of 62, or 19 of 36. */
const LENGTH = { ofBothCases: 17, ofOneCase: 19 };
/** Of 24 random hexadecimal digits fewer are different once in 10,000 times; of a counter with leading zeros, always. */
const DISTINCT_DIGITS = 8;
/** Changes between digits, small and capital letters; words with a number have fewer. */
const CHANGES_OF_CLASS = 5;

/**
 * Whether the id carries a time (cuid, UUID 7, ULID) or 96 random bits, with or without a prefix such as `job-`: a
 * UUID; 24 hexadecimal digits, of which 8 are different; 19 letters of one case and digits, or 17 of both cases,
 * that change at least 5 times between digits, small and capital letters. Every other id may count, or be
 * somebody's words, and proves nothing alone.
 */
export function isUniqueId(id: string): boolean {
  if (createdAtOf(id) || UUID.test(id)) return true;
  const text = LETTERS.exec(id)?.[1];
  if (text === undefined || !/[0-9]/.test(text) || !/[A-Za-z]/.test(text)) return false;
  if (HEX.test(id)) return new Set(text).size >= DISTINCT_DIGITS;
  const isOfBothCases = /[a-z]/.test(text) && /[A-Z]/.test(text);
  const enough = isOfBothCases ? LENGTH.ofBothCases : LENGTH.ofOneCase;
  return text.length >= enough && changesOfClass(text) >= CHANGES_OF_CLASS;
}

function changesOfClass(text: string): number {
  return (text.match(/[0-9]+|[a-z]+|[A-Z]+/g)?.length ?? 1) - 1;
}

/** Whether two user ids are spellings of one: a service may take `Ana` for `ana`. */

/**
 * The form in which spellings are equal: NFC, without white space around it, and in one case.
 *
 * Two ids of one form may still be two users: what is decided by it must be harmless if they are.
 */
export function foldedUser(user: string): string {
  // down, then up: ẞ, ß and ss become one, which neither way alone achieves
  return user.normalize('NFC').trim().toLowerCase().toUpperCase().normalize('NFC');
}

/** Those of the known users who are spellings of one of these, and not one of these. */
export function otherSpellings<Id extends string>(
  users: readonly string[],
  known: readonly Id[],
): Id[] {
  const folded = new Set(users.map(foldedUser));
  return known.filter((user) => !users.includes(user) && folded.has(foldedUser(user)));
}

export function isSameUser(a: string, b: string): boolean {
  return foldedUser(a) === foldedUser(b);
}

/** A machine's share of the users, by a hash of the id: it does not depend on the other users. */

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

/** Whether the id is in the shard. Each id is in exactly one of the shards of a count. */
export function isInShard(id: string, { index, count }: Shard): boolean {
  // six bytes fit a JavaScript number exactly, and the shards are practically equal in size
  return createHash('sha256').update(id).digest().readUIntBE(0, 6) % count === index;
}

/** Stands in the log for the id of who was erased, and for a text that went with one (I-49, I-63). */
export const ERASED = '[erased]';

/** Up to which commit somebody has loaded an archive, as `changes` prints it. */
interface Cursor {
  /** Id of the archive; undefined where only a number is given. */
  readonly archiveId?: string | undefined;
  readonly commit: number;
}

/** Reads `57` or `01J…:57`. */
export function parseCursor(text: string): Cursor | undefined {
  const match = /^(?:([0-9A-HJKMNP-TV-Z]{26}):)?(\d{1,12})$/i.exec(text.trim());
  return match ? { archiveId: match[1]?.toUpperCase(), commit: Number(match[2]) } : undefined;
}
