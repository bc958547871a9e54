/** Terms for tests: what takes seconds elsewhere takes a fraction of one, and a process on a busy machine still renews in time. */
import type { Terms } from '../../../src/base/terms.js';

export const SHORT_TERMS: Terms = {
  leaseMs: 500,
  lockMs: 500,
  stalledCheckMs: 100,
  workerNoteMs: 500,
  pollMs: 50,
  recoveryMs: 100,
  shutdownMs: 500,
  settlingMs: 500,
  retryMs: 10,
  reconnectMs: 20,
};
