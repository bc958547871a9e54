/** The six operations on sessions, and the six on datasets. */
import { UsageError } from '../base/error.js';
import { asDatasetId, asSessionId } from '../model/ids.js';
import {
  LIMITS,
  type DatasetOverview,
  type DatasetRecord,
  type DatasetStatus,
  AGENT_IDS,
  JOB_MODES,
  OUTPUT_LANGUAGES,
  type JobRecord,
  type SessionRecord,
} from '../model/records.js';
import { call, callDelete, type Caller, freshAnswer, askedPastCache } from './call.js';
import { wholeNumber, type Success } from './parse-response.js';
import { dataOf, unusable, readCreatedId, readPage, readSingle } from './page.js';
import {
  checkNotEmpty,
  checkText,
  operationOf,
  pageOf,
  searchOf,
  checkOneOf,
  checkWholeNumber,
} from './request-parts.js';
import type { ServiceClient, DatasetRequest, SessionSettings } from './service-client.js';
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
      const parameters = { ...pageOf(request), ...searchOf(request) };
      const operation = {
        ...operationOf('listSessions', { request, parameters }),
        maxAttempts: request.maxAttempts,
      };
      return call(caller, operation, (success) =>
        readPage<SessionRecord>(success, request, { idField: 'id' }),
      );
    },

    async getSession(request) {
      const { sessionId: id } = request;
      const operation = operationOf('getSession', { request, id });
      return askedPastCache(() =>
        call(caller, operation, (success) => ({
          ...readSingle<SessionRecord>(success, id),
          served: success.answer.served,
        })),
      );
    },

    async createSession(request) {
      const { agentId } = request;
      const agent = agentId === undefined ? undefined : checkOneOf('agent_id', agentId, AGENT_IDS);
      const parameters = { ...settingsOf(request), agent_id: agent };
      const operation = operationOf('createSession', { request, parameters });
      return asSessionId(await call(caller, operation, readCreatedId));
    },

    async modifySession(request) {
      const { sessionId: id } = request;
      const operation = operationOf('modifySession', {
        request,
        id,
        parameters: settingsOf(request),
      });
      await call(caller, operation, () => undefined);
    },

    async deleteSession(request) {
      const { sessionId: id, isTooLate } = request;
      await callDelete(caller, { ...operationOf('deleteSession', { request, id }), isTooLate });
    },

    async getHistory(request) {
      const { sessionId: id } = request;
      const operation = operationOf('getHistory', { request, id, parameters: pageOf(request) });
      return call(caller, operation, (success) =>
        readPage<JobRecord>(success, request, { idField: 'job_id', sessionId: id }),
      );
    },
  };
}

function settingsOf(
  settings: SessionSettings,
): Readonly<Record<string, string | number | undefined>> {
  const { name, outputLanguage, jobMode, maxContextualJobHistory } = settings;
  checkNotEmpty('name', name);
  return {
    name: checkText('name', name, LIMITS.nameLength),
    output_language:
      outputLanguage === undefined
        ? undefined
        : checkOneOf('output_language', outputLanguage, OUTPUT_LANGUAGES),
    job_mode: jobMode === undefined ? undefined : checkOneOf('job_mode', jobMode, JOB_MODES),
    max_contextual_job_history:
      maxContextualJobHistory === undefined
        ? undefined
        : checkWholeNumber(
            'max_contextual_job_history',
            maxContextualJobHistory,
            LIMITS.minContextualJobHistory,
            LIMITS.maxContextualJobHistory,
          ),
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
      const parameters = { ...pageOf(request), ...searchOf(request) };
      return call(caller, operationOf('listDatasets', { request, parameters }), (success) =>
        readPage<DatasetRecord>(success, request, { idField: 'id' }),
      );
    },

    async getDatasetOverview(request) {
      const { datasetId: id } = request;
      return call(caller, operationOf('getDatasetOverview', { request, id }), (success) =>
        readSingle<DatasetOverview>(success, id),
      );
    },

    async getDatasetStatus(request) {
      const { datasetId: id } = request;
      return call(caller, operationOf('getDatasetStatus', { request, id }), readStatus);
    },

    async createDataset(request) {
      const parameters = texts(request.name, request.description);
      const operation = operationOf('createDataset', { request, parameters });
      return asDatasetId(await call(caller, operation, readCreatedId));
    },

    async modifyDataset(request) {
      const { datasetId: id, name, description } = request;
      if (name === undefined && description === undefined) {
        throw new UsageError('neither name nor description is given; at least one is needed');
      }
      const parameters = texts(name, description);
      await call(
        caller,
        operationOf('modifyDataset', { request, id, parameters }),
        () => undefined,
      );
    },

    async deleteDataset(request) {
      const { datasetId: id } = request;
      await callDelete(caller, operationOf('deleteDataset', { request, id }));
    },
  };
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
