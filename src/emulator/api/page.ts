/** What a request asks for, and how lists are split into pages: default sizes, and the faults of paging. */
import {
  type FieldShape,
  type InputOf,
  operationShape,
  type OperationName,
  wireName,
} from '../../model/operations.js';
import type { JsonObject } from '../../model/records.js';
import type { Faults } from '../faults/faults.js';
import { parseJson } from '../../base/text/parse-json.js';
import { type ApiContext, refusals } from './api-call.js';

/** The service's defaults. */
const DEFAULT_PAGE_NUMBER = 1;
const DEFAULT_PAGE_SIZE = 10;

export interface RequestedPage {
  readonly pageNumber: number;
  /** The granted size, which may be smaller than the requested one. */
  readonly pageSize: number;
}

export function grantedPage(
  { pageNumber = DEFAULT_PAGE_NUMBER, pageSize = DEFAULT_PAGE_SIZE }: InputOf<'getHistory'>,
  { faults, maxPageSize }: ApiContext,
): RequestedPage {
  if (faults.refusePageSizeAbove > 0 && pageSize > faults.refusePageSizeAbove) {
    throw refusals.invalidParameter(`page_size must be at most ${faults.refusePageSizeAbove}`);
  }
  const clamp = faults.clampPageSize > 0 ? faults.clampPageSize : Infinity;
  return { pageNumber, pageSize: Math.min(pageSize, maxPageSize, clamp) };
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
  const isEmpty = faults.emptyPages.includes(page.pageNumber);
  const records = isEmpty ? [] : ordered.slice(start, start + page.pageSize);
  const total = totalItems(ordered.length, records.length, context);
  const number = faults.echoedPageNumber?.(page.pageNumber) ?? page.pageNumber;
  const head = `{"page_number":${number},"page_size":${page.pageSize},`;
  if (records.length === 0 && faults.emptyRecords === 'null')
    return `${head}${total}"records":null}`;
  const texts = records.map((record) => withBareNumber(write(record), faults));
  return `${head}${total}"records":[${texts.join(',')}]}`;
}

/** The record with `score`, where a fault gives it such a number. @param text of an object with members */
function withBareNumber(text: string, { bareNumbers }: Faults): string {
  const ids = Object.keys(bareNumbers);
  if (ids.length === 0) return text;
  const { id, job_id: jobId } = parseJson(text) as {
    readonly id?: string;
    readonly job_id?: string;
  };
  const written = bareNumbers[jobId ?? id ?? ''];
  return written === undefined ? text : `${text.trimEnd().slice(0, -1)},"scores":[1,${written}]}`;
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

/**
 * The fields of an operation, from its query or its body; those that are absent are left out.
 *
 * @throws {Refusal} 300001: one is not what the operation takes
 */
export function inputOf<Name extends OperationName>(
  name: Name,
  given: JsonObject,
  { faults }: ApiContext,
): InputOf<Name> {
  const { method, input } = operationShape(name);
  const isQuery = method === 'GET';
  const fields = Object.entries(input).flatMap(([field, shape]) => {
    // a longer text of a body is kept whole, and cut when it is shown
    const isCounted = isQuery || faults.refuseLongNames;
    const value = fieldIn(given, wireName(field), shape, { isQuery, isCounted });
    return value === undefined ? [] : [[field, value] as const];
  });
  return Object.fromEntries(fields) as unknown as InputOf<Name>;
}

interface FieldRules {
  /** There every value is a text. */
  readonly isQuery: boolean;
  /** Whether the length of a text is limited. */
  readonly isCounted: boolean;
}

/** Null counts as absent: many JSON writers write absent fields so. */
function fieldIn(
  given: JsonObject,
  name: string,
  shape: FieldShape,
  { isQuery, isCounted }: FieldRules,
): string | number | undefined {
  const value = given[name];
  if (value === undefined || value === null) {
    if (shape.isRequired) throw refusals.invalidParameter(`${name} is required`);
    return undefined;
  }
  switch (shape.kind) {
    case 'whole':
      return checkedInteger(isQuery ? numberIn(value) : value, name, shape);
    case 'choice':
      return checkedChoice(value, name, shape.choices);
    case 'text':
      return checkedText(value, name, {
        maxLength: isCounted ? shape.maxLength : Infinity,
        mayBeEmpty: shape.empty !== undefined,
      });
  }
}

function checkedText(
  value: unknown,
  name: string,
  { maxLength, mayBeEmpty }: { readonly maxLength: number; readonly mayBeEmpty: boolean },
): string {
  if (typeof value !== 'string') throw refusals.invalidParameter(`${name} must be a string`);
  if (value === '' && !mayBeEmpty) throw refusals.invalidParameter(`${name} must not be empty`);
  if (characterCount(value) > maxLength) {
    throw refusals.invalidParameter(`${name} must have at most ${maxLength} characters`);
  }
  return value;
}

/** Whose request it is, whatever the operation. */
export function askedUser(given: JsonObject): string {
  const { user_id: user } = given;
  if (user === undefined || user === null) throw refusals.invalidParameter('user_id is required');
  return checkedText(user, 'user_id', { maxLength: Infinity, mayBeEmpty: false });
}

/** A number in a query; a string of digits in a body is none. */
function numberIn(value: unknown): number {
  return typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : NaN;
}

function checkedInteger(
  value: unknown,
  name: string,
  { min, max }: { readonly min: number; readonly max?: number },
): number {
  const number = typeof value === 'number' ? value : NaN;
  if (!Number.isSafeInteger(number) || number < min || number > (max ?? Infinity)) {
    const range = max === undefined ? `at least ${min}` : `${min} to ${max}`;
    throw refusals.invalidParameter(`${name} must be an integer, ${range}`);
  }
  return number;
}

function checkedChoice(value: unknown, name: string, allowed: readonly string[]): string {
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
