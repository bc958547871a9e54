import { expect, it } from 'vitest';
import { asJobId, asRunId, asSessionId, asUserId, type JobId } from '../../../src/model/ids.js';
import type { Intent } from '../../../src/prune/intents.js';
import {
  addIntent,
  addSession,
  countSessions,
  emptyPruneSummary,
  type PrunedOutcome,
} from '../../../src/prune/prune-summary.js';
import { archived, DAY, job, NOW } from '../../support/store/archived-sessions.js';

const NOTHING = {
  deletions: { deleted: 0, refused: 0, left: 0, held: 0 },
  planned: 0,
  gone: 0,
  kept: 0,
  unfinished: 0,
};

const session = archived('s', { commit: 3, daysAgo: 2 });

/** A UUID of version 7. */
function timedJob(ms: number): JobId {
  const hex = ms.toString(16).padStart(12, '0');
  return asJobId(`${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`);
}

const intent: Intent = {
  format: 1,
  run: asRunId('A'.repeat(26)),
  user: asUserId('ann'),
  session: asSessionId('s'),
  commit: 3,
  job_count: 4,
  started_at: new Date(NOW).toISOString(),
  path: '_intents/x.json',
};

it('the summary of a prune is of a plan where there is no run, and says that nothing was asked', () => {
  expect(emptyPruneSummary('./archive', null)).toEqual({
    status: 'planned',
    archive: './archive',
    run: null,
    commits: [],
    ...NOTHING,
    longest_check_to_delete_ms: null,
    clock_not_compared: null,
    short_of_slots: [],
    sessions: [],
    requests: { api: 0, files: 0, retries: 0, rate_limited: 0 },
    duration_ms: 0,
  });
  expect(emptyPruneSummary('./archive', 'R')).toMatchObject({
    status: 'complete',
    run: 'R',
    planned: null,
  });
});

it.each<[PrunedOutcome, object]>([
  ['planned', { planned: 1 }],
  ['deleted', { deletions: { ...NOTHING.deletions, deleted: 1 } }],
  ['gone', { gone: 1 }],
  ['refused', { deletions: { ...NOTHING.deletions, refused: 1 } }],
  ['left', { deletions: { ...NOTHING.deletions, left: 1 } }],
  ['held', { deletions: { ...NOTHING.deletions, held: 1 } }],
  ['kept', { kept: 1 }],
])(
  'the summary of a prune counts a session that is %s as that, and as nothing else',
  (outcome, counted) => {
    const summary = emptyPruneSummary('./archive', null);
    addSession(summary, session, outcome);
    countSessions(summary, undefined);
    expect(summary).toMatchObject({ ...NOTHING, ...counted });
    expect(summary.sessions).toEqual([
      {
        user: 'ann',
        session: 's',
        jobs: 1,
        commit: 3,
        outcome,
        name: null,
        newest_job_at: null,
        changed_at: new Date(NOW - 2 * DAY).toISOString(),
        reason: null,
        detail: null,
      },
    ]);
  },
);

it("the summary has name, newest question's time, and why a session was refused", () => {
  const summary = emptyPruneSummary('./archive', null);
  const atMs = Date.UTC(2026, 10, 20, 8);
  const jobs = [atMs - 1000, atMs, atMs - 2000].map((ms) => [timedJob(ms), job()] as const);
  const asked = archived('t', { commit: 3 }, { jobs: new Map(jobs) });
  addSession(summary, asked, 'refused', {
    name: 'Sales',
    refusal: { reason: 'hold', detail: 'its user is on hold' },
    detail: 'another',
  });
  addSession(summary, asked, 'kept', { detail: 'one of the newest' });
  expect(summary.sessions).toMatchObject([
    {
      name: 'Sales',
      newest_job_at: new Date(atMs).toISOString(),
      reason: 'hold',
      detail: 'its user is on hold',
    },
    { name: null, reason: null, detail: 'one of the newest' },
  ]);
});

it('the summary counts a deletion begun earlier as done, or unfinished and refused or left', () => {
  const summary = emptyPruneSummary('./archive', 'R');
  addIntent(summary, intent, undefined);
  expect(summary).toMatchObject({ unfinished: 0 });
  const [held, left] = [asSessionId('t'), asSessionId('u')];
  addIntent(summary, { ...intent, session: held }, { reason: 'hold', detail: 'on hold' });
  addIntent(summary, { ...intent, session: left }, { reason: 'budget', detail: 'spent' });
  countSessions(summary, undefined);
  expect(summary).toMatchObject({
    unfinished: 2,
    deletions: { deleted: 1, refused: 1, left: 1 },
  });
  expect(summary.sessions.map(({ outcome, reason, detail }) => [outcome, reason, detail])).toEqual([
    ['deleted', null, 'an earlier run had begun it; it is confirmed now'],
    ['refused', 'hold', 'on hold'],
    ['left', 'budget', 'spent'],
  ]);
});

it.each<[PrunedOutcome, PrunedOutcome, object]>([
  ['planned', 'planned', { planned: 1 }],
  ['deleted', 'gone', { deletions: { ...NOTHING.deletions, deleted: 1 } }],
  ['kept', 'held', { deletions: { ...NOTHING.deletions, held: 1 } }],
])(
  'a session of two spellings is named and counts once: %s under one, %s under the other',
  (one, other, counted) => {
    for (const outcomes of [[one, other] as const, [other, one] as const]) {
      const summary = emptyPruneSummary('./archive', null);
      addSession(summary, session, outcomes[0]);
      addSession(summary, { ...session, user: asUserId('Ann') }, outcomes[1]);
      countSessions(summary, undefined);
      expect(summary).toMatchObject({ ...NOTHING, ...counted });
      expect(summary.sessions).toHaveLength(1);
    }
  },
);
