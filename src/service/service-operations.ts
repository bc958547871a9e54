/** The six operations on sessions, and the six on datasets. */
import { UsageError } from '../base/error.js';
import { asDatasetId, asSessionId } from '../model/ids.js';
import type {
  DatasetOverview,
  DatasetRecord,
  DatasetStatus,
  JobRecord,
  SessionRecord,
} from '../model/records.js';
import { call, callDelete, type Caller, freshAnswer, askedPastCache } from './call.js';
import { wholeNumber, type Success } from './parse-response.js';
import { dataOf, unusable, readCreatedId, readPage, readSingle } from './page.js';
import { operationOf } from './request-parts.js';
import type { ServiceClient, DatasetRequest } from './service-client.js';
import type { Clock } from '../base/runtime.js';
import { StaleAnswerError, staleText } from './service-errors.js';

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
      const { isTooLate } = request;
      await callDelete(caller, { ...operationOf('deleteSession', request), isTooLate });
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
