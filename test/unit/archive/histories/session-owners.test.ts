import { expect, it } from 'vitest';
import { SessionOwners } from '../../../../src/archive/histories/session-owners.js';

it('SessionOwners counts the sessions of each two users who list them', () => {
  const owners = new SessionOwners();
  owners.add('ana', ['s1', 's2', 's3']);
  owners.add('ben', ['s3', 's4']);
  owners.add(' Ana', ['s1', 's2', 's3']);
  expect(owners.shared()).toEqual([
    { users: [' Ana', 'ana'], sessions: 3, spellings: true },
    { users: ['ana', 'ben'], sessions: 1, spellings: false },
  ]);
});

it('SessionOwners names each two users in the order of their ids, whoever was listed first', () => {
  const owners = new SessionOwners();
  owners.add('cyd', ['s1', 's2']);
  owners.add('ben', ['s1']);
  owners.add('ana', ['s2', 's1']);
  owners.add('BEN', ['s3']);
  owners.add('ben', ['s3', 's2']);
  expect(owners.shared()).toEqual([
    { users: ['BEN', 'ben'], sessions: 1, spellings: true },
    { users: ['ana', 'cyd'], sessions: 2, spellings: false },
    { users: ['ben', 'cyd'], sessions: 2, spellings: false },
  ]);
});

it('SessionOwners tells of pairs in the order of both ids, and keeps none to compare that nobody asks for', () => {
  const owners = new SessionOwners();
  for (const [user, id] of [
    ['ab', 's1'],
    ['c', 's1'],
    ['a', 's2'],
    ['bc', 's2'],
    ['d', 's3'],
    ['e', 's3'],
  ] as const) {
    owners.add(user, [id]);
  }
  expect(owners.shared().map(({ users }) => users.join())).toEqual(['a,bc', 'ab,c', 'd,e']);
  expect(owners.twice).toEqual([]);
});

it('SessionOwners keeps those to compare that are asked for of one of the two users, whoever was listed first', () => {
  const owners = new SessionOwners();
  owners.add('ana', ['s1', 's2', 's3'], (session) => session === 's1');
  owners.add('ben', ['s1', 's2', 's3'], (session) => session === 's2');
  owners.add('cyd', ['s1', 's4'], (session) => session === 's4');
  owners.add('ana', ['s1'], () => true);
  expect(owners.twice).toEqual([
    { session: 's1', users: ['ana', 'ben'] },
    { session: 's2', users: ['ana', 'ben'] },
    { session: 's1', users: ['ana', 'cyd'] },
  ]);
  expect(owners.dropped).toBe(0);
});

it('SessionOwners compares what another run has archived with sessions that were added to be compared, and counts nothing', () => {
  const owners = new SessionOwners();
  owners.add('ana', ['s1', 's2']);
  expect(owners.hasToCompare).toBe(false);
  owners.add('ben', ['s2', 's3'], () => true);
  expect(owners.hasToCompare).toBe(true);
  const counted = owners.shared();
  for (const session of ['s1', 's2', 's3', 's4']) owners.compareWith({ user: 'cyd', session });
  owners.compareWith({ user: 'ben', session: 's3' });
  expect(owners.twice).toEqual([
    { session: 's2', users: ['ana', 'ben'] },
    { session: 's2', users: ['ben', 'cyd'] },
    { session: 's3', users: ['ben', 'cyd'] },
  ]);
  expect(owners.shared()).toEqual(counted);
});

it('SessionOwners counts nothing where a user is listed again, or nobody shares a session', () => {
  const owners = new SessionOwners();
  owners.add('ana', ['s1']);
  owners.add('ana', ['s1']);
  owners.add('ben', ['s2']);
  expect(owners.shared()).toEqual([]);
});
