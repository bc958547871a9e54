/** An erasure of one person takes the words of an open request about another one: its plan warns, and every output says so after it. */
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { SearchRig } from '../../support/rigs/search-rig.js';

let people: SearchRig;
let out: string;
beforeEach(async () => {
  people = await SearchRig.start();
  people.talk('ada', 'a-1', 'Ada', [{ question: 'of Falcon' }]);
  people.talk('ben', 'b-1', 'Ben', [{ question: 'Falcon again' }]);
  await people.rig.archived();
  ({ out } = people.rig);
});
afterEach(() => people[Symbol.asyncDispose]());

const why = ['--reason', 'Matter 9', '--by', 'Dana'];
const request = (name: string, ...words: string[]) =>
  cli(['request', 'new', out, name, ...words, ...why]);

it('warns in the plan, and says after it that nothing can be made for the request any more', async () => {
  await request('R2', '--user', 'ada', '--user', 'ben', '--match', 'falcon');
  await request('R3', '--user', 'ada', '--user', 'ben');
  await request('R4', '--user', 'ada');
  await request('R5', '--user', 'ben', '--match', 'Ada OR Canada');
  await request('R6', '--user', 'ben', '--match', 'Canada');
  await cli(['hold', 'add', out, '--user', 'ben', ...why]);
  const erase = ['erase', out, '--user', 'ada', '--reason', 'Art. 17'];
  const plan = await cli([...erase, '--dry-run']);
  expect(plan.stdout).toMatch(
    /open request +“R3” is about them, too: what is erased will not be in what is made for it\n/,
  );
  expect(plan.stdout).toMatch(
    /open request +once this is erased, nothing can be made for “R2”, “R4”, “R5” any more: their words, or whom they are about, go with what is erased\n/,
  );
  expect(await cliJson([...erase, '--dry-run'])).toMatchObject({
    open_requests: ['R2', 'R3', 'R4'],
    requests_lost: ['R2', 'R4', 'R5'],
  });
  const done = await cli([...erase, '--yes']);
  expect(done.stdout).toContain('nothing can be made for “R2”, “R4”, “R5” any more');
  const nothing =
    'nothing can be made for it any more: its words went with somebody who was erased';
  expect((await cli(['search', out, '--request', 'R2'])).stderr).toContain('went with somebody');
  expect((await cli(['status', out])).stdout).toMatch(
    new RegExp(`open request +R2, asked by Dana .*; ${nothing}\n`),
  );
  expect((await cli(['request', 'show', out, 'R2'])).stdout).toContain(nothing);
  expect((await cli(['request', 'list', out])).stdout).toContain('nothing can be made');
  expect(await cliJson(['request', 'list', out])).toMatchObject({
    requests: [
      { lost: 'words' },
      { lost: null },
      { lost: 'whom' },
      { lost: 'words' },
      { lost: null },
    ],
  });
  expect(await cliJson(['status', out])).toMatchObject({
    open_requests: [
      { lost: 'words' },
      { lost: null },
      { lost: 'whom' },
      { lost: 'words' },
      { lost: null },
    ],
  });
});

it('lists, in plan and result, what was written of decisions among the texts that stay', async () => {
  await request('R2', '--user', 'ada');
  const decide = ['request', 'decide', out, 'R2', 'withhold', '--session', 'a-1'];
  await cli([...decide, '--reason', 'about Mrs Lovelace herself', '--by', 'Mr Byron']);
  const erase = ['erase', out, '--request', 'R2'];
  const left = '    request: “R2”, “Dana”, “Matter 9”, “about Mrs Lovelace herself”, “Mr Byron”';
  expect((await cli([...erase, '--dry-run'])).stdout.split('\n')).toContain(left);
  expect((await cli([...erase, '--yes'])).stdout.split('\n')).toContain(left);
});

it('names what was made for the request before, which has what is erased', async () => {
  await request('R2', '--user', 'ada');
  const erase = ['erase', out, '--request', 'R2'];
  expect((await cli([...erase, '--dry-run'])).stdout).not.toContain('made before');
  await cli(['evidence', out, '--request', 'R2', '--out', join(people.rig.directory, 'pack')]);
  const made = /^ {2}made before +1 pack for this request: not changed; request show names each$/m;
  expect((await cli([...erase, '--dry-run'])).stdout).toMatch(made);
  expect((await cli([...erase, '--yes'])).stdout).toMatch(made);
});

it('the end of a request says whether what it is about was erased for another one', async () => {
  await request('R2', '--user', 'ada');
  await request('R3', '--user', 'ben', '--match', 'Ada');
  await cli(['erase', out, '--user', 'ada', '--reason', 'Art. 17', '--yes']);
  const close = async (name: string) => (await cli(['request', 'close', out, name, ...why])).stdout;
  const ofWhom = await close('R2');
  expect(ofWhom).toContain('everything that it is about was erased all the same');
  expect(ofWhom).not.toContain('Nothing was erased');
  // its words are gone, and who it is about is still there
  expect(await close('R3')).toContain('Nothing was erased for it');
});
