import { describe, expect, it } from 'vitest';
import { plainHolds } from '../../support/store/plain-holds.js';
import { asJobId } from '../../../src/model/ids.js';
import type { GapEntry } from '../../../src/archive/log/commit.js';
import type { SessionState } from '../../../src/archive/state/user-state.js';
import type { ArchivedSession } from '../../../src/archive/state/archived-session.js';
import { choosesSessions, pruneRules, type PruneRules } from '../../../src/prune/prune-rules.js';
import { activityText } from '../../../src/archive/state/session-age.js';
import { selectSessions, slotsToFree } from '../../../src/prune/selection-rules.js';
import { archived, DAY, job, NOW } from '../../support/store/archived-sessions.js';
import { fault } from '../../support/base/fault.js';
import { NO_JOB } from '../../support/store/archive-samples.js';

function select(sessions: readonly ArchivedSession[], rules: Partial<PruneRules> = {}) {
  const { chosen, kept, live } = selectSessions(sessions, pruneRules(rules), NOW);
  return {
    chosen: chosen.map(
      (choice) => `${choice.archived.session} ${choice.refusal?.reason ?? 'may go'}`,
    ),
    kept: kept.map((session) => session.archived.session),
    live,
  };
}

describe('selection rules', () => {
  it('the selection puts the oldest change first, whatever the order of the state', () => {
    const sessions = [
      archived('c', { commit: 3 }),
      archived('a', { commit: 9 }),
      archived('b', { commit: 3 }),
    ];
    expect(select(sessions).chosen).toEqual(['b may go', 'c may go', 'a may go']);
  });

  it('the selection takes what is older than is asked for, and not what is just as old', () => {
    const sessions = [30, 30.001, 31].map((daysAgo, n) =>
      archived(`s${n}`, { commit: n + 1, daysAgo }),
    );
    expect(select(sessions, { olderThanMs: 30 * DAY })).toMatchObject({
      chosen: ['s2 may go', 's1 may go'],
      kept: ['s0'],
    });
  });

  it('the selection goes by when jobs without a time were seen, as an expiry does', () => {
    const seen = (daysAgo: number) => new Date(NOW - daysAgo * DAY).toISOString();
    // renamed two days ago
    const sessions = [31, 29].map((daysAgo, n) => {
      const jobs = new Map([[asJobId('j'), job({ seen_at: seen(daysAgo) })]]);
      return archived(`s${n}`, { commit: n + 1, daysAgo: 2 }, { jobs });
    });
    expect(select(sessions, { olderThanMs: 30 * DAY })).toMatchObject({
      chosen: ['s0 may go'],
      kept: ['s1'],
    });
  });

  it(
    'the selection counts the age from a change that was seen later than what the ids tell',
    fault('F-124'),
    () => {
      const sessions = [29, 31].map((daysAgo, n) => ({
        ...archived(`s${n}`, { commit: n + 1, jobDaysAgo: 400 }),
        changeSeenMs: NOW - daysAgo * DAY,
      }));
      expect(select(sessions, { olderThanMs: 30 * DAY })).toMatchObject({
        chosen: ['s1 may go'],
        kept: ['s0'],
      });
      const { kept } = selectSessions(sessions, pruneRules({ olderThanMs: 30 * DAY }), NOW);
      expect(kept[0]?.why).toMatch(
        /^its newest job is from \S+ \(told by its id\), and a change of its history was seen on \S+, which is too recent$/,
      );
    },
  );

  it.each([
    [0, []],
    [1, ['s2']],
    [3, ['s0', 's1', 's2']],
    [9, ['s0', 's1', 's2']],
  ])('the selection keeps the %i most recently changed', (keep, kept) => {
    const sessions = [1, 2, 3].map((commit) => archived(`s${commit - 1}`, { commit }));
    expect(select(sessions, { keep }).kept).toEqual(kept);
  });

  it('the selection keeps those of one run whose newest jobs are the newest', fault('F-54'), () => {
    const sessions = [
      archived('a', { commit: 3, run: 1, jobDaysAgo: 90 }),
      archived('b', { commit: 1, run: 1, jobDaysAgo: 5 }),
      archived('c', { commit: 2, run: 1, jobDaysAgo: 6 }),
      archived('d', { commit: 2, run: 1, jobDaysAgo: 400 }),
    ];
    expect(select(sessions, { keep: 2 })).toMatchObject({
      chosen: ['d may go', 'a may go'],
      kept: ['c', 'b'],
    });
  });

  it('the selection keeps all whose order is unknown, and says so', fault('F-54'), () => {
    const sessions = [
      archived('old', { commit: 1 }),
      archived('a', { commit: 2 }),
      archived('b', { commit: 3, run: 2 }),
    ];
    const { chosen, kept } = selectSessions(sessions, pruneRules({ keep: 1 }), NOW);
    expect(chosen.map(({ archived: { session } }) => session)).toEqual(['old']);
    const why =
      "perhaps among the user's 1 newest: which of them are newer cannot be told, so all of them stay";
    expect(kept.map((session) => session.why)).toEqual([why, why]);
  });

  it('the selection keeps both where the ids and the runs contradict each other', () => {
    const sessions = [
      archived('asked lately', { commit: 1, jobDaysAgo: 1 }),
      archived('changed lately', { commit: 2, jobDaysAgo: 90 }),
    ];
    expect(select(sessions, { keep: 1 }).kept).toEqual(['changed lately', 'asked lately']);
    expect(select(sessions, { keep: 2 }).kept).toHaveLength(2);
    const aMoment = [
      archived('asked a moment later', { commit: 1, jobDaysAgo: 90 }),
      archived('changed five runs later', { commit: 6, jobDaysAgo: 90 + 3 / DAY }),
    ];
    expect(select(aMoment, { keep: 1 }).kept).toHaveLength(2);
  });

  it('the selection goes by the newest job’s id where there is one, and says by what', () => {
    const sessions = [
      archived('young', { commit: 1, daysAgo: 90, jobDaysAgo: 2 }),
      archived('old', { commit: 2, daysAgo: 2, jobDaysAgo: 90 }),
      archived('unknown', { commit: 3, daysAgo: 2 }),
    ];
    const { chosen, kept } = selectSessions(sessions, pruneRules({ olderThanMs: 30 * DAY }), NOW);
    expect(chosen.map(({ archived: { session } }) => session)).toEqual(['old']);
    expect(kept.map((session) => session.why)).toEqual([
      'its newest job is from 2026-11-19 (told by its id), which is too recent',
      'its last change was first seen on 2026-11-19, which is too recent',
    ]);
  });

  it('the selection goes by the runs if the ids of one of the two have no timestamp', () => {
    const silent = archived('silent', { commit: 1, daysAgo: 0 });
    const dated = archived('dated', { commit: 2, jobDaysAgo: 90 });
    expect(select([silent, dated], { keep: 1 })).toMatchObject({
      chosen: ['silent may go'],
      kept: ['dated'],
    });
    const later = archived('silent', { commit: 3, daysAgo: 200 });
    expect(select([later, dated], { keep: 1 })).toMatchObject({
      chosen: ['dated may go'],
      kept: ['silent'],
    });
  });

  it('the selection says of what it certainly keeps that it is among the newest', () => {
    const sessions = [archived('a', { commit: 1 }), archived('b', { commit: 2 })];
    const { kept } = selectSessions(sessions, pruneRules({ keep: 1 }), NOW);
    expect(kept.map((session) => session.why)).toEqual(["among the user's 1 newest"]);
  });

  it('the selection ignores what is deleted or gone, which frees no place among the newest', () => {
    const sessions = [
      archived('deleted', { commit: 8 }, { deleted: true }),
      archived('gone', { commit: 9 }, { goneAt: '2026-11-01T00:00:00.000Z' }),
      archived('old', { commit: 1 }),
      archived('new', { commit: 2 }),
    ];
    expect(select(sessions, { keep: 1 })).toEqual({
      chosen: ['old may go'],
      kept: ['new'],
      live: 2,
    });
  });

  it.each([
    ['incomplete', { complete: false }],
    ['incomplete', { archived: 2 }],
    ['unsettled', { jobs: new Map([[asJobId('j'), job({ settled: false })]]) }],
    ['gap', { jobs: new Map([[asJobId('j'), job({ gaps: 1 })]]) }],
    ['suspicious', { jobs: new Map([[asJobId('j'), job({ suspicious: 1 })]]) }],
    [
      'gap',
      {
        gaps: [
          {
            ...NO_JOB,
            status: 'failed',
            reason: 'r',
          },
        ],
      },
    ],
  ] as const)('the selection refuses what is %s', fault('F-35'), (reason, over) => {
    expect(select([archived('s', { commit: 1 }, over)]).chosen).toEqual([`s ${reason}`]);
  });

  it.each([
    [{ daysAgo: 0.999 }, 'unsettled'],
    [{ daysAgo: 1 }, 'may go'],
    // the clock of the run that archived it was behind
    [{ daysAgo: 30, createdDaysAgo: 0.999 }, 'unsettled'],
    [{ daysAgo: 30, createdDaysAgo: 1 }, 'may go'],
  ])(
    'the selection refuses what came without a job less than a day ago: %j',
    fault('F-92'),
    (times, outcome) => {
      const none = { jobs: new Map(), archived: 0, total: 0 };
      const { createdDaysAgo: days } = { createdDaysAgo: undefined, ...times };
      const empty = archived('s', { commit: 1, ...times }, none);
      const activity = { atMs: NOW - (days ?? 0) * DAY, from: 'session-id' } as const;
      const session = days === undefined ? empty : { ...empty, activity };
      expect(select([session]).chosen).toEqual([`s ${outcome}`]);
      expect(select([session], { trustThisClock: true }).chosen).toEqual([`s ${outcome}`]);
    },
  );

  it('a rule selects sessions with suspicious files if accepted, else says how many there are', () => {
    const jobs = new Map([
      [asJobId('j'), job({ suspicious: 2 })],
      [asJobId('k'), job({ suspicious: 1 })],
    ]);
    const sessions = [archived('s', { commit: 1 }, { jobs, archived: 2 })];
    expect(select(sessions, { acceptSuspicious: true }).chosen).toEqual(['s may go']);
    const [choice] = selectSessions(sessions, pruneRules({}), NOW).chosen;
    expect(choice?.refusal?.detail).toContain('3 stored files may not be what the service meant');
  });

  it('the selection selects what a clock without a Date has seen only if it is trusted', () => {
    const sessions = [{ ...archived('s', { commit: 1 }), isClockConfirmed: false }];
    expect(select(sessions, { trustThisClock: true }).chosen).toEqual(['s may go']);
    const [choice] = selectSessions(sessions, pruneRules({}), NOW).chosen;
    expect(choice?.refusal).toEqual({
      reason: 'clock',
      detail:
        'some of it was seen, or settled, by a clock that no Date of the service confirmed: nothing of it is deleted, unless --trust-this-clock is given',
    });
  });

  it(
    'a rule refuses what is on hold, by session or by user, whatever else forbids it for now',
    fault('F-35'),
    () => {
      const sessions = [
        archived('a', { commit: 1 }),
        archived('b', { commit: 2 }, { complete: false }),
      ];
      const byUser = select(sessions, { holds: plainHolds(['ann']) });
      expect(byUser.chosen).toEqual(['a hold', 'b hold']);
      expect(select(sessions, { holds: plainHolds(['a', 'A']) }).chosen[0]).toBe('a hold');
    },
  );

  const gapOf = (of: 'j' | null, over: Partial<GapEntry> = {}): GapEntry => ({
    job: of === null ? null : asJobId(of),
    role: null,
    block_index: null,
    file_index: null,
    kind: 'image',
    status: 'not_fetched',
    reason: 'too large',
    ...over,
  });
  const withGap = new Map([[asJobId('j'), job({ gaps: 1 })]]);
  const twoUnsettled = new Map(
    ['j', 'k'].map((id) => [asJobId(id), job({ settled: false })] as const),
  );

  it.each<[Partial<SessionState>, string]>([
    [{ complete: false }, 'its history has not been read to the end'],
    [
      {
        complete: false,
        gaps: [gapOf('j'), gapOf(null, { reason: 'none of its jobs came back' })],
      },
      'none of its jobs came back',
    ],
    [{ jobs: twoUnsettled, archived: 2 }, '2 jobs may still change: not settled yet'],
    [{ jobs: withGap }, '1 gap in the archive'],
    [{ jobs: withGap, gaps: [gapOf('j')] }, '1 gap in the archive: not_fetched, too large'],
    [
      { gaps: [gapOf('j'), gapOf(null, { status: 'failed' })] },
      '2 gaps in the archive: not_fetched, too large',
    ],
    [
      { jobs: new Map(), archived: 0 },
      'its history was read as empty, and one answer may be wrong: it may go if it is still empty after 2026-11-22T00:00:00.000Z',
    ],
  ])('the selection says in words why it refuses: %j', (over, detail) => {
    const { chosen } = selectSessions([archived('s', { commit: 1 }, over)], pruneRules({}), NOW);
    expect(chosen[0]?.refusal?.detail).toBe(detail);
  });

  it.each<[string, readonly GapEntry[], string]>([
    ['that is accepted is no reason', [gapOf('j')], 'may go'],
    ['of another kind is one', [gapOf('j', { kind: 'table' })], 'gap'],
    ['of the session does not account for that of a job', [gapOf(null)], 'gap'],
  ])('a gap %s, where files of one kind may be missing', (_, gaps, outcome) => {
    const session = archived('s', { commit: 1 }, { jobs: withGap, gaps });
    const rules = { acceptUnfetched: new Set(['image']) };
    expect(select([session], rules).chosen).toEqual([`s ${outcome}`]);
  });

  it('the selection leaves out sessions of users who are not named, and counts them all the same', () => {
    const rules = { users: ['ben'] };
    expect(select([archived('a', { commit: 1 })], rules)).toEqual({
      chosen: [],
      kept: [],
      live: 1,
    });
  });

  it('the selection leaves out sessions that are not named, and counts them all the same', () => {
    const sessions = [archived('a', { commit: 1 }), archived('b', { commit: 2 })];
    expect(select(sessions, { sessions: ['b'] })).toEqual({
      chosen: ['b may go'],
      kept: [],
      live: 2,
    });
  });
});

