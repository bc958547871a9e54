/** Requests whose names an erasure has taken: every output tells them apart by their ids, which every command takes. */
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { SearchRig } from '../../support/rigs/search-rig.js';

interface Listed {
  readonly requests: readonly { readonly id: string; readonly request: string }[];
}

let people: SearchRig;
let out: string;
let ids: readonly string[];
const why = ['--reason', 'Matter 9', '--by', 'Dana'];
beforeEach(async () => {
  people = await SearchRig.start();
  people.talk('ada', 'a-1', 'Ada', [{ question: 'of Falcon' }]);
  people.talk('ben', 'b-1', 'Ben', [{ question: 'Falcon again' }]);
  await people.rig.archived();
  ({ out } = people.rig);
  for (const name of ['Ada 1', 'Ada 2', 'R3']) {
    await cli(['request', 'new', out, name, '--user', 'ben', ...why]);
  }
  ids = (await cliJson<Listed>(['request', 'list', out])).requests.map(({ id }) => id);
  await cli(['erase', out, '--user', 'ada', '--reason', 'Art. 17', '--by', 'DPO', '--yes']);
});
afterEach(() => people[Symbol.asyncDispose]());

it('Each is listed with its id, which request show, search, evidence, hold and close take', async () => {
  const [first = '', second = ''] = ids;
  const names = [`[erased] ${first}`, `[erased] ${second}`, 'R3'];
  const { requests } = await cliJson<Listed>(['request', 'list', out]);
  expect(requests.map(({ request }) => request)).toEqual(names);
  const list = (await cli(['request', 'list', out])).stdout;
  for (const name of names) expect(list).toContain(name);
  const status = (await cli(['status', out])).stdout;
  for (const name of names)
    expect(status).toMatch(new RegExp(`open request +${name.replaceAll(/[[\]]/g, '\\$&')}`));
  for (const given of [second, `[erased] ${second}`]) {
    const shown = await cli(['request', 'show', out, given]);
    expect(shown.stdout).toContain(`Request [erased] ${second}: open\n`);
  }
  await cli(['search', out, 'falcon', '--request', second]);
  await cli(['hold', 'add', out, '--request', `[erased] ${second}`]);
  const pack = join(people.rig.directory, 'pack');
  expect((await cli(['evidence', out, '--request', second, '--out', pack])).exitCode).toBe(0);
  expect(await cliJson(['request', 'show', out, first])).toMatchObject({ searches: [], packs: [] });
  const about = { searches: [{}], packs: [{}], holds: [{}] };
  expect(await cliJson(['request', 'show', out, second])).toMatchObject(about);
  const closed = await cli(['request', 'close', out, second, ...why]);
  expect(closed.stdout).toContain(`request [erased] ${second}\n`);
  expect(closed.stdout).toContain(`hold release ${out} --request '[erased] ${second}'`);
  const ben = ['erase', out, '--user', 'ben', '--reason', 'x', '--dry-run'];
  await cli(['hold', 'release', out, '--request', second, '--yes', ...why]);
  expect(await cliJson(ben)).toMatchObject({ open_requests: [`[erased] ${first}`, 'R3'] });
});

it('[erased] alone names none of them: the error has the ids', async () => {
  const [first, second] = ids;
  for (const words of [
    ['request', 'show', out, '[erased]'],
    ['search', out, 'x', '--request', '[erased]'],
  ]) {
    expect(await cli(words)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(`give the id of one: ${first}, ${second}`) as string,
    });
  }
});

it('no other request may be called so', async () => {
  const run = await cli(['request', 'new', out, '[erased]', '--user', 'ben', ...why]);
  expect(run).toMatchObject({ exitCode: 2 });
  expect(run.stderr).toContain('that of a request whose name an erasure has taken');
});
