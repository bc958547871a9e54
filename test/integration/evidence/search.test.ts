/** An evidence pack of what a search finds: it holds that and nothing else, and states what was searched. */
import { createPublicKey, verify } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canonicalJson, type Json } from '../../../src/base/text/canonical-json.js';
import { openArchive } from '../../../src/index.js';
import { bagProblems } from '../../support/tables/bag-validator.js';
import { EvidencePack } from '../../support/tables/evidence-pack.js';
import { handOver } from '../../support/rigs/evidence-rig.js';
import { SearchRig } from '../../support/rigs/search-rig.js';
import { ed25519Pair } from '../../support/base/signing-keys.js';

let people: SearchRig;
let ada: string[];

beforeAll(async () => {
  people = await SearchRig.start();
  ada = people.talk('ada', 's-sales', 'Sales <b>2026</b>', [
    { question: 'What of project Falcon?', table: 'falcon.csv' },
    { question: 'secret-of-ada, nothing else' },
    { id: 'without-time', question: 'Falcon again' },
  ]);
  people.talk('ada', 's-other', 'Other', [{ question: 'the weather' }]);
  people.talk('ben', 's-ben', 'Ben', [{ question: 'secret-of-ben' }]);
  await people.rig.export();
});
afterAll(() => people[Symbol.asyncDispose]());

describe('an evidence pack of a search', () => {
  it('holds the jobs that match, and nothing of the others', async () => {
    const { exitCode, stderr, summary, pack } = await handOver(people.rig, '--match', 'falcon');
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(summary()).toMatchObject({ users: 1, sessions: 1, jobs: 2, records: 2, artifacts: 1 });
    expect(summary().search).toEqual({
      match: 'falcon',
      from: null,
      to: null,
      commit: 1,
      searched: 5,
      matches: 2,
      time_unknown: 0,
      sessions_with_gaps: 0,
      users_not_proven: 0,
      signed_by: null,
    });
    expect(await bagProblems(pack.directory)).toEqual([]);
    for (const other of ['secret-of-ada', 'weather', 'ben', ada[1] ?? '?']) {
      expect(await pack.filesWith(other), other).toEqual([]);
    }
    const readme = await pack.text('data/README.txt');
    expect(readme).toContain('words           falcon');
    expect(readme).toContain('Every one of the 2 jobs is in this pack, and none of the others.');
  });

  it('says what a period could not judge', async () => {
    const words = ['--from', '2026-01-10', '--to', '2026-01-11', '--match', 'falcon'];
    const { summary, pack } = await handOver(people.rig, ...words, '--user', 'ada');
    expect(summary()).toMatchObject({
      jobs: 1,
      search: { searched: 2, matches: 1, time_unknown: 1 },
    });
    expect(await pack.filesWith('Falcon again')).toEqual([]);
    const settings = await pack.page('settings');
    expect(
      settings.filter(({ of }) => of === 'pack').map(({ setting, value }) => [setting, value]),
    ).toEqual([
      ['user', 'ada'],
      ['session', '(all)'],
      ['match', 'falcon'],
      ['from', '2026-01-10'],
      ['to', '2026-01-11'],
    ]);
  });

  it('says where the period was not over when the pack was made', async () => {
    const readmeOf = async (...period: string[]) =>
      (await handOver(people.rig, ...period)).pack.text('data/README.txt');
    expect(await readmeOf('--to', '9999')).toContain('THE PERIOD WAS NOT OVER');
    expect(await readmeOf('--to', '2026-01-11')).not.toContain('THE PERIOD WAS NOT OVER');
  });

  it('states with a signature that nothing was found', async () => {
    const { privateKey, publicKey } = ed25519Pair();
    const key = join(people.rig.directory, 'key.pem');
    await writeFile(key, privateKey, { mode: 0o600 });
    const { exitCode, summary, pack } = await handOver(
      people.rig,
      ...['--match', '"project condor"', '--signing-key', key],
    );
    expect(exitCode).toBe(0);
    expect(summary()).toMatchObject({
      users: 0,
      sessions: 0,
      jobs: 0,
      status: 'complete',
      search: { searched: 5, matches: 0 },
    });
    expect(await pack.text('data/README.txt')).toContain('No hits in 5 jobs.');
    const { signature, ...body } = await pack.json('data/search.json');
    expect(body).toMatchObject({ match: '"project condor"', searched: 5, matches: 0, commit: 1 });
    const bytes = Buffer.from(canonicalJson(body as Json));
    const isSigned = verify(
      null,
      bytes,
      createPublicKey(publicKey),
      Buffer.from(String(signature), 'base64'),
    );
    expect(isSigned).toBe(true);
    expect(await bagProblems(pack.directory)).toEqual([]);
  });

  it('names on its first page those whose jobs were searched, also without a hit', async () => {
    const words = ['--match', 'condor', '--user', 'ada'];
    const { pack } = await handOver(people.rig, ...words);
    expect(await pack.text('data/index.html')).toContain('0 of 4 jobs of <bdi>ada</bdi> match');
  });

  it('is the same from the library', async () => {
    const out = join(people.rig.directory, 'from-library');
    await using archive = await openArchive(people.rig.out);
    const { jobs, search } = await archive.evidence(out, { match: 'falcon', users: ['ada'] });
    expect([jobs, search?.searched]).toEqual([2, 4]);
    expect(await bagProblems(out)).toEqual([]);
    expect(await new EvidencePack(out).filesWith('secret-of-ada')).toEqual([]);
  });
});

describe('the index of a pack', () => {
  it('lists every session by date and title, with its transcript, as a page and as a table', async () => {
    const { pack } = await handOver(people.rig, '--user', 'ada');
    const rows = await pack.page('index');
    expect(rows.map(({ date, title, jobs }) => [date, title, jobs])).toEqual([
      ['2026-01-10', 'Sales <b>2026</b>', '3'],
      ['2026-01-12', 'Other', '1'],
    ]);
    const [first = {}] = rows;
    expect(first['transcript']).toBe('data/transcripts/2026-01-10-Sales-b-2026-b-000002.txt');
    expect(await pack.text(first['transcript'] ?? '')).toContain('What of project Falcon?');
    const html = await pack.text('data/index.html');
    expect(html).toContain(
      '<a href="transcripts/2026-01-10-Sales-b-2026-b-000002.txt"><bdi>Sales &lt;b&gt;2026&lt;/b&gt;</bdi></a>',
    );
    expect(html).not.toContain('<b>');
    expect(html).not.toContain('<script');
  });
});
