/** What the page of a pack says of the pack first: each sentence whole. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { handOver } from '../../support/rigs/evidence-rig.js';
import { ExportRig } from '../../support/rigs/export-rig.js';
import { SearchRig } from '../../support/rigs/search-rig.js';
import type { EvidencePack } from '../../support/tables/evidence-pack.js';

const WORDS =
  'Each question says where the words of the search were found in it; they are marked there, except where it says that they are not in what is shown';
const MAY_CHANGE =
  '1 answer may not be the last one: when it was read last, nothing showed yet that it had stopped changing. Nothing tells when it was asked. items.csv names it (status &quot;unsettled&quot;). A pack made after a later export can tell';
const TEXTS =
  'The same conversations are texts in the folder transcripts, and records as the service sent them in the folder records';
const WHOLE = 'Nothing that it is about is missing, as it was when it was read last';
const FOUND = 'Nothing of what the search found is missing, as it was when it was read last';
const SEARCHED =
  'The search did not look at what is in images and in linked files, titles of steps on the way to an answer, ids, data of other parts such as tasks: what stands only there was not found';
const LEFT_OUT = 'Left out: nothing tells whether this was asked within the period';

/** By heading, in the order of the page, without how it is checked. */
async function notesOf(pack: EvidencePack): Promise<[string, string[]][]> {
  return (await allNotesOf(pack)).filter(([heading]) => heading !== 'How to check it');
}

