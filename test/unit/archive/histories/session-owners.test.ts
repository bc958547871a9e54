import { describe, expect, it } from 'vitest';
import { SessionOwners } from '../../../../src/archive/histories/shared-jobs.js';

describe('SessionOwners', () => {
  it('counts the sessions of each two users who list them', () => {
    const owners = new SessionOwners();
    owners.add('ana', ['s1', 's2', 's3']);
    owners.add('ben', ['s3', 's4']);
    owners.add(' Ana', ['s1', 's2', 's3']);
    expect(owners.shared()).toEqual([
      { users: [' Ana', 'ana'], sessions: 3, spellings: true },
      { users: ['ana', 'ben'], sessions: 1, spellings: false },
    ]);
  });

  it('names each two users in the order of their ids, whoever was listed first', () => {
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

  it('counts nothing where a user is listed again, or nobody shares a session', () => {
    const owners = new SessionOwners();
    owners.add('ana', ['s1']);
    owners.add('ana', ['s1']);
    owners.add('ben', ['s2']);
    expect(owners.shared()).toEqual([]);
  });
});
