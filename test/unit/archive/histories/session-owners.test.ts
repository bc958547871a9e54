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

it('SessionOwners tells of pairs in the order of both ids', () => {
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
});

it('SessionOwners counts nothing where a user is listed again, or nobody shares a session', () => {
  const owners = new SessionOwners();
  owners.add('ana', ['s1']);
  owners.add('ana', ['s1']);
  owners.add('ben', ['s2']);
  expect(owners.shared()).toEqual([]);
});
