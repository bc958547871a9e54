/** The six operations on datasets. */
import { UsageError } from '../base/error.js';
import { asDatasetId, type DatasetId } from '../model/ids.js';
import {
  LIMITS,
  type DatasetOverview,
  type DatasetRecord,
  type DatasetStatus,
} from '../model/records.js';
import { call, callDelete, type Caller, freshAnswer } from './call.js';
import { wholeNumber, type Success } from './parse-response.js';
import { dataOf, unusable, readCreatedId, readPage, readSingle } from './page.js';
import {
  checkNotEmpty,
  checkText,
  pageOf,
  pathId,
  query,
  searchOf,
  userOf,
} from './request-parts.js';
import type { ServiceClient, DatasetRequest } from './service-client.js';
import type { Clock } from '../base/runtime.js';
import { StaleAnswerError, staleText } from './service-errors.js';

type DatasetOperations = Pick<
  ServiceClient,
  | 'listDatasets'
  | 'getDatasetOverview'
  | 'getDatasetStatus'
  | 'createDataset'
  | 'modifyDataset'
  | 'deleteDataset'
>;

const ROOT = '/v2/team/datasets';

export function datasetOperations(caller: Caller): DatasetOperations {
  return {
    async listDatasets(request) {
      const path = ROOT + query({ ...pageOf(request), ...searchOf(request), ...userOf(request) });
      const operation = {
        words: 'list datasets',
        method: 'GET',
        path,
        signal: request.signal,
        isListing: true,
      } as const;
      return call(caller, operation, (success) =>
        readPage<DatasetRecord>(success, request, { idField: 'id' }),
      );
    },

    async getDatasetOverview(request) {
      const path = `${datasetPath(request.datasetId)}/overview${query(userOf(request))}`;
      const words = 'get dataset overview';
      const operation = { words, method: 'GET', path, signal: request.signal } as const;
      return call(caller, operation, (success) =>
        readSingle<DatasetOverview>(success, request.datasetId),
      );
    },

    async getDatasetStatus(request) {
      const path = `${datasetPath(request.datasetId)}/status${query(userOf(request))}`;
      const words = 'get dataset status';
      const operation = { words, method: 'GET', path, signal: request.signal } as const;
      return call(caller, operation, readStatus);
    },

    async createDataset(request) {
      const { signal } = request;
      const body = JSON.stringify({
        ...texts(request.name, request.description),
        ...userOf(request),
      });
      const operation = {
        words: 'create dataset',
        method: 'POST',
        path: ROOT,
        body,
        signal,
      } as const;
      return asDatasetId(await call(caller, operation, readCreatedId));
    },

    async modifyDataset(request) {
      const { datasetId, name, description, signal } = request;
      if (name === undefined && description === undefined) {
        throw new UsageError('neither name nor description is given; at least one is needed');
      }
      const path = datasetPath(datasetId);
      const body = JSON.stringify({ ...texts(name, description), ...userOf(request) });
      const operation = { words: 'modify dataset', method: 'POST', path, body, signal } as const;
      await call(caller, operation, () => undefined);
    },

    async deleteDataset(request) {
      const { datasetId, signal } = request;
      const path = datasetPath(datasetId);
      const body = JSON.stringify(userOf(request));
      await callDelete(caller, { words: 'delete dataset', method: 'DELETE', path, body, signal });
    },
  };
}

function datasetPath(id: DatasetId): string {
  return `${ROOT}/${pathId('dataset id', id)}`;
}

function texts(
  name: string | undefined,
  description: string | undefined,
): Readonly<Record<string, string | undefined>> {
  if (name !== undefined) checkText('name', checkNotEmpty('name', name), LIMITS.nameLength);
  if (description !== undefined) checkText('description', description, LIMITS.descriptionLength);
  return { name, description };
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
