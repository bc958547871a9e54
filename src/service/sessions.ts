/** The six operations on sessions. */
import { asSessionId, type SessionId } from '../model/ids.js';
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
  pageOf,
  pathId,
  query,
  searchOf,
  userOf,
} from './request-parts.js';
import type { ServiceClient, SessionSettings } from './service-client.js';

type SessionOperations = Pick<
  ServiceClient,
  'listSessions' | 'getSession' | 'createSession' | 'modifySession' | 'deleteSession' | 'getHistory'
>;

const ROOT = '/v2/team/sessions';

export function sessionOperations(caller: Caller): SessionOperations {
  return {
    async listSessions(request) {
      const path = ROOT + query({ ...pageOf(request), ...searchOf(request), ...userOf(request) });
      const operation = {
        words: 'list sessions',
        method: 'GET',
        path,
        signal: request.signal,
        maxAttempts: request.maxAttempts,
        isListing: true,
      } as const;
      return call(caller, operation, (success) =>
        readPage<SessionRecord>(success, request, { idField: 'id' }),
      );
    },

    async getSession(request) {
      const path = sessionPath(request.sessionId) + query(userOf(request));
      const operation = {
        words: 'get session',
        method: 'GET',
        path,
        signal: request.signal,
      } as const;
      return askedPastCache(() =>
        call(caller, operation, (success) => ({
          ...readSingle<SessionRecord>(success, request.sessionId),
          served: success.answer.served,
        })),
      );
    },

    async createSession(request) {
      const { agentId, signal } = request;
      const agent = agentId === undefined ? undefined : checkOneOf('agent_id', agentId, AGENT_IDS);
      const body = JSON.stringify({ ...settingsOf(request), agent_id: agent, ...userOf(request) });
      const operation = {
        words: 'create session',
        method: 'POST',
        path: ROOT,
        body,
        signal,
      } as const;
      return asSessionId(await call(caller, operation, readCreatedId));
    },

    async modifySession(request) {
      const { sessionId, signal } = request;
      const path = sessionPath(sessionId);
      const body = JSON.stringify({ ...settingsOf(request), ...userOf(request) });
      const operation = { words: 'modify session', method: 'POST', path, body, signal } as const;
      await call(caller, operation, () => undefined);
    },

    async deleteSession(request) {
      const { sessionId, signal, isTooLate } = request;
      const path = sessionPath(sessionId);
      const body = JSON.stringify(userOf(request));
      const words = 'delete session';
      await callDelete(caller, { words, method: 'DELETE', path, body, signal, isTooLate });
    },

    async getHistory(request) {
      const path = `${sessionPath(request.sessionId)}/history${query({ ...pageOf(request), ...userOf(request) })}`;
      const operation = {
        words: 'get job history',
        method: 'GET',
        path,
        signal: request.signal,
      } as const;
      return call(caller, operation, (success) =>
        readPage<JobRecord>(success, request, { idField: 'job_id', sessionId: request.sessionId }),
      );
    },
  };
}

function sessionPath(id: SessionId): string {
  return `${ROOT}/${pathId('session id', id)}`;
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
