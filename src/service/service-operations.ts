/** The six operations on sessions, and the six on datasets. Their parameters are checked before a request is sent: ids and texts cannot change its path or query. */
import { call, callDelete, type Caller, askedPastCache } from './call.js';
import type { ServiceClient } from './service-client.js';
import { UsageError } from '../base/error.js';
import { asDatasetId, asSessionId } from '../model/ids.js';
import type {
  DatasetOverview,
  DatasetRecord,
  DatasetStatus,
  JobRecord,
  SessionRecord,
} from '../model/records.js';
import { type Success } from './parse-response.js';
import { wholeNumber } from './envelope.js';
import { dataOf, unusable, readCreatedId, readPage, readSingle } from './page.js';
import { operationOf } from './check-request.js';

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
