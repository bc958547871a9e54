/** `changes`, and config/warehouse/duckdb/changes.sql, which loads what it tells: a warehouse has what the archive has. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { TABLE_NAMES } from '../../../src/model/tables.js';
import { oldJob } from '../../support/programs/pieced-export.js';
import { CliRig } from '../../support/rigs/cli-rig.js';
import { warehouseFolder } from '../../support/tables/warehouse-folder.js';

/** A warehouse in memory, loaded as config/warehouse/README.md says. */
class Warehouse {
  private constructor(
    readonly rig: CliRig,
    readonly connection: DuckDBConnection,
    readonly scripts: ReadonlyMap<string, string>,
  ) {}

  static async open(rig: CliRig): Promise<Warehouse> {
    const connection = await (await DuckDBInstance.create(':memory:')).connect();
    const scripts = await warehouseFolder();
    await connection.run(scripts.get('duckdb/tables.sql') ?? '');
    return new Warehouse(rig, connection, scripts);
  }

  /** @returns what `changes` told, in order */
  async load(): Promise<string[]> {
    const changes = await this.#printed('changes', this.rig.out, '--since', await this.#cursor());
    await writeFile(join(this.rig.directory, 'changes.jsonl'), changes);
    await this.connection.run(await this.#printed('query', this.rig.out, '--views'));
    await this.connection.run(this.scripts.get('duckdb/changes.sql') ?? '');
    return linesOf(changes).map(({ change }) => change);
  }

  async expectWhole(): Promise<void> {
    for (const table of TABLE_NAMES) {
      const archived = await this.rows(`temp."${table}"`);
      expect([table, await this.rows(`jobvault."${table}"`)]).toEqual([table, archived]);
    }
  }

  /** As texts, sorted, without the column that the archive has not. */
  async rows(table: string): Promise<string[]> {
    const all = `FROM ${table}`;
    const reader = await this.connection.runAndReadAll(
      table.startsWith('temp.') ? all : `SELECT * EXCLUDE (dt) ${all}`,
    );
    return reader
      .getRowObjectsJson()
      .map((row) => JSON.stringify(row))
      .sort();
  }

  async #cursor(): Promise<string> {
    const isThere = "FROM duckdb_tables() WHERE schema_name = 'jobvault' AND table_name = 'loaded'";
    if ((await this.connection.runAndReadAll(isThere)).currentRowCount === 0) return '0';
    const reader = await this.connection.runAndReadAll('FROM jobvault.loaded');
    return (reader.getRowObjectsJson() as { cursor: string }[])[0]?.cursor ?? '0';
  }

  async #printed(...words: string[]): Promise<string> {
    const end = await this.rig.run(words);
    expect(end).toMatchObject({ exitCode: 0, stderr: '' });
    return end.stdout;
  }
}

function linesOf(stdout: string): { readonly change: string }[] {
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { change: string });
}

let rig: CliRig;
let warehouse: Warehouse;
beforeEach(async () => {
  rig = await CliRig.start({ users: 0 });
  for (const user of ['ann', 'ben']) {
    for (const id of ['1', '2']) {
      const jobs = Array.from({ length: 3 }, () => oldJob(rig.state.newJobId(hoursAgo(48))));
      rig.state.addSession(user, { id: user + id }, jobs);
    }
  }
  warehouse = await Warehouse.open(rig);
});
afterEach(() => rig[Symbol.asyncDispose]());

function hoursAgo(hours: number): number {
  return Date.now() - hours * 3_600_000;
}

/** @returns what `changes` told */
async function loadWhole(): Promise<string[]> {
  const told = await warehouse.load();
  await warehouse.expectWhole();
  return told;
}

async function countOf(table: string): Promise<number> {
  return (await warehouse.rows(`jobvault."${table}"`)).length;
}

const run = async (...words: string[]): Promise<void> => {
  expect(await rig.run(words)).toMatchObject({ exitCode: 0 });
};

it('warehouse has every row once after runs, a compaction, a deletion, an erasure and a return', async () => {
  await rig.export();
  await loadWhole();
  expect(await countOf('jobs')).toBe(12);
  await rig.export();
  expect(await loadWhole()).toEqual(['cursor']);

  const [job = ''] = rig.state.jobIds('ann', 'ann1');
  rig.state.growAnswer('ann', 'ann1', job, { type: 'MESSAGE', content: 'more' });
  rig.state.addJob('ben', 'ben1', oldJob(rig.state.newJobId(hoursAgo(47))));
  rig.state.deleteSession('ben', 'ben2');
  await rig.export({ words: ['--full'] });
  expect(await loadWhole()).toEqual(expect.arrayContaining(['gone', 'changed']));

  await run('compact', rig.out);
  expect(await loadWhole()).toEqual(['cursor']);

  const place = ['--base-url', rig.emulator.baseUrl, '--rate', '1000'];
  await run('prune', rig.out, '--session', 'ann2', '--all', '--yes', ...place);
  expect(await loadWhole()).toEqual(['deleted', 'cursor']);

  await run('erase', rig.out, '--user', 'ann', '--yes');
  expect(await loadWhole()).toEqual(['erased', 'cursor']);
  expect(await countOf('jobs')).toBe(7);
  expect(await countOf('deletions')).toBe(0);

  await rig.export({ words: ['--full'] });
  await loadWhole();
  expect(await countOf('jobs')).toBe(10);
});

