/** The sessions of a run that names some, and of one that tries gaps again. */
import { describe, expect, it } from 'vitest';
import type { UserEntry } from '../../../../src/archive/log/commit.js';
import { emptyState, type SessionState } from '../../../../src/archive/state/user-state.js';
import { listSessions } from '../../../../src/export/users/session-listing.js';
import { retryPlanOf } from '../../../../src/export/users/checked-listing.js';
import { asSessionId, asUserId } from '../../../../src/model/ids.js';
import { NotFoundError, StaleAnswerError } from '../../../../src/service/service-errors.js';
import { errorFacts } from '../../../support/http/one-session.js';
import { NO_JOB, userEntry } from '../../../support/store/archive-samples.js';
import { archived } from '../../../support/store/archived-sessions.js';

const ann = asUserId('ann');
const UNREAD = {
  ...NO_JOB,
  status: 'failed',
  reason: 'HTTP 500',
};

describe('chosen sessions', () => {
  const named = async (answers: Record<string, string | Error | undefined>, ids: string[]) => {
    const asked: unknown[] = [];
    const run = {
      settings: { sessions: ids },
      service: {
        getSession: ({ userId, sessionId: id }: { userId: string; sessionId: string }) => {
          asked.push([userId, id]);
          const answer = answers[id];
          if (answer instanceof Error) return Promise.reject(answer);
          return Promise.resolve({ value: { id }, served: { stale: answer } });
        },
      },
    };
    const listing = await listSessions(run as unknown as Parameters<typeof listSessions>[0], ann);
    return { ...listing, sessions: listing.sessions.map(({ value }) => value.id), asked };
  };

  it('sessions are read one by one by name, each once, and those that cannot be are told', async () => {
    const gone = new NotFoundError('no such session', errorFacts);
    expect(await named({ s2: gone }, ['s1', 's2', 's1', 's3'])).toMatchObject({
      sessions: ['s1', 's3'],
      totalItems: 3,
      missing: [{ sessionId: 's2', error: gone }],
      gap: undefined,
      asked: ['s1', 's2', 's3'].map((id) => ['ann', id]),
    });
  });

  it('sessions that are named are a gap where a cache has answered, the first of them', async () => {
    const { gap, sessions } = await named({ s2: 'Age: 12', s3: 'Age: 13' }, ['s1', 's2', 's3']);
    expect(sessions).toEqual(['s1', 's2', 's3']);
    expect(gap).toBeInstanceOf(StaleAnswerError);
    expect(gap?.message).toContain('s2');
    expect(gap?.message).toContain('Age: 12');
  });

  it('sessions that are named end the run where a failure does', async () => {
    const bug = new TypeError('a defect');
    await expect(named({ s1: bug }, ['s1'])).rejects.toBe(bug);
  });
});

describe('chosen sessions', () => {
  const WHOLE = archived('s', { commit: 1 }).state;
  const WITH_GAP: SessionState = { ...WHOLE, gaps: [UNREAD] };
  const CUT: SessionState = { ...WHOLE, complete: false };

  const isDue = (
    sessions: readonly SessionState[],
    listings: readonly UserEntry[] = [userEntry('ann')],
  ) => {
    const named = sessions.map((state, at) => [asSessionId(`s${at}`), state] as const);
    return retryPlanOf({ ...emptyState(ann), sessions: new Map(named) }, listings).isDue;
  };

  it('a retry reads sessions with gaps, without their end, or not archived', () => {
    const { includes } = retryPlanOf(emptyState(ann), []);
    expect([undefined, WITH_GAP, CUT, WHOLE].map(includes)).toEqual([true, true, true, false]);
    expect([WITH_GAP, CUT].map((state) => isDue([WHOLE, state]))).toEqual([true, true]);
    expect(isDue([WHOLE])).toBe(false);
  });

  it('what is tried again is none that is gone or deleted', () => {
    const goneAt = '2026-11-05T12:00:00.000Z';
    expect([{ goneAt }, { deleted: true }].map((over) => isDue([{ ...CUT, ...over }]))).toEqual([
      false,
      false,
    ]);
  });

  it.each<[string, Partial<UserEntry>, boolean]>([
    ['failed', { error: 'HTTP 500' }, true],
    ['has fewer sessions than the service says', { listed: 1, total_items: 2 }, true],
    ['has as many', { listed: 2, total_items: 2 }, false],
    ['is of a service that does not say', { listed: 1, total_items: null }, false],
    ['is not complete for no session’s sake', { complete: false, gaps: 1 }, true],
  ])('what is tried again is a listing that %s', (_, over, due) => {
    expect(isDue([WHOLE], [userEntry('ann'), userEntry('ann', over)])).toBe(due);
  });

  it('a retry is no incomplete listing for a session with gaps, if that is gone', () => {
    const gone = { ...WITH_GAP, goneAt: '2026-11-05T12:00:00.000Z' };
    expect(isDue([WHOLE, gone], [userEntry('ann', { complete: false, gaps: 1 })])).toBe(false);
  });
});
