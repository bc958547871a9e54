/** Terms for tests: what takes seconds elsewhere takes a fraction of one. */
import { DEFAULT_TERMS, type Terms } from '../../../src/base/terms.js';

/** For tests of what a dead process leaves behind. */
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

/** For all others: on a busy machine nobody takes over what another still holds. */
export const TEST_TERMS: Terms = {
  ...SHORT_TERMS,
  leaseMs: DEFAULT_TERMS.leaseMs,
  lockMs: DEFAULT_TERMS.lockMs,
};
