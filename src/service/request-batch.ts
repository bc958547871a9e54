/** Requests that belong together: checks and the DELETE that depends on them. None is retried. */
import { type Caller } from './call.js';
import { sessionOperations } from './service-operations.js';
import { HeldPace } from './pace/pace.js';
import type { RequestBatch } from './service-client.js';

/** Reading a session, the end of its history, and the DELETE: these are sent together at any rate. */
const LEAST_TOGETHER = 3;

/** @param rate requests per second, the most that are sent together */
export function togetherOf(caller: Caller, count: number, rate: number): RequestBatch {
  const pace = new HeldPace(caller.limiter, count, Math.max(LEAST_TOGETHER, Math.floor(rate)));
  const limits = { ...caller.limits, maxAttempts: 1 };
  const { getSession, getHistory, deleteSession } = sessionOperations({
    ...caller,
    limiter: pace,
    limits,
  });
  return {
    getSession,
    getHistory,
    deleteSession,
    get remaining() {
      return pace.left;
    },
    close: () => pace.close(),
  };
}
