import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CliRig } from '../support/rigs/cli-rig.js';

interface Told {
  readonly records: readonly { readonly id: string; readonly job_id: string }[];
}

// each test is a handful of programs one after the other
describe('jobvault datasets', { timeout: 120_000 }, () => {
  let rig: CliRig;
  let user: string;

  beforeAll(async () => {
    rig = await CliRig.start({ users: 1, sessions: 1, jobs: 1 });
    user = rig.state.userIds()[0]!;
  });
  afterAll(() => rig[Symbol.asyncDispose]());

  const words = (more: readonly string[]) => [
    'datasets',
    ...more,
    '--user',
    user,
    '--base-url',
    rig.emulator.baseUrl,
  ];
  const run = (...more: string[]) => rig.run(words(more));
  const json = async (...more: string[]): Promise<Told> => {
    const end = await run(...more, '--json');
    expect(end.stderr).toBe('');
    expect(end.exitCode).toBe(0);
    expect(end.stdout.match(/\n/g)).toHaveLength(1);
    return JSON.parse(end.stdout) as Told;
  };
  const put = (id: string, synching: number, invalid: number) => {
    const [some] = rig.state.datasets();
    rig.state.putDataset({
      ...some!,
      id,
      synched_count: 1,
      synching_count: synching,
      invalid_count: invalid,
    });
  };

  it('creates, overviews, modifies and deletes a dataset', async () => {
    const created = await run('create', '--name', 'Sales', '--description', 'Orders since 2019');
    expect(created).toMatchObject({ exitCode: 0, stderr: '' });
    const id = created.stdout.trim();
    expect(await json('overview', id)).toMatchObject({ id, description: 'Orders since 2019' });

    expect(await json('modify', id, '--description=')).toEqual({ id, modified: true });
    const shown = await run('overview', id);
    expect(shown.stdout).toMatch(/^ +name +Sales$/m);
    expect(shown.stdout).not.toContain('2019');

    expect(await json('delete', id, '--yes', '--log-level', 'warn')).toEqual({ id, deleted: true });
    expect(rig.state.datasets().some((dataset) => dataset.id === id)).toBe(false);
  });

  it('lists a page, everything, and what a search finds', async () => {
    const count = rig.state.datasets().length;
    expect(await json('list', '--page-size', '3')).toMatchObject({
      page_number: 1,
      page_size: 3,
      total_items: count,
    });
    const all = await json('list', '--all', '--page-size', '3');
    expect(all).toMatchObject({ total_items: count, complete: true });
    expect(new Set(all.records.map(({ id }) => id)).size).toBe(count);
    expect((await json('list', '--search', 'no such words')).records).toEqual([]);
    const listed = await rig.runProgram(words(['list']));
    expect(listed.stdout.split('\n')[0]).toMatch(/^id +name +description$/);
  });

  it('tells a status, whatever it is, as a success', async () => {
    put('d-mixed', 2, 1);
    expect(await json('status', 'd-mixed')).toEqual({
      id: 'd-mixed',
      synched_count: 1,
      invalid_count: 1,
      synching_count: 2,
      usable: false,
    });
    expect((await run('status', 'd-mixed')).stdout).toMatch(/usable +no$/m);
  });

  it('waits until nothing is synching, and says whether all is usable', async () => {
    put('d-slow', 1, 0);
    const before = rig.emulator.stats.requests.getDatasetStatus;
    const waiting = rig.begin(words(['status', 'd-slow', '--wait', '--interval', '20ms']));
    while (rig.emulator.stats.requests.getDatasetStatus < before + 3) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    put('d-slow', 0, 0);
    const end = await waiting.ended;
    expect(end).toMatchObject({ exitCode: 0, stderr: '' });
    expect(end.stdout).toMatch(/usable +yes/);
  });

  it('ends with exit code 3 where a source is invalid or the time is over', async () => {
    put('d-bad', 0, 1);
    expect((await run('status', 'd-bad', '--wait')).exitCode).toBe(3);
    put('d-never', 1, 0);
    const late = await run(
      'status',
      'd-never',
      '--wait',
      '--timeout',
      '50ms',
      '--interval',
      '20ms',
    );
    expect(late.exitCode).toBe(3);
    expect(late.stderr).toContain('1 data source still synching after 50 ms');
  });
});
