import { describe, expect, it } from 'vitest';
import { SessionOwners } from '../../../../src/archive/histories/session-owners.js';

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

  it('counts nothing where a user is listed again, or nobody shares a session', () => {
    const owners = new SessionOwners();
    owners.add('ana', ['s1']);
    owners.add('ana', ['s1']);
    owners.add('ben', ['s2']);
    expect(owners.shared()).toEqual([]);
  });
});
