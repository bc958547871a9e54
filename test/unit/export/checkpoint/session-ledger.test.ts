import { describe, expect, it } from 'vitest';
import type { SessionState } from '../../../../src/archive/state/user-state.js';
import { SessionLedger } from '../../../../src/export/checkpoint/session-ledger.js';
import { asRunId, asSessionId, asUserId } from '../../../../src/model/ids.js';
import { PagingError } from '../../../../src/service/paging-error.js';

const session = { value: { id: asSessionId('s'), name: 'n' }, text: '{"id":"s","name":"n"}' };
const run = { runId: asRunId('run'), exportedAt: 1n };
const gap = new PagingError('one of two seen');

/** After a run that read the history, and what that run wrote of it. */
function afterReading(known: SessionState | undefined, problem: PagingError | undefined) {
  const ledger = new SessionLedger(asUserId('u'), session, known);
  ledger.historyRead({ distinct: 0, totalItems: 0, growth: null, gap: problem });
  const rows = ledger.nextRow(run)?.rows;
  return { rows, ledger, state: stateOf(ledger) };
}

/** As the log gives it back to the next run. */
function stateOf(ledger: SessionLedger): SessionState {
  const { version, meta_hash: metaHash, total, archived, complete, growth, gaps } = ledger.entry();
  const { jobs } = ledger;
  const rest = { goneAt: null, deleted: false, jobs };
  return { version, metaHash, total, archived, complete, growth, gaps, ...rest };
}

describe('the row of a session', () => {
  it('is written again where nothing but its completeness has changed', () => {
    const incomplete = afterReading(undefined, gap);
    expect(incomplete.rows).toMatchObject([{ session_version: 1, is_complete: false }]);
    const complete = afterReading(incomplete.state, undefined);
    expect(complete.rows).toMatchObject([{ session_version: 2, is_complete: true }]);
    const again = afterReading(complete.state, gap);
    expect(again.rows).toMatchObject([{ session_version: 3, is_complete: false }]);
  });

  it('is not written again where it would say the same, and the log hears nothing', () => {
    const first = afterReading(undefined, undefined);
    expect(first.ledger.isTouched).toBe(true);
    const second = afterReading(first.state, undefined);
    expect(second.rows).toBeUndefined();
    expect(second.ledger.isTouched).toBe(false);
  });
});
