/** Holds are set and released by commits, and bind from then on. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { Archive } from '../../../../src/archive/archive.js';
import {
  addHolds,
  releaseHolds,
  type HoldChoices,
  type ReleaseChoices,
} from '../../../../src/archive/holds/change-holds.js';
import { closeRequest, newRequest } from '../../../../src/archive/notes/change-requests.js';
import { ErasureUnfinishedError } from '../../../../src/archive/archive-errors.js';
import { holdsByName } from '../../../../src/archive/holds/held-sessions.js';
import { Holds, holdsOn } from '../../../../src/archive/holds/holds.js';
import { UsageError } from '../../../../src/base/error.js';
import { reopened as reopenedWith } from '../../../support/store/archive-samples.js';
import { archiveOfThree, BegunErasure } from '../../../support/store/begun-erasure.js';

let archive: Archive;
const asked = { reason: 'Matter 7', by: 'Dana' };
let seed = 2;
/** Two that drew the same nonce would take each other's commits for their own. */
const reopened = (of: Archive): Archive => reopenedWith(of, of.storage, seed++);

beforeEach(async () => {
  ({ archive } = await archiveOfThree());
});

const add = (choices: Partial<HoldChoices>) =>
  addHolds(reopened(archive), { ...asked, ...choices });
const release = (choices: Partial<ReleaseChoices>) =>
  releaseHolds(reopened(archive), { ...asked, ...choices });

/** As anybody reads it who opens the archive. */
async function logged() {
  const fresh = reopened(archive);
  await fresh.index.refresh();
  return fresh.index.holds;
}

async function reasonFor(user: string, session: string): Promise<string | undefined> {
  const fresh = reopened(archive);
  await fresh.index.refresh();
  return Holds.inLog(fresh).reasonFor(user, session);
}

const usage = (message: string) => new UsageError(message);

