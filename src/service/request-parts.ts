/** Builds paths and queries; escapes ids and texts so that they cannot change the structure. */
import { LIMITS } from '../model/records.js';
import { UnusableIdError } from './errors/unusable-id-error.js';
import { checkNotEmpty, checkText, checkWholeNumber } from './request-checks.js';
import type { ListRequest, PageRequest, UserRequest } from './service-client.js';

/**
 * A segment of a path.
 *
 * @throws {UsageError} empty, or not valid Unicode
 * @throws {UnusableIdError} a dot segment, which would name another resource
 */
export function pathId(field: string, id: string): string {
  checkNotEmpty(field, id);
  if (id === '.' || id === '..') throw new UnusableIdError(field, id);
  return encodeURIComponent(id);
}

/** `?name=value&…` of the parameters with a value. */
export function query(parameters: Readonly<Record<string, string | number | undefined>>): string {
  const pairs = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

/** @throws {UsageError} */
export function userOf(request: UserRequest): { readonly user_id: string } {
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
