/** What a product knows of its sessions before any row is read. */
import { expect, it } from 'vitest';
import { Making } from '../../../src/making/making.js';
import { Survey } from '../../../src/making/survey.js';
import { draft, makeArchive, session, userEntry } from '../../support/store/archive-samples.js';
import { createMemoryStorage } from '../../support/store/memory-storage.js';

/** Of the session that a commit of this tool has archived. */
async function printAfter(tool: string): Promise<string | undefined> {
  const archive = await makeArchive(createMemoryStorage());
  const sessions = [session('ann', 'a')];
  await archive.log.append(draft({ sessions, users: [userEntry('ann')], tool }));
  const { users } = await Survey.of(await Making.of({ archive }, 'report'));
  return users.get('ann')?.sessions[0]?.print;
}

it('a session is to be written anew where another commit has the number of its own', async () => {
  const print = await printAfter('jobvault 1');
  expect(print).toMatch(/^[0-9a-f]{64}$/);
  expect(await printAfter('jobvault 1')).toBe(print);
  expect(await printAfter('jobvault 2')).not.toBe(print);
});