describe('change holds', () => {
  it('a hold that is set binds a user or a session, once for each, and says who asked and why', async () => {
    const set = await add({ users: ['ann', 'ann'], sessions: ['b1', 'b1'] });
    expect(set).toEqual(await logged());
    const rest = { ...asked, commit: 4, release: null };
    expect(set).toMatchObject([
      { user: 'ann', session: null, ...rest },
      { user: null, session: 'b1', ...rest },
    ]);
    expect(new Set(set.map(({ id }) => id)).size).toBe(2);
    expect(await reasonFor('ann', 'a2')).toBe('its user is on hold');
    expect(await reasonFor('ben', 'b1')).toBe('the session is on hold');
    expect(await reasonFor('cyd', 'c1')).toBeUndefined();
    expect((await archive.log.read(4)).kind).toBe('hold');
  });

  it('a hold that is set is returned without those that were set before', async () => {
    await add({ users: ['ann'] });
    expect(await add({ users: ['ben'] })).toMatchObject([{ user: 'ben' }]);
    expect(await logged()).toHaveLength(2);
  });

  it('a hold is set once for the same reason, again for another, and again after its release', async () => {
    const [first] = await add({ users: ['ann'] });
    expect(await add({ users: ['ann'] })).toEqual([first]);
    expect(await logged()).toEqual([first]);
    await archive.index.refresh();
    expect(archive.index.through).toBe(first?.commit);
    const both = await add({ users: ['ben', 'ann'] });
    expect(both).toMatchObject([{ id: first?.id }, { user: 'ben' }]);
    expect(await add({ users: ['ann'], reason: 'Matter 8' })).toMatchObject([
      { user: 'ann', reason: 'Matter 8' },
    ]);
    await release({ users: ['ben'] });
    const [again, ...rest] = await add({ users: ['ben'] });
    expect([again?.user, again?.release, rest]).toEqual(['ben', null, []]);
    expect(await logged()).toHaveLength(4);
  });

  it('a hold that is set names what the archive has, unless it may be unknown', async () => {
    const where = archive.storage.location;
    const rest = `matches no user and no session of ${where}; correct it, or pass --allow-unknown-holds`;
    await expect(add({ users: ['ann', 'eve'] })).rejects.toThrow(usage(`user "eve" ${rest}`));
    await expect(add({ sessions: ['z'] })).rejects.toThrow(usage(`session "z" ${rest}`));
    // an id of a session is no user's, and the other way round
    await expect(add({ users: ['a1'] })).rejects.toThrow(usage(`user "a1" ${rest}`));
    await expect(add({ sessions: ['ann'] })).rejects.toThrow(usage(`session "ann" ${rest}`));
    expect(await logged()).toEqual([]);
    const set = await add({ users: ['eve'], sessions: ['z'], allowUnknown: true });
    expect(set).toMatchObject([{ user: 'eve' }, { session: 'z' }]);
  });

  it('a hold that is set is refused while an erasure is open, which may erase what is named', async () => {
    await new BegunErasure(reopened(archive)).begin();
    await expect(add({ users: ['cyd'] })).rejects.toThrow(ErasureUnfinishedError);
    expect(await logged()).toEqual([]);
  });

  /** Between reading the log and committing. */
  async function overtakenBy(
    other: () => Promise<unknown>,
    choices: Partial<HoldChoices> = { users: ['ann'] },
  ) {
    const late = reopened(archive);
    const bases: number[] = [];
    const append = late.log.append.bind(late.log);
    late.log.append = async (draft) => {
      bases.push(draft.base);
      if (bases.length === 1) await other();
      return append(draft);
    };
    const set = await addHolds(late, { ...asked, ...choices });
    return { bases, set };
  }

  it('a hold that is set is refused where an erasure gets its receipt first', async () => {
    const erasing = new BegunErasure(reopened(archive));
    await expect(overtakenBy(() => erasing.begin())).rejects.toThrow(ErasureUnfinishedError);
    expect(await logged()).toEqual([]);
  });

  it('a hold that is set is set once where two set it at the same time', async () => {
    const { bases, set } = await overtakenBy(() => add({ users: ['ann'] }));
    expect(bases).toHaveLength(1); // the second time there is nothing to set
    expect(set).toEqual(await logged());
    expect(set).toHaveLength(1);
    expect(await release({ users: ['ann'] })).toHaveLength(1);
  });

  it('a hold that is set is set anew where it was in force, and is released while another is set', async () => {
    await add({ users: ['ann'] });
    const { bases } = await overtakenBy(() => release({ users: ['ann'] }), {
      users: ['ann', 'ben'],
    });
    expect(bases).toHaveLength(2);
    const binding = (await logged()).filter(({ release: ended }) => ended === null);
    expect(binding.map(({ user }) => user)).toEqual(['ann', 'ben']);
  });

  describe('change holds', () => {
    const about = { reason: 'Matter 9', by: 'Eli' };
    const request = 'Matter B';
    const named = (name: string, users: string[]) =>
      newRequest(reopened(archive), { name, users, ...about });

    it('a hold for a request binds whom it is about, and takes its reason and person', async () => {
      await named(request, ['ann', 'ben']);
      const of = { request: (await named('Another', ['cyd'])).id };
      const set = await addHolds(reopened(archive), { request });
      expect(set).toMatchObject([
        { user: 'ann', session: null, ...about },
        { user: 'ben', session: null, ...about },
      ]);
      expect(set.some((hold) => hold.request === of.request)).toBe(false);
      await archive.index.refresh();
      expect(Holds.inLog(archive).entries.map(({ source }) => source)).toEqual(
        ['ann', 'ben'].map(
          () =>
            'the hold of 2026-11-05 that Eli asked for ("Matter 9", for request "Matter B", which is open)',
        ),
      );
      await closeRequest(reopened(archive), { name: request, ...about });
      await archive.index.refresh();
      expect(Holds.inLog(archive).entries[0]?.source).toContain('which is closed');
    });

    it('a hold that is set for a request binds only those who are named beside it', async () => {
      await named(request, ['ann', 'ben']);
      const set = await add({ request, users: ['ben'] });
      expect(set.map(({ user, session }) => [user, session])).toEqual([['ben', null]]);
      expect(await add({ request, sessions: ['c1'] })).toMatchObject([{ session: 'c1' }]);
      expect(await add({ request, users: ['cyd'], sessions: ['a1'] })).toHaveLength(2);
    });

    it('a hold that is set for a request that is about everybody needs somebody to be named', async () => {
      await named(request, []);
      await expect(add({ request })).rejects.toThrow(
        usage(
          'request "Matter B" is about everybody, so it does not say who is held; give a user or a session',
        ),
      );
      expect(await logged()).toEqual([]);
    });

    it('a hold for a request is refused where that is closed first, not where another is', async () => {
      await named(request, ['ann']);
      await named('Another', ['ann']);
      const close = (name: string) => () => closeRequest(reopened(archive), { name, ...about });
      const { bases, set } = await overtakenBy(close('Another'), { request });
      expect([bases.length, set.length]).toEqual([1, 1]);
      await expect(overtakenBy(close(request), { request, users: ['ben'] })).rejects.toThrow(
        UsageError,
      );
      expect((await logged()).map(({ user }) => user)).toEqual(['ann']);
    });
  });

  it('a hold that is set is committed after any other commit without being planned again', async () => {
    const { bases, set } = await overtakenBy(() => add({ users: ['ben'] }));
    expect(bases).toEqual([3]);
    expect(set).toMatchObject([{ user: 'ann', commit: 5 }]);
    expect(await logged()).toMatchObject([{ user: 'ben' }, { user: 'ann' }]);
  });
});

