/** Splits lists into pages: default sizes, and the faults of paging. */
import type { JsonObject } from '../../model/records.js';
import { type ApiContext, refusals } from './api-call.js';

/** The service's defaults. */
const DEFAULT_PAGE_NUMBER = 1;
const DEFAULT_PAGE_SIZE = 10;

export interface RequestedPage {
  readonly pageNumber: number;
  /** The granted size, which may be smaller than the requested one. */
  readonly pageSize: number;
}

export function pageRequestOf(
  input: JsonObject,
  { faults, maxPageSize }: ApiContext,
): RequestedPage {
  const pageNumber = optionalDigits(input, 'page_number', { min: 1 }) ?? DEFAULT_PAGE_NUMBER;
  const requested = optionalDigits(input, 'page_size', { min: 1 }) ?? DEFAULT_PAGE_SIZE;
  if (faults.refusePageSizeAbove > 0 && requested > faults.refusePageSizeAbove) {
    throw refusals.invalidParameter(`page_size must be at most ${faults.refusePageSizeAbove}`);
  }
  const clamp = faults.clampPageSize > 0 ? faults.clampPageSize : Infinity;
  return { pageNumber, pageSize: Math.min(requested, maxPageSize, clamp) };
}

/**
 * The JSON text of a page.
 *
 * @param oldestFirst everything there is; only the page's own items are written out
 * @param write the JSON text of one record
 */
export function pageText<T>(
  oldestFirst: readonly T[],
  page: RequestedPage,
  context: ApiContext,
  write: (item: T) => string,
): string {
  const { faults } = context;
  const ordered = inOrder(oldestFirst, context);
  const start = faults.repeatPage ? 0 : (page.pageNumber - 1) * page.pageSize;
  const records = ordered.slice(start, start + page.pageSize);
  const total = totalItems(ordered.length, records.length, context);
  const number = faults.echoedPageNumber?.(page.pageNumber) ?? page.pageNumber;
  const head = `{"page_number":${number},"page_size":${page.pageSize},`;
  return `${head}${total}"records":[${records.map(write).join(',')}]}`;
}

function inOrder<T>(oldestFirst: readonly T[], { faults, random }: ApiContext): readonly T[] {
  switch (faults.order) {
    case 'oldest':
      return oldestFirst;
    case 'newest':
      return oldestFirst.toReversed();
    case 'shuffled':
      return random.shuffled(oldestFirst);
  }
}

function totalItems(right: number, onPage: number, { faults, growth }: ApiContext): string {
  switch (faults.totalItems) {
    case 'right':
      return `"total_items":${right},`;
    case 'page':
      return `"total_items":${onPage},`;
    case 'growing':
      return `"total_items":${right + growth.next()},`;
    case 'absent':
      return '';
  }
}

/** Reads parameters from a query or a body; refuses invalid ones with 300001. */

export interface TextRule {
  /** In characters (code points). */
  readonly max?: number;
  readonly allowEmpty?: boolean;
}

export function requiredText(input: JsonObject, name: string, rule: TextRule = {}): string {
  const text = optionalText(input, name, rule);
  if (text === undefined) throw refusals.invalidParameter(`${name} is required`);
  return text;
}

/** Null counts as absent: many JSON writers write absent fields so. */
export function optionalText(
  input: JsonObject,
  name: string,
  rule: TextRule = {},
): string | undefined {
  const value = input[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw refusals.invalidParameter(`${name} must be a string`);
  if (value === '' && rule.allowEmpty !== true) {
    throw refusals.invalidParameter(`${name} must not be empty`);
  }
  if (rule.max !== undefined && characterCount(value) > rule.max) {
    throw refusals.invalidParameter(`${name} must have at most ${rule.max} characters`);
  }
  return value;
}

export interface IntegerRule {
  readonly min: number;
  readonly max?: number;
}

/** A number in a body; a string of digits is refused. */
export function optionalInteger(
  input: JsonObject,
  name: string,
  rule: IntegerRule,
): number | undefined {
  const value = input[name];
  return value === undefined || value === null ? undefined : checkedInteger(value, name, rule);
}

/** A number in a query, where every value is a string. */
function optionalDigits(input: JsonObject, name: string, rule: IntegerRule): number | undefined {
  const value = input[name];
  if (value === undefined) return undefined;
  const isInteger = typeof value === 'string' && /^-?\d{1,15}$/.test(value);
  return checkedInteger(isInteger ? Number(value) : NaN, name, rule);
}

function checkedInteger(value: unknown, name: string, rule: IntegerRule): number {
  const number = typeof value === 'number' ? value : NaN;
  const max = rule.max ?? Number.MAX_SAFE_INTEGER;
  if (!Number.isSafeInteger(number) || number < rule.min || number > max) {
    const range = rule.max === undefined ? `at least ${rule.min}` : `${rule.min} to ${rule.max}`;
    throw refusals.invalidParameter(`${name} must be an integer, ${range}`);
  }
  return number;
}

export function optionalChoice(
  input: JsonObject,
  name: string,
  allowed: readonly string[],
): string | undefined {
  const value = input[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string' || !allowed.includes(value)) {
    throw refusals.invalidParameter(`${name} must be one of ${allowed.join(', ')}`);
  }
  return value;
}

/** Code points, as people count characters: an emoji is one. */
export function characterCount(text: string): number {
  let count = 0;
  for (const character of text) count += character.length > 0 ? 1 : 0;
  return count;
}

/** The first `max` characters (code points). */
export function cutToCharacters(text: string, max: number): string {
  return text.length <= max ? text : Array.from(text).slice(0, max).join('');
}
