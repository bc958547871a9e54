import { expect, it } from 'vitest';
import { doubtText } from '../../../../src/archive/reading/doubts.js';

it.each([
  ['nothing', {}, ''],
  [
    'one session',
    { sessions_with_gaps: 1, gap_sessions: ['a'] },
    '1 session that was searched has gaps (a)',
  ],
  [
    'sessions of which not all are named, and users',
    { sessions_with_gaps: 3, gap_sessions: ['a', 'b'], users_not_proven: 2 },
    '3 sessions that were searched have gaps (a, b and 1 more), 2 users are not proven complete',
  ],
  [
    'sessions that are named elsewhere',
    { sessions_with_gaps: 2 },
    '2 sessions that were searched have gaps',
  ],
  [
    'a session with accepted gaps alone',
    { sessions_with_gaps: 1, sessions_with_accepted_gaps: 1, gap_sessions: ['a'] },
    '1 session that was searched has gaps (a), all of them accepted',
  ],
  [
    'sessions of which some have accepted gaps alone',
    { sessions_with_gaps: 3, sessions_with_accepted_gaps: 2 },
    '3 sessions that were searched have gaps, those of 2 all accepted',
  ],
  ['one user', { users_not_proven: 1 }, '1 user is not proven complete'],
  [
    'users of whom not all are named',
    { users_not_proven: 3, unproven_users: ['ada', 'ben'] },
    '3 users are not proven complete (ada, ben and 1 more)',
  ],
])('The words for what is in doubt name its sessions and users: of %s', (_, doubts, text) => {
  const none = { sessions_with_gaps: 0, sessions_with_accepted_gaps: 0, users_not_proven: 0 };
  expect(doubtText({ ...none, ...doubts })).toBe(text);
});