it.each<[string, Partial<ReleaseChoices>, string]>([
  ['an id', { users: ['ann', ' '] }, 'an id is empty'],
  ['an id of a session', { sessions: ['\t'] }, 'an id is empty'],
  ['a reason', { users: ['ann'], reason: ' ' }, 'a hold needs a reason, and it is empty'],
  [
    'a person',
    { users: ['ann'], by: ' ' },
    'a hold needs the name of the person who asked for it, and it is empty',
  ],
])('what is asked for without %s is refused', async (_, choices, message) => {
  await expect(add(choices)).rejects.toThrow(usage(message));
  await expect(release(choices)).rejects.toThrow(usage(message));
  expect(await logged()).toEqual([]);
});

it('what is asked for without a subject is refused', async () => {
  await expect(add({})).rejects.toThrow(
    usage('nothing is named to be held; give a user or a session'),
  );
  await expect(release({})).rejects.toThrow(
    usage('nothing is named to be released; give a user, a session, a request or the id of a hold'),
  );
});

it('a release ends the hold of that user, and no other', async () => {
  await add({ users: ['ann', 'ben'], sessions: ['c1'] });
  const released = await release({ users: ['ann'], reason: 'closed', by: 'Eli' });
  const end = {
    reason: 'closed',
    by: 'Eli',
    commit: 5,
    at: (await archive.log.read(5)).created_at,
  };
  expect(released).toMatchObject([{ user: 'ann', reason: 'Matter 7', release: end }]);
  expect((await logged()).map(({ release: ended }) => ended)).toEqual([end, null, null]);
  expect(await reasonFor('ann', 'a1')).toBeUndefined();
  expect(await reasonFor('ben', 'b1')).toBe('its user is on hold');
  expect(await release({ sessions: ['c1'] })).toMatchObject([{ session: 'c1' }]);
  expect(await reasonFor('cyd', 'c1')).toBeUndefined();
});

it('a release takes an id with space around it, but no other spelling of a user', async () => {
  await add({ users: ['ann'] });
  await expect(release({ users: ['ANN'] })).rejects.toThrow(
    usage(
      `user "ANN" is not on hold in ${archive.storage.location}; it is as "ann": a hold is released as it was set`,
    ),
  );
  expect(await release({ users: [' ann'] })).toHaveLength(1);
});

it('a release of what is not on hold is refused, also where it was', async () => {
  await add({ users: ['ann'], sessions: ['b1'] });
  await release({ users: ['ann'] });
  const next = `is not on hold in ${archive.storage.location}; jobvault hold list shows all holds`;
  await expect(release({ users: ['ann'] })).rejects.toThrow(usage(`user "ann" ${next}`));
  await expect(release({ users: ['b1'] })).rejects.toThrow(usage(`user "b1" ${next}`));
  await expect(release({ sessions: ['ann'] })).rejects.toThrow(usage(`session "ann" ${next}`));
  await expect(release({ sessions: ['c1'] })).rejects.toThrow(usage(`session "c1" ${next}`));
  expect(await reasonFor('ben', 'b1')).toBe('the session is on hold');
});

it('a release of a user and a session together is refused: it could mean one session only', async () => {
  await add({ users: ['ann'], sessions: ['a1'] });
  await expect(release({ users: ['ann'], sessions: ['a1'] })).rejects.toThrow(
    'a user and a session are named together, and these are two holds; release them one by one',
  );
  expect(await reasonFor('ann', 'a1')).toBe('the session is on hold');
});

it('a release of several holds on the same user is refused, unless all are meant', async () => {
  await add({ users: ['ann'] });
  await add({ users: ['ann'], reason: 'Matter 8', by: 'Eli' });
  const [first = '', second = ''] = (await logged()).map(({ id }) => id.slice(-8));
  await expect(release({ users: ['ann'] })).rejects.toThrow(
    usage(
      `user "ann" has 2 holds; give one of them instead: --hold ${first} ("Matter 7", asked by Dana), --hold ${second} ("Matter 8", asked by Eli). --all-holds releases all of them, also those for other matters: then nothing here is kept for these any more`,
    ),
  );
  expect(await release({ users: ['ann'], all: true })).toHaveLength(2);
  expect(await reasonFor('ann', 'a1')).toBeUndefined();
});

