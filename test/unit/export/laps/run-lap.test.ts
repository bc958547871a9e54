/** Whom a run with a budget visits, in which order, and what it reads of each. */
import { describe, expect, it } from 'vitest';
import { placeOfUser, readLap, writeLap } from '../../../../src/archive/laps.js';
import { emptyState, type SessionState } from '../../../../src/archive/state/user-state.js';
import type { UserListing } from '../../../../src/archive/log/newest-listings.js';
import { silentLogger } from '../../../../src/base/logger.js';
import { RunLap, type LapLog, type LapScope } from '../../../../src/export/laps/run-lap.js';
import { asSessionId, asUserId, type UserId } from '../../../../src/model/ids.js';
import { RequestBudget } from '../../../../src/service/pace/request-budget.js';
import { FakeClock } from '../../../support/base/fake-clock.js';
import { createMemoryStorage } from '../../../support/store/memory-storage.js';

const DAY_MS = 86_400_000;
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
  /** The commit that lists each user last, and when that was. */
  readonly listed = new Map<UserId, { readonly commit: number; readonly atMs: number }>();
  #commits = 100;
  /** Sessions whose histories were read whole. */
  readonly whole: string[] = [];

  constructor() {
    for (const [index, user] of users.entries()) {
      const ids = Array.from({ length: 10 }, (_, session) => [`${user}/${session}`, 'old']);
      this.sessions.set(user, Object.fromEntries(ids) as Record<string, Kind>);
      this.listed.set(user, { commit: index + 1, atMs: NOW_MS - 1 });
    }
  }

  /** @returns each user who was visited, with the sessions that were read */
  async run(maxRequests: number, scope: LapScope = { name: 'all' }, members = users) {
    const requests = new RequestBudget(pace, { clock: this.clock, maxRequests });
    const lap = new RunLap({
      storage: this.storage,
      index: this.#log(),
      scope,
      budget: { requests, maxStalenessMs: 1 },
      rereadMs: 30 * DAY_MS,
      pageSize: 100,
      clock: this.clock,
      logger: silentLogger,
    });
    await lap.prepare(members);
    const visits = new Map<UserId, string[]>();
    for (const user of lap.inTurn(members)) {
      const visit = lap.begin(this.#stateOf(user), this.#lastOf(user));
      if (!visit) continue;
      await requests.acquire();
      const read: string[] = [];
      const listed = Object.keys(this.sessions.get(user) ?? {}).map((id) => ({ value: { id } }));
      for (const { value } of visit.inTurn(listed)) {
        await visit.take(value.id, async () => {
          await requests.acquire();
          if (visit.isWhole(value.id)) this.whole.push(value.id);
          read.push(value.id);
        });
      }
      visits.set(user, read);
      await lap.committed(user);
    }
    await lap.end();
    this.#commits++;
    for (const user of visits.keys()) {
      this.listed.set(user, { commit: this.#commits, atMs: this.clock.now() });
    }
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

  #lastOf(user: UserId): UserListing | undefined {
    const { commit = 0, atMs } = this.listed.get(user) ?? {};
    if (atMs === undefined) return undefined;
    const listed = Object.keys(this.sessions.get(user) ?? {}).length;
    const entry = { listed, listed_at: new Date(atMs).toISOString(), error: null };
    return { commit, entry } as UserListing;
  }

  #log(): LapLog {
    const listings = [...this.listed.keys()].map((user) => {
      const last = this.#lastOf(user);
      return [user, { since: 1, last, lastOfAll: last }];
    });
    return {
      through: 1,
      lastErasure: 0,
      digestOf: () => null,
      refresh: () => Promise.resolve(),
      commit: () => ({ atMs: 0 }),
      acceptedGaps: { find: () => undefined },
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

  it('visits those outside the lap whose last list is the oldest, and the never listed first', async () => {
    const company = new Company();
    company.listed.delete(at(7));
    const visits = [...(await company.run(25)).keys()];
    expect(visits[0]).toBe(at(7));
    const others = visits.slice(1).filter((user) => placeOfUser(user) > placeOfUser(at(1)));
    const byAge = others.toSorted((a, b) => users.indexOf(a) - users.indexOf(b));
    expect(others).toEqual(byAge);
  });

  it('takes the lap on even if smaller than all lists, and lists everybody in turn', async () => {
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

  it('takes the lap on also where everything has changed lately or has gaps', async () => {
    const company = new Company();
    for (const sessions of company.sessions.values()) {
      for (const id of Object.keys(sessions)) sessions[id] = 'gap';
    }
    const places: number[] = [];
    for (let run = 1; run <= 80; run++) {
      await company.run(30);
      const lap = await readLap(company.storage, 'all');
      places.push((lap?.number ?? 0) * 2 ** 53 + (lap?.place ?? 0));
    }
    expect(places.every((place, run) => run < 2 || place > (places[run - 2] ?? 0))).toBe(true);
    expect((await readLap(company.storage, 'all'))?.number).toBeGreaterThan(1);
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

describe('every history is read whole once in --reread', () => {
  async function days(company: Company, each: (day: number) => Promise<unknown>, periods = 1) {
    for (let day = 0; day < 30 * periods + 3; day++) {
      await each(day);
      await company.clock.advance(DAY_MS / 2);
    }
    const ids = [...company.sessions.values()].flatMap((sessions) => Object.keys(sessions));
    const counts = ids.map((id) => company.whole.filter((whole) => whole === id).length);
    expect(Math.min(...counts)).toBeGreaterThanOrEqual(1);
    expect(company.whole.length).toBeLessThanOrEqual(ids.length * periods * 1.25);
  }

  it('by runs over everybody', () => {
    const company = new Company();
    return days(company, async () => {
      await company.run(1000);
      await company.clock.advance(DAY_MS / 2);
    });
  });

  it('where two lists of users take turns', () => {
    const company = new Company();
    return days(company, async () => {
      await company.run(1000, { name: 'all' }, users.slice(0, 5));
      await company.clock.advance(DAY_MS / 2);
      await company.run(1000, { name: 'all' }, users.slice(5));
    });
  });

  it('or, where the number of shards changes, once in twice that time', () => {
    const company = new Company();
    const night = async (day: number) => {
      const count = day < 11 ? 1 : day < 22 ? 2 : 3;
      for (let shard = 0; shard < count; shard++) {
        const members = users.filter((_, index) => index % count === shard);
        await company.run(1000, { name: `${shard + 1}-of-${count}` }, members);
      }
      await company.clock.advance(DAY_MS / 2);
    };
    return days(company, night, 2);
  });

  it('where a small run comes between the large ones', () => {
    const company = new Company();
    return days(company, async () => {
      await company.run(1000);
      await company.clock.advance(DAY_MS / 4);
      await company.run(25);
      await company.clock.advance(DAY_MS / 4);
    });
  });
});

it('a run does not take back how far another has come meanwhile', async () => {
  const company = new Company();
  const head = { number: 1, digest: null };
  const ahead = { number: 2, beganAtMs: NOW_MS, lastBeganAtMs: 0, place: placeOfUser(at(4)), head };
  const { storage } = company;
  const get = storage.get.bind(storage);
  let reads = 0;
  storage.get = async (...asked) => {
    // behind the first look at the lap, before the run saves
    if (asked[0] === '_laps/all.json' && ++reads === 2) await writeLap(storage, 'all', ahead);
    return get(...asked);
  };
  await company.run(15);
  expect(await readLap(company.storage, 'all')).toMatchObject({ number: 2, place: ahead.place });
});
