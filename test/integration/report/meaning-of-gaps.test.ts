/** What a gap means is told in one sentence, by the list of gaps and by pages: of what is gone no export fills anything. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cli } from '../../support/programs/cli-in-process.js';
import { SearchRig } from '../../support/rigs/search-rig.js';

let people: SearchRig;
let out: string;

beforeAll(async () => {
  people = await SearchRig.start();
  const { rig } = people;
  for (const session of ['s-here', 's-gone']) {
    people.talk('ada', session, session, [{ table: 'lost.csv', csv: null }]);
  }
  people.talk('ada', 's-silent', 'Silent', []);
  rig.state.addJob('ada', 's-silent', {
    job_id: rig.state.newJobId(rig.twoDaysAgo()),
    question: { blocks: [{ type: 'MESSAGE', content: 'Is anybody there?' }] },
    answer: { blocks: [] },
  });
  people.talk('ada', 's-failed', 'Failed', []);
  const error = { type: 'ERROR', content: 'out of memory', stage: 'Analyze' };
  rig.state.addJob('ada', 's-failed', {
    job_id: rig.state.newJobId(rig.twoDaysAgo()),
    question: { blocks: [{ type: 'MESSAGE', content: 'Why?' }] },
    answer: { blocks: [error] },
  });
  await rig.export();
  rig.state.deleteSession('ada', 's-gone');
  await rig.export();
  out = join(rig.directory, 'pack');
  await cli(['evidence', rig.out, '--out', out, '--user', 'ada']);
});
afterAll(() => people[Symbol.asyncDispose]());

interface Gaps {
  readonly gaps: readonly { readonly session: string; readonly meaning: string }[];
}

it('the page says of a gap of a conversation that is gone that no export reads it again', async () => {
  const script = await readFile(join(out, 'data', 'data', 'gaps.js'), 'utf8');
  const { gaps } = JSON.parse(/\{.*\}/s.exec(script)?.[0] ?? '') as Gaps;
  expect(Object.fromEntries(gaps.map(({ session, meaning }) => [session, meaning]))).toEqual({
    's-here': 'the file host does not have the file; an export looks again',
    's-gone': 'its conversation is no longer at the service, and no export reads it again',
  });
});

it('the list of gaps proposes a command once', async () => {
  const { stdout } = await cli(['gap', 'list', people.rig.out]);
  const told = stdout.replace(/\s+/g, ' ');
  expect(told.match(/gap accept/g)).toHaveLength(1);
  expect(told).toContain('missing 2: the file host does not have the file; an export looks again');
});

it.each([
  ['s-silent', ''],
  ['s-failed', '; the record has 1 block of steps on the way to one, which may say why'],
])(
  'the transcript of %s says that there was no answer, and where the steps are',
  async (id, why) => {
    const index = await readFile(join(out, 'data', 'index.csv'), 'utf8');
    const [, path = ''] = new RegExp(`,data/(transcripts/[^,]*),ada,${id},`).exec(index) ?? [];
    expect(await readFile(join(out, 'data', path), 'utf8')).toContain(
      `\nANSWER\n(there was no answer when this was archived${why})\n`,
    );
  },
);
