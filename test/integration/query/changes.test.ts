/** A program that loads the tables by `jobvault changes` and keeps its cursor has what the archive has. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { tableNamed } from '../../../src/model/tables.js';
import { oldJob } from '../../support/programs/pieced-export.js';
import { CliRig } from '../../support/rigs/cli-rig.js';
import { duckDbRows } from '../../support/tables/duckdb-rows.js';

interface Line {
  readonly commit: number;
  readonly change: string;
  readonly table: string | null;
  readonly [column: string]: unknown;
}

/** Keeps the keys of what it has loaded, by table. */
class Loader {
  cursor = '0';
  readonly #keys = new Map<string, Set<string>>();
  readonly applied: string[] = [];

  constructor(readonly rig: CliRig) {}

  async load(): Promise<void> {
    this.applied.splice(0);
    const lines = await this.#lines('--since', this.cursor);
    for (const { change, table, ...of } of lines) {
      this.applied.push(change);
      if (change === 'cursor') this.cursor = `${String(of['archive_id'])}:${of.commit}`;
      else if (change === 'erased') await this.#dropErased();
      else if (change !== 'gone' && change !== 'back') this.#add(table ?? '', of);
    }
    expect(this.applied.at(-1)).toBe('cursor');
  }

  keysOf(table: string): string[] {
    return [...(this.#keys.get(table) ?? [])].sort();
  }

  /** A key that comes twice would double its rows. */
  #add(table: string, of: object): void {
    const key = keyOf(table, of);
    const keys = this.#keys.get(table) ?? new Set();
    this.#keys.set(table, keys);
    if (keys.has(key)) throw new Error(`${table} ${key} came twice`);
    keys.add(key);
  }

  async #dropErased(): Promise<void> {
    const left = await this.#lines('--keys');
    const kept = new Set(
      left.map(({ table, ...of }) => `${table ?? ''} ${keyOf(table ?? '', of)}`),
    );
    for (const [table, keys] of this.#keys) {
      for (const key of keys) if (!kept.has(`${table} ${key}`)) keys.delete(key);
    }
  }

  async #lines(...words: string[]): Promise<Line[]> {
    const end = await this.rig.run(['changes', this.rig.out, ...words]);
    expect(end).toMatchObject({ exitCode: 0, stderr: '' });
    const lines = end.stdout.trimEnd().split('\n');
    return lines.map((line) => JSON.parse(line) as Line);
  }
}

function keyOf(table: string, of: object): string {
  const row = of as Readonly<Record<string, unknown>>;
  const columns = tableNamed(table)?.columns.filter(({ isKey }) => isKey) ?? [];
  return JSON.stringify(columns.map(({ name }) => row[name]));
}

let rig: CliRig;
let loader: Loader;
beforeEach(async () => {
  rig = await CliRig.start({ users: 0 });
  for (const user of ['ann', 'ben']) {
    for (const id of ['1', '2']) {
      const jobs = Array.from({ length: 3 }, () => oldJob(rig.state.newJobId(hoursAgo(48))));
      rig.state.addSession(user, { id: user + id }, jobs);
    }
  }
  loader = new Loader(rig);
});
afterEach(() => rig[Symbol.asyncDispose]());

function hoursAgo(hours: number): number {
  return Date.now() - hours * 3_600_000;
}

async function archivedKeys(table: string): Promise<string[]> {
  const end = await rig.run(['files', rig.out, table]);
  const files = end.stdout.trim();
  if (files === '') return [];
  const list = files.split('\n').map((path) => `'${path}'`);
  const rows = await duckDbRows(`SELECT * FROM read_parquet([${list.join(', ')}])`);
  return rows.map((row) => keyOf(table, row)).sort();
}

async function expectLoaded(): Promise<void> {
  await loader.load();
  for (const table of ['sessions', 'jobs', 'deletions']) {
    expect([table, loader.keysOf(table)]).toEqual([table, await archivedKeys(table)]);
  }
}

