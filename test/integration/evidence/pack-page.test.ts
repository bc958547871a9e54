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
const TEXTS =
  'The same conversations are texts in the folder transcripts, and records as the service sent them in the folder records';
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
    await people.rig.archived();
    const about = ['--user', 'ada', '--match', 'falcon', '--reason', 'Art. 15', '--by', 'Dana'];
    await cli(['request', 'new', people.rig.out, 'M 7', ...about]);
  });
  afterAll(() => people[Symbol.asyncDispose]());

  it.each<[string, string[], string[], string[]]>([
    ['of one person', ['--user', 'ada'], [TEXTS], FILES],
    [
      'of a search for a request',
      ['--request', 'M 7', '--organization', 'Example & Sons'],
      [
        'Handed over by Example &amp; Sons',
        `Made for the request M 7 of ${new Date().toISOString().slice(0, 10)}, asked by Dana: Art. 15`,
        ...[WORDS, TEXTS],
      ],
      [...FILES, 'tables-not-searched.csv', 'search.json'],
    ],
    ['with a lost table', ['--user', 'bob'], [TEXTS], FILES],
  ])('%s says what it is', async (_of, words, lines, files) => {
    const { pack } = await handOver(people.rig, ...words);
    expect(await notesOf(pack)).toEqual([['Evidence pack', [...lines, ...files]]]);
  });

  it('says of what was left out whose conversation it was, and what is known of its time', async () => {
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
    const page = await pack.text('data/index.html');
    for (const line of [
      'ada, session s-2, job before: asked before 2026-01-12 12:00 UTC',
      'ada, “Falcon &amp; Co” (session s-1, job between): asked between 2026-01-10 12:00 UTC and 2026-01-11 12:00 UTC',
    ]) {
      expect(page).toContain(`<li>${line}</li>`);
    }
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

  it('names in its list of gaps the conversation, and when the job was asked', async () => {
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

  it('counts tables and images as the report, its README and commands do: each file once', async () => {
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
    const tile =
      '<dt>Tables and images</dt><dd><b>2</b> <span>each once; 1 place in answers has none</span>';
    expect([summary().artifacts, report.artifacts]).toEqual([2, 2]);
    expect(await pack.text('data/README.txt')).toContain('  tables, images  2  (each once)\n');
    expect(await pack.text('data/index.html')).toContain(tile);
    expect(await readFile(join(out, 'index.html'), 'utf8')).toContain(tile);
  });

  it('claims no completeness that is not proven', async () => {
    await using rig = await ExportRig.start({ users: 1, sessions: 2, jobs: 1 });
    const [user = ''] = rig.state.userIds();
    const [session = ''] = rig.state.sessionIds(user);
    await rig.export({ users: [user], sessions: [session] });
    const { pack } = await handOver(rig);
    expect(await pack.text('data/index.html')).toContain(
      '<p id="standing" class="not-proven"><strong>Not proven complete: 1 user is not proven complete</strong></p>',
    );
  });

  it('tells a hold also of a person of whom nothing is in it', async () => {
    const { out } = people.rig;
    const asked = ['--by', 'Dana', '--reason', 'Art. 15'];
    const users = ['--user', 'ada', '--user', 'bob'];
    await cli(['request', 'new', out, 'M 8', ...users, '--match', 'falcon', ...asked]);
    expect((await cli(['hold', 'add', out, '--request', 'M 8'])).exitCode).toBe(0);
    const { pack } = await handOver(people.rig, '--request', 'M 8');
    const today = new Date().toISOString().slice(0, 10);
    const [, holds = []] = (await notesOf(pack)).find(([heading]) => heading === 'Holds') ?? [];
    // users are named in the order in which they came into the archive
    expect([...holds].sort()).toEqual(
      ['ada', 'bob'].map(
        (user) => `User ${user} is on hold since ${today}: Art. 15 (asked by Dana)`,
      ),
    );
    const readme = await pack.text('data/README.txt');
    expect(readme).toContain('\n  found           2\n\n');
    await cli(['hold', 'release', '--yes', out, '--request', 'M 8', '--reason', 'done']);
  });
});