it('a release of one of several holds on the same user takes the id of the hold, or its end', async () => {
  await add({ users: ['ann'] });
  await add({ users: ['ann'], reason: 'Matter 8' });
  const [{ id: first } = { id: '' }, { id: second } = { id: '' }] = await logged();
  expect(await release({ holds: [first.slice(-8)] })).toMatchObject([{ reason: 'Matter 7' }]);
  expect(await reasonFor('ann', 'a1')).toBe('its user is on hold');
  expect(await release({ holds: [second, second] })).toMatchObject([{ id: second }]);
  expect(await reasonFor('ann', 'a1')).toBeUndefined();
  const day = (await archive.log.read(6)).created_at.slice(0, 10);
  await expect(release({ holds: [first] })).rejects.toThrow(
    usage(`hold "${first}" was released on ${day} by Dana`),
  );
  const where = archive.storage.location;
  for (const unknown of ['0'.repeat(26), second.slice(-7)]) {
    await expect(release({ holds: [unknown] })).rejects.toThrow(
      usage(`${where} has no hold "${unknown}"; jobvault hold list shows the ids`),
    );
  }
  for (const beside of [{ users: ['ann'] }, { sessions: ['a1'] }, { request: 'Matter B' }]) {
    await expect(release({ holds: [first], ...beside })).rejects.toThrow(
      usage(
        'holds are named by their ids, and a user, a session or a request beside them; give the ids alone',
      ),
    );
  }
});

it('a release of a request ends its holds and no others, also after the request was closed', async () => {
  const about = { reason: 'asked', by: 'Eli' };
  for (const name of ['Matter B', 'Matter C']) {
    await newRequest(reopened(archive), { name, users: ['ann', 'ben'], ...about });
    await add({ request: name });
  }
  await closeRequest(reopened(archive), { name: 'Matter C', ...about });
  await archive.index.refresh();
  await expect(release({ users: ['ann'] })).rejects.toThrow(
    /\(for request "Matter B": "Matter 7", asked by Dana\), --hold \S{8} \(for request "Matter C": /,
  );
  const [ofC] = await release({ request: 'Matter C', users: ['ben'] });
  const { requests } = archive.index;
  expect(requests.find(({ id }) => id === ofC?.request)?.name).toBe('Matter C');
  await expect(release({ request: 'Matter C', users: ['ben'] })).rejects.toThrow(
    usage('user "ben" is not on hold for request "Matter C"; on hold for it: user "ann"'),
  );
  expect(await release({ request: 'Matter C' })).toMatchObject([{ user: 'ann' }]);
  expect(await reasonFor('ann', 'a1')).toBe('its user is on hold');
  expect((await logged()).filter((hold) => hold.release === null)).toHaveLength(2);
  await expect(release({ request: 'Matter C' })).rejects.toThrow(
    usage(
      `request "Matter C" has no hold in force in ${archive.storage.location}; jobvault hold list shows all holds`,
    ),
  );
});

it('a release that comes a second time changes nothing, and one of an unknown hold neither', async () => {
  const [set] = await add({ users: ['ann'] });
  await release({ users: ['ann'], reason: 'first' });
  const entry = { action: 'release' as const, reason: 'second', by: 'Eli' };
  const holds = [
    { ...entry, id: set?.id ?? '' },
    { ...entry, id: '0'.repeat(26) },
  ];
  const fresh = reopened(archive);
  await fresh.index.refresh();
  const { run, scope, tool } = await archive.log.read(5);
  await fresh.log.append({ kind: 'hold', base: 5, checkpoint: 2, run, scope, tool, holds });
  expect(await logged()).toMatchObject([{ release: { reason: 'first', commit: 5 } }]);
});

it('the holds of a user are those on the user in every spelling, and on the given sessions', async () => {
  await add({ users: ['Ann', 'ben'], sessions: ['a1', 'b1'], allowUnknown: true });
  await release({ sessions: ['a1'] });
  const of = (user: string, sessions: string[]) =>
    logged().then((all) =>
      holdsOn(holdsByName(all), user, sessions).map((one) => one.user ?? one.session),
    );
  expect(await of('ann', [' a1', 'a2'])).toEqual(['Ann', 'a1']);
  expect(await of('cyd', ['c1'])).toEqual([]);
  expect(await of('ben', [])).toEqual(['ben']);
});
