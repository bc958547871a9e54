import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { SearchRig } from '../../support/rigs/search-rig.js';

const WHOLE = '0b6f4c1e-0000-4000-8000-000000000001';
const OTHER = '0b6f4c2e-0000-4000-8000-000000000002';

describe('a session that is not named by its whole id', () => {
  let people: SearchRig;
  let out: string;
  beforeAll(async () => {
    people = await SearchRig.start();
    people.talk('ada', WHOLE, 'Revenue by region', [
      { id: 'job-first-1', question: 'How much revenue?' },
      { id: 'job-first-2', question: 'And costs?' },
    ]);
    people.talk('bob', OTHER, 'Costs', [{ id: 'job-only', question: 'How much revenue?' }]);
    people.talk('ada', 's-same-a', 'Same', [{}]);
    people.talk('bob', 's-same-b', 'Same', [{}]);
    out = people.rig.out;
    await people.rig.archived();
  });
  afterAll(() => people[Symbol.asyncDispose]());

  it.each([['0b6f4c1'], ['Revenue by region'], [WHOLE]])('is shown by %s', async (given) => {
    const { exitCode, stdout } = await cli(['show', out, given]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`Revenue by region\nsession ${WHOLE}, user ada\n`);
    expect(stdout).toContain('job-first-2');
  });

  it('and its job is found by the beginning of an id, too', async () => {
    const { stdout } = await cli(['show', out, '0b6f4c2', 'job-on']);
    expect(stdout).toContain('job-only');
    const both = await cli(['show', out, '0b6f4c1', 'job-first']);
    expect(both.exitCode).toBe(2);
    expect(both.stderr).toContain(
      '"job-first" means 2 jobs of this session: job-first-1, job-first-2; give more of the id',
    );
    const none = await cli(['show', out, '0b6f4c1', 'job-last']);
    expect(none.stderr).toContain(`session "${WHOLE}" in ${out} has no job "job-last"`);
  });

  it('is refused with the candidates where it means several', async () => {
    const byId = await cli(['show', out, '0b6f4c']);
    expect(byId.exitCode).toBe(2);
    expect(byId.stderr).toContain(
      `"0b6f4c" means 2 sessions of ${out}: ${WHOLE} of ada, ${OTHER} of bob; give more of the id`,
    );
    const byName = await cli(['search', out, 'revenue', '--session', 'Same']);
    expect(byName.exitCode).toBe(2);
    expect(byName.stderr).toContain(
      `"Same" means 2 sessions of ${out}: s-same-a of ada, s-same-b of bob; give more of the id`,
    );
    const ofUser = await cli(['show', out, 'Same', '--user', 'bob']);
    expect(ofUser.stdout).toContain('session s-same-b, user bob');
  });

  it.each([[WHOLE], ['s-same-a'], ['0b6f4c1'], ['Revenue by region']])(
    'nor is %s of ada shown as one of bob',
    async (given) => {
      const { exitCode, stdout, stderr } = await cli(['show', out, given, '--user', 'bob']);
      expect([exitCode, stdout]).toEqual([2, '']);
      expect(stderr).toContain(`${out} has no session "${given}" of these users; `);
    },
  );

  it('is refused where it is one of a user whom the archive does not have', async () => {
    const { exitCode, stderr } = await cli(['show', out, WHOLE, '--user', 'bobb']);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`${out} has no user "bobb"; did you mean "bob"?`);
  });

  it('is refused where less than six characters of an id are given', async () => {
    const { exitCode, stderr } = await cli(['show', out, '0b6f']);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(
      '"0b6f" is too short: 2 ids begin with it; give 6 characters of the id or more, or a session\'s exact name',
    );
  });

  it('is searched, reported and handed over with its whole id', async () => {
    const hits = await cliJson<{ hits: { session_id: string }[] }>([
      ...['search', out, 'revenue', '--session', '0b6f4c2e'],
    ]);
    expect(hits.hits.map(({ session_id: id }) => id)).toEqual([OTHER]);
    const pack = join(dirname(out), 'pack');
    await cliJson(['evidence', out, '--out', pack, '--session', 'Costs']);
    expect(await readFile(join(pack, 'data/items.csv'), 'utf8')).toContain(OTHER);
    const report = join(dirname(out), 'report');
    const reported = ['report', out, '--out', report, '--session', '0b6f4c1e'];
    expect(await cliJson(reported)).toMatchObject({ sessions: 1, jobs: 2 });
  });

  it('is neither erased nor held', async () => {
    const why = ['--reason', 'x'];
    const erased = await cli(['erase', out, '--session', '0b6f4c1', ...why, '--yes']);
    expect(erased.exitCode).toBe(2);
    expect(erased.stderr).toContain(`${out} has no session "0b6f4c1"; did you mean "${WHOLE}"?`);
    const held = await cli(['hold', 'add', out, '--session', '0b6f4c1', ...why]);
    expect(held.exitCode).toBe(2);
    expect(held.stderr).toContain('session "0b6f4c1" matches no user and no session of');
  });
});
