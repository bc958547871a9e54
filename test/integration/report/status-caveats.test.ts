/** Whatever qualifies an archive stands in the text of its `status` once, from the list that every output renders, and in its JSON. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CAVEAT_KINDS, type Caveat } from '../../../src/archive/reading/caveats/caveat.js';
import { completenessOf, sentenceOf } from '../../../src/archive/reading/caveats/caveat-text.js';
import { COMPLETENESS_WORDS } from '../../../src/archive/reading/caveats/completeness.js';
import type { ArchiveStatus } from '../../../src/completeness/archive-status.js';
import { openArchive } from '../../../src/library/operations.js';
import { createOrOpenArchive } from '../../../src/archive/open-archive.js';
import { openStorage } from '../../../src/storage/open-storage.js';
import { cli } from '../../support/programs/cli-in-process.js';
import { CaveatsRig } from '../../support/rigs/caveats-rig.js';
import { SearchRig } from '../../support/rigs/search-rig.js';

/** What tells only a search, a period, a request, or whoever looks at files. */
const NOT_OF_STATUS = [
  ...['nothing_searched', 'lost_file', 'left_out', 'withheld', 'redacted', 'searched_gap'],
  ...['searched_doubt', 'table_not_searched', 'table_in_part', 'other_spelling', 'same_person'],
  ...['undated', 'period_open', 'other_hold', 'not_searched', 'erased_of_request'],
];

let rig: CaveatsRig;
let copy: string;

beforeAll(async () => {
  rig = await CaveatsRig.start();
  copy = await rig.copy();
}, 120_000);
afterAll(() => rig[Symbol.asyncDispose]());

const onOneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

async function createEmpty({ rig: { emulator } }: SearchRig, place: string): Promise<void> {
  await createOrOpenArchive(await openStorage(place), {
    baseUrl: emulator.baseUrl,
    project: null,
    formats: undefined,
  });
}

async function told(archive: string): Promise<{ text: string; caveats: readonly Caveat[] }> {
  const { stdout } = await cli(['status', archive]);
  const json = await cli(['status', archive, '--json']);
  // only the command knows the place of the archive
  const told = JSON.parse(json.stdout.replaceAll(archive, 'ARCHIVE')) as ArchiveStatus;
  return { text: onOneLine(stdout), caveats: told.caveats };
}

async function expectOnce(archive: string): Promise<readonly Caveat[]> {
  const { text, caveats } = await told(archive);
  await using opened = await openArchive(archive);
  // the library does not know how its caller names the archive
  const unplaced = JSON.stringify(caveats).replaceAll(archive, 'ARCHIVE');
  expect(JSON.parse(unplaced)).toEqual(JSON.parse(JSON.stringify(await opened.caveats())));
  for (const caveat of caveats) {
    const times = text.split(sentenceOf(caveat)).length - 1;
    expect([caveat.kind, times]).toEqual([caveat.kind, 1]);
    const headlines = text.split(caveat.headline).length - 1;
    expect([caveat.kind, headlines]).toEqual([caveat.kind, 1]);
  }
  expect(text.startsWith(`${archive}: ${COMPLETENESS_WORDS[completenessOf(caveats)]} `)).toBe(true);
  return caveats;
}

it('the text of status has each caveat of an archive with all kinds, and of its copy, once', async () => {
  const kinds = new Set<string>();
  for (const archive of [rig.out, copy]) {
    for (const { kind } of await expectOnce(archive)) kinds.add(kind);
  }
  // an archive that has anything does not say this
  const others = [...NOT_OF_STATUS, 'nothing_archived'];
  expect([...kinds].toSorted()).toEqual(
    CAVEAT_KINDS.filter((kind) => !others.includes(kind)).toSorted(),
  );
});

it('status says of two spellings that a question which only the other one has is in doubt', async () => {
  await using people = await SearchRig.start();
  const both = [
    { question: 'Which?', id: 'j-0' },
    { question: 'The falcon?', id: 'j-1' },
  ];
  people.talk('Jürgen', 's-shared', 'Shared', both);
  people.talk('ben', 's-ben', 'Another', [{ question: 'Who?' }]);
  await people.rig.archived();
  people.rig.state.deleteSession('Jürgen', 's-shared');
  people.talk('jürgen', 's-shared', 'Shared', both.slice(0, 1));
  await people.rig.export();
  const caveats = await expectOnce(people.rig.out);
  expect(caveats).toContainEqual(
    expect.objectContaining({
      kind: 'listed_twice',
      severity: 'doubt',
      headline:
        '1 conversation is listed under two spellings of a user, and counts once; 1 question that only the other spelling has is not here',
      named: ['jürgen: 1 conversation also of Jürgen'],
    }),
  );
  const empty = join(people.rig.directory, 'empty');
  await createEmpty(people, empty);
  const several = onOneLine((await cli(['status', people.rig.out, empty])).stdout);
  expect(several).toContain('not proven complete: 1 conversation is listed under two spellings');
  expect(several).not.toContain('two users list');
});

it('status says of an archive in which nothing is saved yet how to fill it', async () => {
  await using people = await SearchRig.start();
  const { out } = people.rig;
  await createEmpty(people, out);
  expect((await expectOnce(out)).map(({ kind }) => kind)).toEqual(['nothing_archived']);
});

it('a hold in force that binds nothing in the archive is told beside those that do', async () => {
  await using people = await SearchRig.start();
  people.talk('ada', 's-1', 'Costs', [{ question: 'How much?' }]);
  await people.rig.archived();
  const { out } = people.rig;
  const add = (user: string, reason: string) =>
    cli([
      'hold',
      'add',
      out,
      '--user',
      user,
      '--reason',
      reason,
      '--by',
      'Dana',
      '--allow-unknown-holds',
    ]);
  await add('ada', 'Audit');
  await add('somebody-else', 'Audit');
  const { text } = await told(out);
  expect(text).toContain('1 hold binds what is here');
  expect(text).toContain(
    `on hold 1 hold in force binds nothing that is here; jobvault hold list ${out} names it`,
  );
});

it('an export says of two spellings what only the one has that does not count', async () => {
  await using people = await SearchRig.start();
  const jobs = (own: string) => ['j-0', own].map((id) => ({ question: 'Which?', id }));
  people.talk('Jürgen', 's-shared', 'Shared', jobs('j-1'));
  people.talk('jürgen', 's-shared', 'Shared', jobs('j-2'));
  const { out, emulator } = people.rig;
  const users = ['--user', 'Jürgen', '--user', 'jürgen'];
  const place = ['--out', out, '--base-url', emulator.baseUrl, '--allow-private-network'];
  const { stdout } = await cli(['export', ...users, ...place]);
  expect(stdout).toMatch(
    /listed twice +1 conversation of Jürgen and jürgen: two spellings of one user; 1 question that only the other spelling has is not counted\n/,
  );
  const caveats = await expectOnce(out);
  expect(caveats).toContainEqual(
    expect.objectContaining({ kind: 'listed_twice', severity: 'doubt', count: 1 }),
  );
});
