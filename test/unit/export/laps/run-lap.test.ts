/** Whom a run with a budget visits, in which order, and what it reads of each. */
import { describe, expect, it } from 'vitest';
import { placeOfUser, readLap, writeLap } from '../../../../src/archive/laps.js';
import { emptyState, type SessionState } from '../../../../src/archive/state/user-state.js';
import { silentLogger } from '../../../../src/base/logger.js';
import { RunLap, type LapLog, type LapScope } from '../../../../src/export/laps/run-lap.js';
import { asSessionId, asUserId, type UserId } from '../../../../src/model/ids.js';
import { RequestBudget } from '../../../../src/service/pace/request-budget.js';
import { FakeClock } from '../../../support/base/fake-clock.js';
import { createMemoryStorage } from '../../../support/store/memory-storage.js';

const NOW_MS = Date.UTC(2026, 10, 29);
const pace = {
  acquire: () => Promise.resolve(),
  hold: () => Promise.resolve(() => undefined),
  answered: () => undefined,
  slowDown: () => undefined,
};
const users = Array.from({ length: 10 }, (_, index) => asUserId(`user-${index}`));
const inOrder = users.toSorted((a, b) => placeOfUser(a) - placeOfUser(b));
const at = (index: number) => inOrder[index] ?? asUserId('');

type Kind = 'old' | 'new' | 'gap';

class Company {
  readonly storage = createMemoryStorage();
  readonly clock = new FakeClock(NOW_MS);
  /** Sessions of each user; 10 old ones by default. */
  readonly sessions = new Map<UserId, Record<string, Kind>>();
  /** When each user was listed last. */
  readonly listedAt = new Map<UserId, string>();

  constructor() {
    for (const [index, user] of users.entries()) {
      const ids = Array.from({ length: 10 }, (_, session) => [`${user}/${session}`, 'old']);
      this.sessions.set(user, Object.fromEntries(ids) as Record<string, Kind>);
      this.listedAt.set(user, `2026-11-0${index % 10}`);
    }
  }

  /** @returns each user who was visited, with the sessions that were read */
  async run(maxRequests: number, scope: LapScope = { name: 'all' }) {
    const requests = new RequestBudget(pace, { clock: this.clock, maxRequests });
    const lap = new RunLap({
      storage: this.storage,
      index: this.#log(),
      scope,
      budget: { requests, maxStalenessMs: 1 },
      rereadMs: 1,
      pageSize: 100,
      clock: this.clock,
      logger: silentLogger,
    });
    await lap.prepare(users);
    const visits = new Map<UserId, string[]>();
    for (const user of lap.inTurn(users)) {
      const visit = lap.begin(this.#stateOf(user));
      if (!visit) continue;
      await requests.acquire();
      const read: string[] = [];
      const listed = Object.keys(this.sessions.get(user) ?? {}).map((id) => ({ value: { id } }));
      for (const { value } of visit.inTurn(listed)) {
        await visit.take(value.id, async () => {
          await requests.acquire();
          read.push(value.id);
        });
      }
      visits.set(user, read);
      await lap.committed(user);
    }
    await lap.end();
    for (const user of visits.keys())
      this.listedAt.set(user, new Date(this.clock.now()).toISOString());
    await this.clock.advance(1000);
    return visits;
  }

  #stateOf(user: UserId) {
    const known = Object.entries(this.sessions.get(user) ?? {}).filter(
      ([, kind]) => kind !== 'new',
    );
    const sessions = known.map(([id, kind]) => {
      const rest = { gaps: [], jobs: new Map() } as unknown as SessionState;
      return [asSessionId(id), { ...rest, complete: kind === 'old' }] as const;
    });
    return { ...emptyState(user), sessions: new Map(sessions) };
  }

