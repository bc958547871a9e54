/** A copy of a part that has nothing of a user does not say that the user was never seen, whom its archive has. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ArchiveStatus } from '../../../src/index.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { SearchRig } from '../../support/rigs/search-rig.js';

let people: SearchRig;
beforeEach(async () => {
  people = await SearchRig.start();
  people.talk('ana', 'a-1', 'One', [{ question: 'the falcon' }]);
  for (const id of ['b-1', 'b-2', 'b-3']) people.talk('ben', id, id, [{ question: 'the weather' }]);
  await people.rig.export();
});
afterEach(() => people[Symbol.asyncDispose]());

it.each([
  ['whose conversations a budget has left unread', { maxRequests: 3 }],
  ['who was read whole', {}],
])('of a user %s', async (_, options) => {
  await people.rig.export({ users: ['ben'], ...options });
  const { out, directory } = people.rig;
  const [key, copy] = [join(directory, 'key'), join(directory, 'copy')];
  await writeFile(key, 'k'.repeat(40));
  const about = ['--user', 'ana', '--user', 'ben', '--match', 'falcon'];
  await cli(['request', 'new', out, 'Falcons', ...about, '--reason', 'r', '--by', 'Dana']);
  const made = ['copy', out, copy, '--pseudonymise', key, '--request', 'Falcons', '--by', 'Dana'];
  expect((await cli(made)).exitCode).toBe(0);
  const status = await cliJson<ArchiveStatus>(['status', copy]);
  expect(status).toMatchObject({ users: { total: 2, people: 1, never_seen: 0 }, never_seen: [] });
});
