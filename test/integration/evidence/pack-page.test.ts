/** What the page of a pack says of the pack first: each sentence whole. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cli } from '../../support/programs/cli-in-process.js';
import { handOver } from '../../support/rigs/evidence-rig.js';
import { ExportRig } from '../../support/rigs/export-rig.js';
import { SearchRig } from '../../support/rigs/search-rig.js';
import type { EvidencePack } from '../../support/tables/evidence-pack.js';

const PROVES =
  'Whether anything in it was changed, a check of its files shows: README.txt says how, and what the pack proves and does not prove';
const WORDS = 'Each question says where the words of the search were found in it';
/** A job without a time in its id may always be new. */
const MAY_CHANGE =
  '1 ANSWER MAY NOT BE THE LAST ONE: when it was read last, it was new, or how old it was could not be told, so it may still have been changing. items.csv names it (status &quot;unsettled&quot;). A pack made after a later export can tell';
const TEXTS =
  'The same conversations are texts in the folder transcripts, and records as the service sent them in the folder records';
const WHOLE = 'Nothing that it is about is missing';
const LEFT_OUT = 'Left out: nothing tells whether this was asked within the period';

/** By heading, in the order of the page. */
async function notesOf(pack: EvidencePack): Promise<[string, string[]][]> {
  const page = await pack.text('data/index.html');
  const notes = page.matchAll(
    /<section class="card notes"><h2>([^<]*)<\/h2><ul>(.*?)<\/ul>(.*?)<\/section>/gs,
  );
  return [...notes].map(([, heading = '', lines = '', links = '']) => [
    heading,
    [
      ...[...lines.matchAll(/<li>(.*?)<\/li>/gs)].map(([, line = '']) => line),
      ...[...links.matchAll(/<a href="([^"]*)">/g)].map(([, link = '']) => link),
    ],
  ]);
}

describe('the page of a pack', () => {
  let people: SearchRig;
  const FILES = ['README.txt', 'index.csv', 'items.csv', 'gaps.csv', 'holds.csv'];

  beforeAll(async () => {
    people = await SearchRig.start();
    people.talk('ada', 's-ada', 'Talks', [
      { question: 'What of project Falcon?' },
      { question: 'And of the Falcon of 1999?', id: 'timeless' },
    ]);
    people.talk('bob', 's-bob', 'Lost', [{ question: 'Condor?', table: 'lost.csv', csv: null }]);
    await people.rig.export();
    const about = ['--user', 'ada', '--match', 'falcon', '--reason', 'Art. 15', '--by', 'Dana'];
    await cli(['request', 'new', people.rig.out, 'M 7', ...about]);
  });
  afterAll(() => people[Symbol.asyncDispose]());

  it.each<[string, string[], string[], string[]]>([
    ['of one person', ['--user', 'ada'], [WHOLE, MAY_CHANGE, PROVES, TEXTS], FILES],
    [
      'of a search for a request',
      ['--request', 'M 7', '--organization', 'Example & Sons'],
      [
        'Handed over by Example &amp; Sons',
        `Made for the request M 7 of ${new Date().toISOString().slice(0, 10)}, asked by Dana: Art. 15`,
        ...[WHOLE, MAY_CHANGE, PROVES, WORDS, TEXTS],
      ],
      [...FILES, 'search.json'],
    ],
    [
      'with a lost table',
      ['--user', 'bob'],
      ['It is not complete: 1 thing is missing or left out, named in gaps.csv', ...[PROVES, TEXTS]],
      FILES,
    ],
  ])(
    '%s says what it is, whether it is whole, and how to check it',
    async (_of, words, lines, files) => {
      const { pack } = await handOver(people.rig, ...words);
      expect(await notesOf(pack)).toEqual([['Evidence pack', [...lines, ...files]]]);
    },
  );

  it('names what was left out because nothing tells its day', async () => {
    const { pack } = await handOver(people.rig, '--match', 'falcon', '--from', '2026-02');
    expect(await notesOf(pack)).toEqual([
      [
        'Evidence pack',
        [
          'It is not complete: 1 thing is missing or left out, named in gaps.csv',
          ...[PROVES, WORDS, TEXTS, ...FILES, 'search.json'],
        ],
      ],
      [LEFT_OUT, ['Job timeless in session s-ada of ada']],
    ]);
  });

  it('claims no completeness that is not proven', async () => {
    await using rig = await ExportRig.start({ users: 1, sessions: 2, jobs: 1 });
    const [user = ''] = rig.state.userIds();
    const [session = ''] = rig.state.sessionIds(user);
    await rig.export({ users: [user], sessions: [session] });
    const { pack } = await handOver(rig);
    const [[, lines] = ['', []]] = await notesOf(pack);
    expect(lines[0]).toBe(
      'Nothing is known to be missing; that it is complete is not proven (README.txt says why)',
    );
  });
});
