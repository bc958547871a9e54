/** Tells ids that no two jobs can share by chance from ids that count: `1`, `2`, `3`. */
import { createdAtOf } from './times/created-at.js';

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
/**
 * How many different digits a random id has: 24 random hexadecimal digits have fewer once in 10,000 times; a counter with
 * leading zeros always has.
 */
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
