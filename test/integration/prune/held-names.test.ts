/** What a plan has named, the result names, too: also what is held, of which the service is not asked. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { cli } from '../../support/programs/cli-in-process.js';
import { SearchRig } from '../../support/rigs/search-rig.js';

let people: SearchRig;
beforeEach(async () => {
  people = await SearchRig.start();
  people.talk('ada', 'a-1', 'Sales', [{ question: 'the weather' }]);
  people.talk('ben', 'b-1', 'Rain', [{ question: 'Falcon again' }]);
  await people.rig.archived();
});
afterEach(() => people[Symbol.asyncDispose]());

it('a held conversation has its name in the result, as in the plan', async () => {
  const { out, emulator } = people.rig;
  await cli(['hold', 'add', out, '--user', 'ada', '--reason', 'Matter 9', '--by', 'Dana']);
  const service = ['--base-url', emulator.baseUrl, '--allow-private-network'];
  const { stdout, stderr } = await cli(['prune', out, '--all', '--yes', ...service]);
  const held = /user ada, session a-1 "Sales": kept by a hold/;
  expect(stderr).toMatch(held);
  expect(stdout).toMatch(held);
  expect(stdout).toMatch(/user ben, session b-1 "Rain": deleted/);
});