  #log(): LapLog {
    const listings = [...this.listedAt].map(([user, listed_at]) => {
      const listed = Object.keys(this.sessions.get(user) ?? {}).length;
      return [user, { since: 1, lastOfAll: { entry: { listed_at, listed } } }];
    });
    return {
      through: 1,
      lastErasure: 0,
      digestOf: () => null,
      refresh: () => Promise.resolve(),
      commit: () => ({ atMs: 0 }),
      acceptedGaps: { of: () => undefined },
      listings: () => Promise.resolve(new Map(listings as never)),
    } as unknown as LapLog;
  }
}

describe('a run with a budget', () => {
  it('that is enough for everything reads everything, from where the lap goes on', async () => {
    const company = new Company();
    const visits = await company.run(1000);
    expect([...visits.keys()]).toEqual(inOrder);
    expect([...visits.values()].every((read) => read.length === 10)).toBe(true);
    expect(await readLap(company.storage, 'all')).toMatchObject({ number: 2, place: 0 });
  });

  it('reads what is new of everybody, and all of as many as the rest is enough for', async () => {
    const company = new Company();
    Object.assign(company.sessions.get(at(9)) ?? {}, { fresh: 'new', 'with gaps': 'gap' });
    const visits = await company.run(10 + 2 + 35);
    expect(visits.size).toBe(10);
    expect(visits.get(at(9))).toEqual(['fresh', 'with gaps']);
    const counts = inOrder.map((user) => visits.get(user)?.length);
    expect(counts.slice(0, 4)).toEqual([10, 10, 10, 5]);
    expect(counts.slice(4, 9)).toEqual([0, 0, 0, 0, 0]);
    const lap = await readLap(company.storage, 'all');
    expect(lap?.place).toBeGreaterThan(placeOfUser(at(3)));
    expect(lap?.place).toBeLessThan(placeOfUser(at(4)));
    // the other half of the fourth comes first in the next run
    const next = await company.run(10 + 2 + 5);
    expect(next.get(at(3))).toHaveLength(5);
    expect(visits.get(at(3))).not.toEqual(expect.arrayContaining(next.get(at(3)) ?? []));
  });

  it('visits those outside the lap whose last list is the oldest, and whom nobody has listed before all', async () => {
    const company = new Company();
    company.listedAt.delete(at(7));
    const visits = [...(await company.run(25)).keys()];
    expect(visits[0]).toBe(at(7));
    const others = visits.slice(1).filter((user) => placeOfUser(user) > placeOfUser(at(1)));
    const byAge = others.toSorted((a, b) => users.indexOf(a) - users.indexOf(b));
    expect(others).toEqual(byAge);
  });

  it('that is less than the lists of all takes the lap on all the same, and lists everybody in turn', async () => {
    const company = new Company();
    const read = new Set<string>();
    const listed = new Set<UserId>();
    for (let run = 1; run <= 60; run++) {
      for (const [user, sessions] of await company.run(6)) {
        listed.add(user);
        for (const session of sessions) read.add(session);
      }
      if (run === 12) expect(listed.size).toBe(10);
    }
    expect(read.size).toBe(100);
  });

  it('that sessions with gaps could use up takes the lap on all the same', async () => {
    const company = new Company();
    for (const sessions of company.sessions.values()) {
      for (let gap = 0; gap < 10; gap++)
        sessions[`${String(gap)} of ${Object.keys(sessions)[0]}`] = 'gap';
    }
    const read = new Set<string>();
    for (let run = 1; run <= 60; run++) {
      for (const sessions of (await company.run(60)).values())
        for (const id of sessions) read.add(id);
    }
    expect(read.size).toBe(200);
  });

  it('of a queue reads the user with whom the lap goes on to the end, whatever the others take', async () => {
    const company = new Company();
    const place = placeOfUser(at(6));
    const lap = { number: 2, beganAtMs: 0, lastBeganAtMs: null, place };
    await writeLap(company.storage, 'queue', { ...lap, head: { number: 1, digest: null } });
    const visits = await company.run(16, { name: 'queue', nextBeganAtMs: NOW_MS });
    expect(visits.get(at(6))).toHaveLength(10);
    expect(await readLap(company.storage, 'queue')).toMatchObject(lap);
  });
});