it('a loader has every key once after runs, a compaction, a deletion, an erasure and the return of the erased', async () => {
  await rig.export();
  await expectLoaded();
  expect(loader.keysOf('jobs')).toHaveLength(12);
  await rig.export();
  await expectLoaded();
  expect(loader.applied).toEqual(['cursor']);

  const [job = ''] = rig.state.jobIds('ann', 'ann1');
  rig.state.growAnswer('ann', 'ann1', job, { type: 'MESSAGE', content: 'more' });
  rig.state.addJob('ben', 'ben1', oldJob(rig.state.newJobId(hoursAgo(47))));
  rig.state.deleteSession('ben', 'ben2');
  await rig.export({ words: ['--full'] });
  await expectLoaded();
  expect(loader.applied).toContain('gone');
  expect(loader.applied).toContain('changed');

  expect((await rig.run(['compact', rig.out])).exitCode).toBe(0);
  await expectLoaded();
  expect(loader.applied).toEqual(['cursor']);

  const place = ['--base-url', rig.emulator.baseUrl, '--rate', '1000'];
  const words = ['prune', rig.out, '--session', 'ann2', '--all', '--yes', ...place];
  expect(await rig.run(words)).toMatchObject({ exitCode: 0 });
  await expectLoaded();
  expect(loader.applied).toEqual(['deleted', 'cursor']);

  expect((await rig.run(['erase', rig.out, '--user', 'ann', '--yes'])).exitCode).toBe(0);
  await expectLoaded();
  expect(loader.applied).toEqual(['erased', 'cursor']);
  expect(loader.keysOf('jobs')).toHaveLength(7);
  expect(loader.keysOf('deletions')).toEqual([]);

  await rig.export({ words: ['--full'] });
  await expectLoaded();
  expect(loader.keysOf('jobs')).toHaveLength(10);
});

it('a loader that misses runs has everything with its next call, in any order of calls', async () => {
  await rig.export();
  rig.state.addJob('ben', 'ben1', oldJob(rig.state.newJobId(hoursAgo(47))));
  await rig.export();
  await rig.run(['erase', rig.out, '--user', 'ann', '--yes']);
  await expectLoaded();
  expect(loader.keysOf('jobs')).toHaveLength(7);
});

it('a loader is told that the datasets were written', async () => {
  await rig.export({ words: ['--with-datasets'] });
  await loader.load();
  const end = await rig.run(['changes', rig.out, '--since', '0', '--json']);
  const { changes } = JSON.parse(end.stdout) as { changes: Line[] };
  const about = changes.filter(({ table }) => table === 'datasets');
  expect(about.length).toBe((await rig.parts('tables/datasets')).length);
});

describe('the output', () => {
  it('as JSON is one line with the same changes, and the library has them, too', async () => {
    await rig.export();
    const lines = (await rig.run(['changes', rig.out, '--since', '0'])).stdout.trim().split('\n');
    const { stdout } = await rig.run(['changes', rig.out, '--since', '0', '--json']);
    const { commit: through, archive_id: id } = JSON.parse(lines.at(-1) ?? '') as Line;
    expect(JSON.parse(stdout)).toEqual({
      archive: rig.out,
      archive_id: id,
      since: 0,
      through,
      changes: lines.slice(0, -1).map((line) => JSON.parse(line) as Line),
    });
    const none = await rig.run(['changes', rig.out, '--since', String(through), '--json']);
    expect(JSON.parse(none.stdout)).toEqual({
      ...{ archive: rig.out, archive_id: id, since: through, through },
      changes: [],
    });
  });

  it('for people is a table that ends with the next cursor', async () => {
    await rig.export();
    const words = ['changes', rig.out, '--since', '0', '--output', 'table'];
    const { stdout } = await rig.run(words);
    expect(stdout).toMatch(/^commit +change +table +user +session +job +version\n/);
    expect(stdout).toMatch(/\n1 +added +sessions +ann +ann1 +1\n/);
    expect(stdout).toMatch(/\n16 changes after commit 0\. Next time: --since [0-9A-Z]{26}:\d+\n$/);
  });

  it.each([
    [[], 'nothing says since when'],
    [['--since', '99'], 'has no commit 99'],
    [['--since', 'soon'], '--since is "soon"'],
    [['--since', '01KBD3N5Q8RZ4T6V7W9XAYBCDE:1'], 'is the cursor of another archive'],
    [['--since', '0', '--json', '--output', 'table'], 'exclude each other'],
    [['--since-time', 'soon'], '--since-time is "soon"'],
  ])('the output with %j is a refusal', async (words, message) => {
    await rig.export();
    const end = await rig.run(['changes', rig.out, ...words]);
    expect(end.exitCode).toBe(2);
    expect(end.stdout + end.stderr).toContain(message);
  });
});