it('a warehouse not loaded between an erasure and a return of the erased has rows once', async () => {
  await rig.export({ words: ['--with-datasets'] });
  await loadWhole();
  await run('erase', rig.out, '--user', 'ann', '--yes');
  await rig.export({ words: ['--full'] });
  expect(await loadWhole()).toEqual(expect.arrayContaining(['erased', 'added']));
  expect(await countOf('jobs')).toBe(12);
  await run('erase', rig.out, '--user', 'ann', '--yes');
  await rig.export({ words: ['--full', '--with-datasets'] });
  const [job = ''] = rig.state.jobIds('ann', 'ann1');
  rig.state.growAnswer('ann', 'ann1', job, { type: 'MESSAGE', content: 'more' });
  await rig.export({ words: ['--full'] });
  await loadWhole();
  expect(await countOf('jobs')).toBe(13);
});

it('a warehouse that missed runs has everything with its next load', async () => {
  await rig.export();
  rig.state.addJob('ben', 'ben1', oldJob(rig.state.newJobId(hoursAgo(47))));
  await rig.export();
  await run('erase', rig.out, '--user', 'ann', '--yes');
  await loadWhole();
  expect(await countOf('jobs')).toBe(7);
});

/** As the shell of DuckDB runs a script that is piped to it: after an error, too. @returns the errors */
async function goOnAfterErrors(script: string): Promise<string[]> {
  const statements = await warehouse.connection.extractStatements(
    warehouse.scripts.get(script) ?? '',
  );
  const errors: string[] = [];
  for (let index = 0; index < statements.count; index += 1) {
    try {
      const statement = await statements.prepare(index);
      await statement.run();
    } catch (error) {
      errors.push(String(error));
    }
  }
  return errors;
}

it('a client that goes on after an error keeps rows and cursor where the output was cut', async () => {
  await rig.export();
  await loadWhole();
  const loaded = await warehouse.rows('temp.jobs');
  const cursor = await warehouse.connection.runAndReadAll('FROM jobvault.loaded');
  await run('erase', rig.out, '--user', 'ann', '--yes');
  const { stdout } = await rig.run(['changes', rig.out, '--since', '0']);
  await writeFile(join(rig.directory, 'changes.jsonl'), stdout.replace(/[^\n]*\n$/, ''));
  await warehouse.connection.run((await rig.run(['query', rig.out, '--views'])).stdout);
  expect(await goOnAfterErrors('duckdb/changes.sql')).toContainEqual(
    expect.stringContaining('has no cursor'),
  );
  expect(await warehouse.rows('jobvault."jobs"')).toEqual(loaded);
  const after = await warehouse.connection.runAndReadAll('FROM jobvault.loaded');
  expect(after.getRowsJson()).toEqual(cursor.getRowsJson());
});

it('views that were printed before the changes load nothing, and the cursor stays', async () => {
  await rig.export();
  await loadWhole();
  const before = (await rig.run(['query', rig.out, '--views'])).stdout;
  rig.state.addJob('ben', 'ben1', oldJob(rig.state.newJobId(hoursAgo(47))));
  await rig.export({ words: ['--full'] });
  const cursor = (await warehouse.connection.runAndReadAll('FROM jobvault.loaded')).getRowsJson();
  const [[since = ''] = []] = cursor as string[][];
  const { stdout } = await rig.run(['changes', rig.out, '--since', since]);
  await writeFile(join(rig.directory, 'changes.jsonl'), stdout);
  await warehouse.connection.run(before);
  expect(await goOnAfterErrors('duckdb/changes.sql')).toContainEqual(
    expect.stringContaining('the views were printed before the changes'),
  );
  const after = await warehouse.connection.runAndReadAll('FROM jobvault.loaded');
  expect(after.getRowsJson()).toEqual(cursor);
  await loadWhole();
  expect(await countOf('jobs')).toBe(13);
});

it.each([
  ['the views were not printed', 'DROP VIEW temp.jobs', 'changes'],
  ['the views were not printed', 'DROP VIEW temp.jobs', 'load'],
  ['a view of the log is not there', 'DROP VIEW temp.accepted_losses', 'load'],
  ['a table lacks a column', 'ALTER TABLE jobvault.jobs DROP answer_text', 'changes'],
  ['a table lacks a column', 'ALTER TABLE jobvault.jobs DROP answer_text', 'load'],
])('a client that goes on after an error keeps everything where %s: %s, %s', async (_, sql, of) => {
  await rig.export();
  await loadWhole();
  await run('erase', rig.out, '--user', 'ann', '--yes');
  const { stdout } = await rig.run(['changes', rig.out, '--since', '0']);
  await writeFile(join(rig.directory, 'changes.jsonl'), stdout);
  await warehouse.connection.run((await rig.run(['query', rig.out, '--views'])).stdout);
  await warehouse.connection.run(sql);
  expect(await goOnAfterErrors(`duckdb/${of}.sql`)).toContainEqual(
    expect.stringContaining('not as jobvault query --views prints it'),
  );
  expect(await countOf('jobs')).toBe(12);
  expect(await countOf('blocks')).toBeGreaterThan(12);
});
