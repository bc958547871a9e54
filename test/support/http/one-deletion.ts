/** One deletion of a session, with the log's part of it in memory. */
import { asRunId } from '../../../src/model/ids.js';
import { deleteSession } from '../../../src/prune/delete-session.js';
import type { FinalCheckTools } from '../../../src/prune/final-check.js';
import { Intents } from '../../../src/prune/intents.js';
import { ServiceView } from '../../../src/prune/service-view.js';
import {
  PermissionDeniedError,
  RateLimitedError,
  ServerFailureError,
} from '../../../src/service/service-errors.js';
import type { RequestBudget } from '../../../src/service/pace/request-budget.js';
import { unwrittenArchive } from '../store/archive-samples.js';
import { createMemoryStorage } from '../store/memory-storage.js';
import { errorFacts, OneSession, type Operation } from './one-session.js';

/** Nothing was done. */
export const limited = new RateLimitedError('too many', errorFacts);
/** What was asked may have been done. */
export const failed = new ServerFailureError('it failed', errorFacts);
export const denied = new PermissionDeniedError('not allowed', errorFacts);

export class Deleting {
  readonly storage = createMemoryStorage();
  readonly abort = new AbortController();
  readonly moments: number[] = [];
  conflictOf: FinalCheckTools['conflictOf'] = () => Promise.resolve(undefined);
  pageSize = 100;
  budget: RequestBudget | undefined;

  constructor(readonly one: OneSession) {}

  run(archived = this.one.archived()) {
    const { one, storage } = this;
    const { clock, logger, service } = one;
    const { signal } = this.abort;
    const files = { isAccountedFor: () => true };
    const view = new ServiceView(service, { pageSize: this.pageSize }, files, signal);
    const archive = unwrittenArchive(storage, { clock, logger });
    const intents = new Intents(archive);
    const onMoment = (ms: number): void => void this.moments.push(ms);
    const { budget } = this;
    const around = { budget, archive, signal, onMoment };
    const tools = { runId: asRunId('run-1'), view, intents, ...around };
    return deleteSession(tools, archived, { conflictOf: this.conflictOf, listed: undefined });
  }

  get intents(): number {
    return this.storage.place.objects.size;
  }
}

export function deleting(before: (operation: Operation, count: number) => void = () => undefined) {
  const one = new OneSession();
  one.before = before;
  return { one, deletion: new Deleting(one) };
}

/** Every DELETE, or the first ones, are answered so. */
export const answered =
  (error: Error, times = Infinity) =>
  (operation: Operation, count: number): void => {
    if (operation === 'deleteSession' && count <= times) throw error;
  };

/** The final check and the DELETE that rests on it. */
export const ATTEMPT: readonly Operation[] = ['getSession', 'getHistory', 'deleteSession'];
