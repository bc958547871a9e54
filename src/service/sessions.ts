/** The six operations on sessions. */
import { asSessionId } from '../model/ids.js';
import {
  AGENT_IDS,
  JOB_MODES,
  LIMITS,
  OUTPUT_LANGUAGES,
  type JobRecord,
  type SessionRecord,
} from '../model/records.js';
import { askedPastCache, call, callDelete, type Caller } from './call.js';
import { readCreatedId, readPage, readSingle } from './page.js';
import {
  checkNotEmpty,
  checkOneOf,
  checkText,
  checkWholeNumber,
  operationOf,
  pageOf,
  searchOf,
} from './request-parts.js';
import type { ServiceClient, SessionSettings } from './service-client.js';

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
