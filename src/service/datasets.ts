/** The six operations on datasets. */
import { UsageError } from '../base/usage-error.js';
import { asDatasetId, type DatasetId } from '../model/ids.js';
import {
  LIMITS,
  type DatasetOverview,
  type DatasetRecord,
  type DatasetStatus,
} from '../model/records.js';
import { call, callDelete, type Caller } from './call.js';
import { wholeNumber } from './envelope.js';
import type { Success } from './parse-response.js';
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
import type { ServiceClient } from './service-client.js';

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
