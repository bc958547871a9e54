/** A pack says of answers that they may still change where the report and the status of its archive say so, and nowhere else. */
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Caveat } from '../../../src/archive/reading/caveats/caveat.js';
import { cliJson } from '../../support/programs/cli-in-process.js';
import { SearchRig } from '../../support/rigs/search-rig.js';
import { EvidencePack } from '../../support/tables/evidence-pack.js';

let people: SearchRig;
beforeEach(async () => {
  people = await SearchRig.start();
});
afterEach(() => people[Symbol.asyncDispose]());

it('an answer may still change in items.csv and transcripts where the service still has it', async () => {
  const { rig } = people;
  const now = () => rig.state.newJobId(Date.now());
  people.talk('ana', 'stays', 'Stays', [{ question: 'old' }, { question: 'open', id: now() }]);
  people.talk('ana', 'goes', 'Goes', [{ question: 'left open', id: now() }]);
  await rig.export();
  rig.state.deleteSession('ana', 'goes');
  await rig.export();
  expect(await cliJson(['status', rig.out])).toMatchObject({
    jobs: { total: 3, settled: 1 },
    caveats: expect.arrayContaining([expect.objectContaining({ kind: 'unsettled', count: 1 })]),
  });
  const out = join(rig.directory, 'pack');
  const { caveats } = await cliJson<{ caveats: Caveat[] }>(['evidence', rig.out, '--out', out]);
  expect(caveats.find(({ kind }) => kind === 'unsettled')?.count).toBe(1);
  const pack = new EvidencePack(out);
  const items = (await pack.page('items')).filter(({ item }) => item === 'job');
  const statuses = items.map(({ session_id: session, status }) => [session, status]);
  expect(statuses.toSorted()).toEqual([
    ['goes', 'not_settled'],
    ['stays', 'may_still_change'],
    ['stays', 'settled'],
  ]);
  const transcripts = (await pack.files()).filter((path) => path.startsWith('data/transcripts/'));
  const texts = await Promise.all(transcripts.map((path) => pack.text(path)));
  const told = (text: string) => [
    text.split('its answer may still come or change\n').length - 1,
    text.split('nothing showed that its answer was final before').length - 1,
  ];
  expect(texts.map(told).toSorted()).toEqual([
    [0, 1],
    [1, 0],
  ]);
});
