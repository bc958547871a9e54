/** Checks the parameters of a request before it is sent, and builds its path and query: ids and texts cannot change the structure. */
import { operationShape, type OperationName } from '../model/operations.js';
import { LIMITS } from '../model/records.js';
import type { Operation } from './call.js';
import { UnusableIdError } from './service-errors.js';
import type { ListRequest, PageRequest, UserRequest } from './service-client.js';
import { UsageError } from '../base/error.js';

/** Characters of a refused text that a message shows. */
const SHOWN = 40;

/** @throws {UsageError} too long (in characters), or not valid Unicode */
export function checkText(field: string, text: string, maxLength: number): string {
  checkWellFormed(field, text);
  const { length } = Array.from(text);
  if (length > maxLength) {
    throw new UsageError(
      `${field} has ${length} characters (${shown(text)}); at most ${maxLength} are allowed`,
    );
  }
  return text;
}

/** @throws {UsageError} empty */
export function checkNotEmpty(field: string, text: string): string {
  if (text === '') throw new UsageError(`${field} is empty; it must have at least one character`);
  checkWellFormed(field, text);
  return text;
}

/** @throws {UsageError} none of the values allowed */
export function checkOneOf(field: string, text: string, allowed: readonly string[]): string {
  if (!allowed.includes(text)) {
    throw new UsageError(`${field} is ${shown(text)}; allowed are ${allowed.join(', ')}`);
  }
  return text;
}

/** @throws {UsageError} not a whole number, or out of range */
export function checkWholeNumber(field: string, value: number, min: number, max?: number): number {
  if (!Number.isSafeInteger(value) || value < min || (max !== undefined && value > max)) {
    const allowed = max === undefined ? `from ${min} up` : `from ${min} to ${max}`;
    throw new UsageError(`${field} is ${value}; allowed are whole numbers ${allowed}`);
  }
  return value;
}

/** Half a surrogate pair cannot be sent as UTF-8: it would silently become another character. */
function checkWellFormed(field: string, text: string): void {
  if (!text.isWellFormed()) {
    throw new UsageError(
      `${field} (${shown(text)}) has half a surrogate pair, which is not a character`,
    );
  }
}

/** In quotation marks, shortened, with unprintable characters escaped. */
function shown(text: string): string {
  const characters = Array.from(text);
  const cut = characters.length > SHOWN ? `${characters.slice(0, SHOWN).join('')}…` : text;
  return JSON.stringify(cut);
}

type Parameters = Readonly<Record<string, string | number | undefined>>;

interface Asked {
  readonly request: UserRequest;
  /** Which session or dataset, where the path names one. */
  readonly id?: string | undefined;
  /** Sent beside the user: in the query of a GET, in the body of anything else. */
  readonly parameters?: Parameters | undefined;
}

/**
 * What is sent to carry out an operation.
 *
 * @throws {UsageError} the id or the user is empty, or not valid Unicode
 * @throws {UnusableIdError} the id is a dot segment, which would name another resource
 */
export function operationOf(name: OperationName, { request, id, parameters }: Asked): Operation {
  const { words, method, path: template, isListing } = operationShape(name);
  const resource = template.includes('/sessions') ? 'session id' : 'dataset id';
  const path = id === undefined ? template : template.replace('{id}', () => pathId(resource, id));
  const sent = { ...parameters, ...userOf(request) };
  const { signal } = request;
  return method === 'GET'
    ? { words, method, path: path + query(sent), signal, isListing }
    : { words, method, path, body: JSON.stringify(sent), signal, isListing };
}

function pathId(field: string, id: string): string {
  checkNotEmpty(field, id);
  if (id === '.' || id === '..') throw new UnusableIdError(field, id);
  return encodeURIComponent(id);
}

/** `?name=value&…` of the parameters with a value. */
function query(parameters: Parameters): string {
  const pairs = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

/** @throws {UsageError} */
function userOf(request: UserRequest): { readonly user_id: string } {
  return { user_id: checkNotEmpty('user_id', request.userId) };
}

/** @throws {UsageError} */
export function pageOf(request: PageRequest): {
  readonly page_number: number | undefined;
  readonly page_size: number | undefined;
} {
  const { pageNumber, pageSize } = request;
  return {
    page_number:
      pageNumber === undefined ? undefined : checkWholeNumber('page_number', pageNumber, 1),
    page_size: pageSize === undefined ? undefined : checkWholeNumber('page_size', pageSize, 1),
  };
}

/** @throws {UsageError} */
export function searchOf(request: ListRequest): { readonly search: string | undefined } {
  const { search } = request;
  if (search === undefined || search === '') return { search: undefined };
  return { search: checkText('search', search, LIMITS.searchLength) };
}
