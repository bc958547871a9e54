import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CliRig } from '../support/rigs/cli-rig.js';

interface Told {
  readonly records: readonly { readonly id: string; readonly job_id: string }[];
}

// each test is a handful of programs one after the other
describe('jobvault sessions', { timeout: 120_000 }, () => {
  let rig: CliRig;
  let user: string;

  beforeAll(async () => {
    rig = await CliRig.start({ users: 1, sessions: 12, jobs: 3 });
    user = rig.state.userIds()[0]!;
  });
  afterAll(() => rig[Symbol.asyncDispose]());

  const run = (...words: string[]) =>
    rig.run(['sessions', ...words, '--user', user, '--base-url', rig.emulator.baseUrl]);
  const json = async (...words: string[]): Promise<Told> => {
    const end = await run(...words, '--json');
    expect(end.stderr).toBe('');
    expect(end.exitCode).toBe(0);
    expect(end.stdout.match(/\n/g)).toHaveLength(1);
    return JSON.parse(end.stdout) as Told;
  };

  it('creates, gets, modifies and deletes a session', async () => {
    const settings = ['--output-language', 'DE', '--job-mode', 'DATA_ANALYTICS'];
    const created = await run(
      'create',
      '--name',
      'Umsatz',
      ...settings,
      '--agent-id',
      'DATA_ANALYSIS_AGENT',
    );
    expect(created).toMatchObject({ exitCode: 0, stderr: '' });
    const id = created.stdout.trim();
    expect(rig.state.sessionIds(user)).toContain(id);
    expect(await json('get', id)).toMatchObject({ id, name: 'Umsatz', output_language: 'DE' });

    expect(
      await json('modify', id, '--name', 'Absatz', '--max-contextual-job-history', '0'),
    ).toEqual({ id, modified: true });
    const shown = await run('get', id);
    expect(shown.stdout).toMatch(/^ +name +Absatz$/m);
    expect(shown.stdout).toMatch(/^ +max_contextual_job_history +0$/m);

    const deleted = await run('delete', id, '--yes', '--without-archive', '--json');
    expect(deleted).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('no holds') });
    expect(JSON.parse(deleted.stdout)).toEqual({ id, deleted: true });
    expect(rig.state.sessionIds(user)).not.toContain(id);
    const gone = await run('get', id);
    expect(gone).toMatchObject({ exitCode: 2, stdout: '' });
    expect(gone.stderr).toContain('not found');
  });

  it('lists a page, a named page, everything, and what a search finds', async () => {
    const ids = rig.state.sessionIds(user).toReversed();
    expect(await json('list', '--page-size', '5')).toMatchObject({
      page_number: 1,
      page_size: 5,
      total_items: 12,
      records: ids.slice(0, 5).map((id): unknown => expect.objectContaining({ id })),
    });
    const third = await json('list', '--page-size', '5', '--page-number', '3');
    expect(third.records.map(({ id }) => id)).toEqual(ids.slice(10));

    const all = await json('list', '--page-size', '5', '--all');
    expect(all).toMatchObject({ total_items: 12, complete: true });
    expect(all.records.map(({ id }) => id)).toEqual(ids);

    const service = ['--user', user, '--base-url', rig.emulator.baseUrl];
    const table = await rig.runProgram(['sessions', 'list', '--page-size', '5', ...service]);
    expect(table.stdout.split('\n')[0]).toMatch(/^id +name +language +mode$/);
    expect(table.stderr).toContain('page 1 of 3, 12 sessions in all');

    rig.state.addSession(user, { name: 'needle in a haystack' });
    expect((await json('list', '--search', 'needle')).records).toHaveLength(1);
  });

  it('prints a history as a conversation, or as the service sent it', async () => {
    const session = rig.state.sessionIds(user)[0]!;
    const jobs = rig.state.jobIds(user, session);
    const shown = await run('history', session);
    expect(shown.exitCode).toBe(0);
    for (const job of jobs) expect(shown.stdout).toContain(job);
    expect(shown.stdout).toContain('\nQ: ');
    expect(shown.stdout).not.toMatch(/X-Amz|https?:\/\/127/);

    const all = await json('history', session, '--all', '--page-size', '1');
    expect(all).toMatchObject({ total_items: jobs.length, complete: true });
    const read = all.records.map(({ job_id: id }) => id);
    expect(read.toSorted()).toEqual(jobs.toSorted());
  });
});