async function allNotesOf(pack: EvidencePack): Promise<[string, string[]][]> {
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
  const FILES = ['README.txt', 'summary.csv', 'index.csv', 'items.csv', 'gaps.csv', 'holds.csv'];

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
    ['of one person', ['--user', 'ada'], [WHOLE, MAY_CHANGE, TEXTS], FILES],
    [
      'of a search for a request',
      ['--request', 'M 7', '--organization', 'Example & Sons'],
      [
        'Handed over by Example &amp; Sons',
        `Made for the request M 7 of ${new Date().toISOString().slice(0, 10)}, asked by Dana: Art. 15`,
        ...[FOUND, SEARCHED, MAY_CHANGE, WORDS, TEXTS],
      ],
      [...FILES, 'tables-not-searched.csv', 'search.json'],
    ],
    [
      'with a lost table',
      ['--user', 'bob'],
      ['It is not complete: 1 gap, named in gaps.csv', ...[TEXTS]],
      FILES,
    ],
  ])('%s says what it is and whether it is whole', async (_of, words, lines, files) => {
    const { pack } = await handOver(people.rig, ...words);
    expect(await notesOf(pack)).toEqual([['Evidence pack', [...lines, ...files]]]);
  });

  it('the page of a pack says in README.txt, too, what may change, in lines that every viewer shows whole', async () => {
    const { pack } = await handOver(people.rig, '--user', 'ada');
    const readme = await pack.text('data/README.txt');
    expect(readme).toContain(`
1 ANSWER MAY NOT BE THE LAST ONE: when it was read last, nothing showed yet that it had
stopped changing. Nothing tells when it was asked. items.csv names it (status
"unsettled"). A pack made after a later export can tell.
`);
  });

  it('the page of a pack names what was left out because nothing tells its day', async () => {
    const { pack } = await handOver(people.rig, '--match', 'falcon', '--from', '2026-02');
    expect(await notesOf(pack)).toEqual([
      [
        'Evidence pack',
        [
          'It is not complete: 1 job left out, named in gaps.csv',
          ...[SEARCHED, WORDS, TEXTS, ...FILES, 'tables-not-searched.csv', 'search.json'],
        ],
      ],
      [LEFT_OUT, ['ada, “Talks”, at an unknown time: job timeless in session s-ada']],
    ]);
  });

  it('the page of a pack names what was taken in though nothing tells its day', async () => {
    const period = ['--user', 'ada', '--from', '2026-02', '--undated', 'include'];
    const made = await handOver(people.rig, '--match', 'falcon', ...period);
    expect(made.exitCode).toBe(0);
    const [, ...others] = await notesOf(made.pack);
    const named = ['ada, “Talks”, at an unknown time: job timeless in session s-ada'];
    expect(others).toEqual([
      ['Taken in: nothing tells whether this was asked within the period', named],
    ]);
    const ofPeriod = await handOver(people.rig, ...period);
    const [about, ...ofBoth] = await notesOf(ofPeriod.pack);
    expect(ofBoth).toEqual(others);
    expect(about?.[1]).toEqual([...[WHOLE, MAY_CHANGE, TEXTS], ...[...FILES, 'search.json']]);
    const readme = await ofPeriod.pack.text('data/README.txt');
    expect(readme).not.toMatch(/A word is found|why each question|these words/);
    expect(await made.pack.text('data/README.txt')).toMatch(/A word is found/);
  });

  it('the page of a pack says of what was left out whose conversation it was, and what is known of its time', async () => {
    await using bounded = await SearchRig.start();
    bounded.talk('ada', 's-1', 'Falcon & Co', [
      { question: 'one' },
      { question: 'The falcon?', id: 'between' },
      { question: 'two' },
      { question: 'Which falcon?', id: 'after' },
    ]);
    bounded.talk('ada', 's-2', '', [
      { question: 'A falcon?', id: 'before' },
      { question: 'three' },
      { question: 'four' },
    ]);
    await bounded.rig.export();
    const { pack } = await handOver(bounded.rig, '--match', 'falcon', '--to', '2026-01-10');
    expect((await notesOf(pack)).at(-1)).toEqual([
      LEFT_OUT,
      [
        'ada, (no name), asked before 2026-01-12 12:00 UTC: job before in session s-2',
        'ada, “Falcon &amp; Co”, asked between 2026-01-10 12:00 UTC and 2026-01-11 12:00 UTC: job between in session s-1',
      ],
    ]);
    expect(await pack.page('gaps')).toMatchObject([
      {
        job_id: 'before',
        session_name: '',
        created_after: '',
        created_before: '2026-01-12T12:00:00.000000Z',
      },
      {
        job_id: 'between',
        session_name: 'Falcon & Co',
        created_at: '',
        created_after: '2026-01-10T12:00:00.000000Z',
        created_before: '2026-01-11T12:00:00.000000Z',
      },
    ]);
  });

  it('the page of a pack names in its list of gaps the conversation, and when the job was asked', async () => {
    const { pack } = await handOver(people.rig, '--user', 'bob');
    expect(await pack.page('gaps')).toMatchObject([
      {
        session_id: 's-bob',
        session_name: 'Lost',
        kind: 'TABLE',
        created_at: '2026-01-11T12:00:00.000000Z',
        created_after: '2026-01-11T12:00:00.000000Z',
        created_before: '2026-01-11T12:00:00.000000Z',
      },
    ]);
  });

  it('the page of a pack counts tables and images as the report, its README and the commands do: each file once', async () => {
    await using shared = await SearchRig.start();
    const { state } = shared.rig;
    const [, , changed = ''] = shared.talk('ada', 's-1', 'Tables', [
      { question: 'one', table: 'a.csv' },
      { question: 'two', table: 'b.csv' },
      { question: 'three', table: 'c.csv', csv: 'x\n1\n' },
      { question: 'four', table: 'lost.csv', csv: null },
    ]);
    await shared.rig.export();
    state.changeJob('ada', 's-1', changed, (record) => ({ ...record, answer: { blocks: [] } }));
    await shared.rig.export({ full: true });
    const { pack, summary } = await handOver(shared.rig);
    const out = join(shared.rig.directory, 'report');
    const words = ['report', shared.rig.out, '--out', out];
    const report = await cliJson<{ artifacts: number }>(words, 3);
    const tile = '<dt>Tables and images</dt><dd><b>2</b> <span>each once; 1 not stored</span>';
    expect([summary().artifacts, report.artifacts]).toEqual([2, 2]);
    expect(await pack.text('data/README.txt')).toContain('  tables, images  2  (each once)\n');
    expect(await pack.text('data/index.html')).toContain(tile);
    expect(await readFile(join(out, 'index.html'), 'utf8')).toContain(tile);
  });

  it('the page of a pack claims no completeness that is not proven', async () => {
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

  it('the page of a pack tells a hold also of a person of whom nothing is in it', async () => {
    const { out } = people.rig;
    const asked = ['--by', 'Dana', '--reason', 'Art. 15'];
    const users = ['--user', 'ada', '--user', 'bob'];
    await cli(['request', 'new', out, 'M 8', ...users, '--match', 'falcon', ...asked]);
    expect((await cli(['hold', 'add', out, '--request', 'M 8'])).exitCode).toBe(0);
    const { pack } = await handOver(people.rig, '--request', 'M 8');
    const today = new Date().toISOString().slice(0, 10);
    expect((await notesOf(pack)).find(([heading]) => heading === 'Holds')).toEqual([
      'Holds',
      ['ada', 'bob'].map(
        (user) => `User ${user} is on hold since ${today}: Art. 15 (asked by Dana)`,
      ),
    ]);
    const readme = await pack.text('data/README.txt');
    expect(readme).toContain('\n  jobs found      2\n\n');
    await cli(['hold', 'release', out, '--request', 'M 8', '--reason', 'done']);
  });
});