it('the selection frees no slots where none are asked for', () => {
  expect(slotsToFree(pruneRules({}), 150)).toBeUndefined();
});

it.each([
  ['job-id', 'its newest job is from 2026-11-21 (told by its id)'],
  ['session-id', 'it has no job, and is from 2026-11-21 (told by its id)'],
  ['first-seen', 'its last change was first seen on 2026-11-21'],
] as const)('the selection says by what it knows the age: %s', (from, text) => {
  expect(activityText({ atMs: NOW, from })).toBe(text);
});

it.each([
  [3, 150, 3],
  [3, 148, 1],
  [3, 147, 0],
  [150, 149, 149],
  [3, 0, 0],
])(
  'to have %i slots free where %i are listed, the selection deletes %i',
  (freeSlots, listed, count) => {
    expect(slotsToFree(pruneRules({ freeSlots }), listed)).toBe(count);
  },
);

it('rules trust nothing that is not said', () => {
  expect(pruneRules({})).toMatchObject({
    all: false,
    allowUnknownHolds: false,
    acceptSuspicious: false,
    trustThisClock: false,
    acceptUnfetched: new Set(),
    maxDelete: 1000,
  });
});

it.each([
  [{}, false],
  [{ users: ['ann'], holds: plainHolds(['x']), maxDelete: 5 }, false],
  [{ all: true }, true],
  [{ keep: 0 }, true],
  [{ olderThanMs: 1 }, true],
  [{ freeSlots: 1 }, true],
  [{ sessions: ['a'] }, true],
])('the rules %j choose sessions: %s', (said, chooses) => {
  expect(choosesSessions(pruneRules(said))).toBe(chooses);
});
