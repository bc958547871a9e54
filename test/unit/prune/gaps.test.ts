import { describe, expect, it } from 'vitest';
import type { SessionState } from '../../../src/archive/state/user-state.js';
import { asJobId } from '../../../src/model/ids.js';
import { pruneRules, type PruneRules } from '../../../src/prune/prune-rules.js';
import { selectSessions } from '../../../src/prune/selection-rules.js';
import { archived, job, NOW } from '../../support/store/archived-sessions.js';

describe('gaps', () => {
  const gap = (over: Partial<SessionState['gaps'][number]> = {}) => ({
    ...{ job: asJobId('j'), role: 'answer', block_index: 0, file_index: 0 },
    ...{ kind: 'LINK', status: 'not_fetched', reason: 'no kind that is fetched' },
    ...over,
  });
  const refusalOf = (state: Partial<SessionState>, rules: Partial<PruneRules> = {}) =>
    selectSessions([archived('s', { commit: 1 }, state)], pruneRules(rules), NOW).chosen[0]
      ?.refusal;
  const acceptUnfetched = new Set(['LINK']);
  const jobs = new Map([[asJobId('j'), job({ gaps: 1 })]]);

  it('a gap is reported with the number of gaps and the first one', () => {
    const failed = gap({ status: 'failed', reason: 'HTTP 403' });
    expect(refusalOf({ jobs, gaps: [failed] })).toEqual({
      reason: 'gap',
      detail: '1 gap in the archive: failed, HTTP 403',
    });
    expect(refusalOf({ jobs, gaps: [failed, gap()] })?.detail).toContain('2 gaps in');
  });

  it('a gap of a kind that is accepted unfetched is none, and others stay gaps', () => {
    expect(refusalOf({ jobs, gaps: [gap()] }, { acceptUnfetched })).toBeUndefined();
    expect(refusalOf({ jobs, gaps: [gap()] })?.reason).toBe('gap');
    const two = [gap(), gap({ kind: 'SCRIPT' })];
    expect(refusalOf({ jobs, gaps: two }, { acceptUnfetched })?.detail).toContain('1 gap in');
  });

  it('a gap that only the job’s count knows is one, whatever is accepted', () => {
    const more = new Map([[asJobId('j'), job({ gaps: 2 })]]);
    const ofSession = gap({ job: null });
    expect(refusalOf({ jobs: more, gaps: [gap()] }, { acceptUnfetched })).toEqual({
      reason: 'gap',
      detail: '1 gap in the archive',
    });
    expect(refusalOf({ jobs, gaps: [ofSession] }, { acceptUnfetched })?.reason).toBe('gap');
  });

  it('a gap comes after worse reasons: an unread history, or a job that may change', () => {
    expect(refusalOf({ complete: false })?.detail).toContain('not been read to the end');
    const unsettled = new Map([[asJobId('j'), job({ settled: false })]]);
    expect(refusalOf({ jobs: unsettled })?.detail).toContain('1 job may still change');
  });
});
