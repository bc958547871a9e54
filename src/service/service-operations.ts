/** The six operations on sessions, and the six on datasets. Their parameters are checked before a request is sent: ids and texts cannot change its path or query. */
import {
  type FieldShape,
  type InputShape,
  operationPath,
  operationShape,
  type OperationName,
  wireName,
} from '../model/operations.js';
import {
  type Operation,
  call,
  callDelete,
  type Caller,
  freshAnswer,
  askedPastCache,
} from './call.js';
import { UnusableIdError, StaleAnswerError, staleText } from './service-errors.js';
import type { UserRequest, ServiceClient, DatasetRequest } from './service-client.js';
import { UsageError } from '../base/error.js';
import { asDatasetId, asSessionId } from '../model/ids.js';
import type {
  DatasetOverview,
  DatasetRecord,
  DatasetStatus,
  JobRecord,
  SessionRecord,
} from '../model/records.js';
import { wholeNumber, type Success } from './parse-response.js';
import { dataOf, unusable, readCreatedId, readPage, readSingle } from './page.js';
import type { Clock } from '../base/runtime.js';

/** Checks the parameters of a request before it is sent, and builds its path and query: ids and texts cannot change the structure. */

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
function operationOf(name: OperationName, request: OperationRequest): Operation {
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

/** The six operations on sessions. */

type SessionOperations = Pick<
  ServiceClient,
  'listSessions' | 'getSession' | 'createSession' | 'modifySession' | 'deleteSession' | 'getHistory'
>;

export function sessionOperations(caller: Caller): SessionOperations {
  return {
    async listSessions(request) {
      const { maxAttempts } = request;
      const operation = { ...operationOf('listSessions', request), maxAttempts };
      return call(caller, operation, (success) =>
        readPage<SessionRecord>(success, request, { idField: 'id' }),
      );
    },

    async getSession(request) {
      const operation = operationOf('getSession', request);
      return askedPastCache(() =>
        call(caller, operation, (success) => ({
          ...readSingle<SessionRecord>(success, request.sessionId),
          served: success.answer.served,
        })),
      );
    },

    async createSession(request) {
      const operation = operationOf('createSession', request);
      return asSessionId(await call(caller, operation, readCreatedId));
    },

    async modifySession(request) {
      await call(caller, operationOf('modifySession', request), () => undefined);
    },

    async deleteSession(request) {
      const { isTooLate, onRequestStart } = request;
      const operation = operationOf('deleteSession', request);
      await callDelete(caller, { ...operation, isTooLate, onRequestStart });
    },

    async getHistory(request) {
      const { sessionId } = request;
      return call(caller, operationOf('getHistory', request), (success) =>
        readPage<JobRecord>(success, request, { idField: 'job_id', sessionId }),
      );
    },
  };
}

type DatasetOperations = Pick<
  ServiceClient,
  | 'listDatasets'
  | 'getDatasetOverview'
  | 'getDatasetStatus'
  | 'createDataset'
  | 'modifyDataset'
  | 'deleteDataset'
>;

export function datasetOperations(caller: Caller): DatasetOperations {
  return {
    async listDatasets(request) {
      return call(caller, operationOf('listDatasets', request), (success) =>
        readPage<DatasetRecord>(success, request, { idField: 'id' }),
      );
    },

    async getDatasetOverview(request) {
      return call(caller, operationOf('getDatasetOverview', request), (success) =>
        readSingle<DatasetOverview>(success, request.datasetId),
      );
    },

    async getDatasetStatus(request) {
      return call(caller, operationOf('getDatasetStatus', request), readStatus);
    },

    async createDataset(request) {
      const operation = operationOf('createDataset', request);
      return asDatasetId(await call(caller, operation, readCreatedId));
    },

    async modifyDataset(request) {
      if (request.name === undefined && request.description === undefined) {
        throw new UsageError('neither name nor description is given; at least one is needed');
      }
      await call(caller, operationOf('modifyDataset', request), () => undefined);
    },

    async deleteDataset(request) {
      await callDelete(caller, operationOf('deleteDataset', request));
    },
  };
}

function readStatus(success: Success): DatasetStatus {
  const data = dataOf(success);
  const count = (field: string): number => {
    const number = wholeNumber(data[field]);
    if (number === null) throw unusable(success, `${field} is not a whole number`);
    return number;
  };
  return {
    ...data,
    synched_count: count('synched_count'),
    invalid_count: count('invalid_count'),
    synching_count: count('synching_count'),
  };
}

/** Waits until the service has stopped synchronising a dataset's data sources. */

export interface WaitOptions {
  /** Time from the first check; then the last status is returned. */
  readonly timeoutMs: number;
  /** Between two checks. */
  readonly intervalMs: number;
  readonly clock: Clock;
  /** Called after every check except the last. */
  readonly onPoll?: (status: DatasetStatus) => void;
}

/**
 * The status when no data source is synching any more, or when the time is over.
 *
 * @throws {ServiceError} a check failed; a `StaleAnswerError` only when the time is over
 * @throws the signal's reason, as soon as it is aborted
 */
export async function waitForDataset(
  service: Pick<ServiceClient, 'getDatasetStatus' | 'stats'>,
  request: DatasetRequest,
  { timeoutMs, intervalMs, clock, onPoll }: WaitOptions,
): Promise<DatasetStatus> {
  const end = clock.monotonic() + timeoutMs;
  for (;;) {
    const status = await statusNow(service, request);
    const left = end - clock.monotonic();
    const isStale = status instanceof StaleAnswerError;
    if (isStale && left <= 0) throw status;
    if (!isStale) {
      if (status.synching_count <= 0 || left <= 0) return status;
      onPoll?.(status);
    }
    await clock.sleep(Math.min(intervalMs, left), request.signal);
  }
}

/** A cache lets go of an answer in time: then the next check may tell. */
async function statusNow(
  service: Pick<ServiceClient, 'getDatasetStatus' | 'stats'>,
  request: DatasetRequest,
): Promise<DatasetStatus | StaleAnswerError> {
  try {
    return await freshAnswer(
      service,
      () => service.getDatasetStatus(request),
      (header) => staleText(request.datasetId, header, 'dataset'),
    );
  } catch (error) {
    if (error instanceof StaleAnswerError) return error;
    throw error;
  }
}

/** Whether questions about every data source are possible: none has failed, none is waiting. */
export function isUsable(status: DatasetStatus): boolean {
  return status.invalid_count === 0 && status.synching_count === 0;
}
