/** Checks the parameters of a request before it is sent, and builds its path and query: ids and texts cannot change the structure. */
import {
  type FieldShape,
  type InputShape,
  operationPath,
  operationShape,
  type OperationName,
  wireName,
} from '../model/operations.js';
import { type Operation } from './call.js';
import { UnusableIdError } from './service-errors.js';
import type { UserRequest } from './service-client.js';
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
function checkOneOf(field: string, text: string, allowed: readonly string[]): string {
  if (!allowed.includes(text)) {
    throw new UsageError(`${field} is ${shown(text)}; allowed are ${allowed.join(', ')}`);
  }
  return text;
}

/** @throws {UsageError} not a whole number, or out of range */
function checkWholeNumber(field: string, value: number, min: number, max?: number): number {
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

/** Beside these, the fields that the operation takes. */
type OperationRequest = UserRequest & { readonly sessionId?: string; readonly datasetId?: string };

/**
 * What is sent to carry out an operation.
 *
 * @throws {UsageError} a field is not what the operation takes; the id or the user is empty, or not valid Unicode
 * @throws {UnusableIdError} the id is a dot segment, which would name another resource
 */
export function operationOf(name: OperationName, request: OperationRequest): Operation {
  const { words, method, resource, input, isListing } = operationShape(name);
  const id = request.sessionId ?? request.datasetId;
  if (id !== undefined) checkId(`${resource} id`, id);
  const path = operationPath(name, id);
  const sent = { ...checkedFields(input, request), ...userOf(request) };
  const { signal } = request;
  return method === 'GET'
    ? { words, method, path: path + query(sent), signal, isListing }
    : { words, method, path, body: JSON.stringify(sent), signal, isListing };
}

function checkedFields(input: InputShape, request: OperationRequest): Parameters {
  const given = request as unknown as Parameters;
  const checked = Object.entries(input).map(([field, shape]) => {
    const name = wireName(field);
    return [name, checkedField(name, shape, given[field])] as const;
  });
  return Object.fromEntries(checked);
}

function checkedField(
  name: string,
  shape: FieldShape,
  value: Parameters[string],
): Parameters[string] {
  if (value === undefined) {
    if (shape.isRequired) throw new UsageError(`${name} is not given; it is required`);
    return undefined;
  }
  if (shape.kind === 'whole') return checkWholeNumber(name, Number(value), shape.min, shape.max);
  const text = String(value);
  if (shape.kind === 'choice') return checkOneOf(name, text, shape.choices);
  if (text === '' && shape.empty === 'none') return undefined;
  if (shape.empty === undefined) checkNotEmpty(name, text);
  return checkText(name, text, shape.maxLength);
}

function checkId(field: string, id: string): void {
  checkNotEmpty(field, id);
  if (id === '.' || id === '..') throw new UnusableIdError(field, id);
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
