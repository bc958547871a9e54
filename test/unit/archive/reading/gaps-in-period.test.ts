/** Gaps of a session as a whole, in a period. */
import { expect, it } from 'vitest';
import { countDoubts } from '../../../../src/archive/reading/doubts.js';
import { parsedScope } from '../../../../src/archive/reading/scope.js';
import { draft, makeArchive, session } from '../../../support/store/archive-samples.js';
import { createMemoryStorage } from '../../../support/store/memory-storage.js';

/** A ULID of 2026-02-01. */
const MADE = '01KGB7ZK00000000000000000A';

it.each([
  ['a session without a known time', 's', '2025-01', '2025-02', 1],
  ['a session that was made later', MADE, '2025-01', '2025-02', 0],
  ['a session that was made before, whose history may go on', MADE, '2026-06', '2026-07', 1],
])('A history that was not read to its end is in doubt in a period: %s', async (...given) => {
  const [, id, from, to, sessions] = given;
  const archive = await makeArchive(createMemoryStorage());
  const unread = session('ann', id, { complete: false, archived: 0, total: 2 });
  await archive.log.append(draft({ sessions: [unread] }));
  const scope = parsedScope({ users: ['ann'], from, to });
  const { signal } = new AbortController();
  expect(await countDoubts(archive, scope, signal)).toMatchObject({ sessions_with_gaps: sessions });
});
