import { expect, it } from 'vitest';
import { doubtText } from '../../../../src/archive/reading/doubts.js';

it.each([
  ['nothing', {}, ''],
  [
    'one session',
    { sessions_with_gaps: 1, gap_sessions: ['a'] },
    '1 session of the scope has gaps (a)',
  ],
  [
    'sessions of which not all are named, and users',
    { sessions_with_gaps: 3, gap_sessions: ['a', 'b'], users_not_proven: 2 },
    '3 sessions of the scope have gaps (a, b and 1 more), 2 users are not proven complete',
  ],
  [
    'sessions that are named elsewhere',
    { sessions_with_gaps: 2 },
    '2 sessions of the scope have gaps',
  ],
  ['one user', { users_not_proven: 1 }, '1 user is not proven complete'],
  [
    'users of whom not all are named',
    { users_not_proven: 3, unproven_users: ['ada', 'ben'] },
    '3 users are not proven complete (ada, ben and 1 more)',
  ],
])('The words for what is in doubt name its sessions and users: of %s', (_, doubts, text) => {
  expect(doubtText({ sessions_with_gaps: 0, users_not_proven: 0, ...doubts })).toBe(text);
});
