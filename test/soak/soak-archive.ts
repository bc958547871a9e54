/** What the soak has archived, compared with what the service has. */
import { filesOfTable, type Archive } from '../../src/archive/archive.js';
import { openArchiveIn } from '../../src/archive/open-archive.js';
import { verifyArchive } from '../../src/archive/verify/verify.js';
import { sha256Hex } from '../../src/base/digest.js';
import { createJsonlFormat } from '../../src/formats/jsonl/jsonl-format.js';
import type { Row } from '../../src/model/table-schema.js';
import { tableNamed } from '../../src/model/tables.js';
import { openStorage } from '../../src/storage/open-storage.js';
import { comparable, type ServedJob } from './soak-protocol.js';

interface ArchivedJob {
  readonly version: number;
  readonly record: string;
}

const format = createJsonlFormat();

export class SoakArchive {
  /** Versions of jobs. */
  jobs = 0;
  commits = 0;

  private constructor(readonly archive: Archive) {}

  static async open(place: string): Promise<SoakArchive> {
    return new SoakArchive(await openArchiveIn(await openStorage(place)));
  }

  async problems(): Promise<string[]> {
    const { problems, commits } = await verifyArchive(this.archive);
    this.commits = commits;
    return problems.map(({ path, detail }) => `${path} ${detail}`);
  }

  async differences(served: readonly ServedJob[]): Promise<string[]> {
    const newest = new Map<string, ArchivedJob>();
    const versions = new Set<string>();
    const wrong: string[] = [];
    for await (const row of this.#rows('raw_jobs')) {
      this.jobs++;
      const [key, version] = [keyOf(row), Number(row['job_version'])];
      if (versions.size === versions.add(`${key} ${version}`).size) {
        wrong.push(`version ${version} of ${key} is there twice`);
      }
      if ((newest.get(key)?.version ?? 0) > version) continue;
      newest.set(key, { version, record: sha256Hex(comparable(String(row['record']))) });
    }
    const files = await this.#files(newest);
    for (const { session, job, record, files: wanted } of served) {
      const key = `${session} ${job}`;
      const archived = newest.get(key);
      if (!archived) wrong.push(`${key} is not archived`);
      else if (archived.record !== record) wrong.push(`${key} is archived as something else`);
      const stored = [...(files.get(key) ?? [])].sort();
      if (stored.join() !== wanted.join())
        wrong.push(
          `${key} has other files than are archived: ${wanted.join()} at the service, ${stored.join()} archived`,
        );
    }
    return wrong;
  }

  /** Digests of the files of each job's newest version. */
  async #files(newest: ReadonlyMap<string, ArchivedJob>): Promise<Map<string, Set<string>>> {
    const files = new Map<string, Set<string>>();
    for await (const row of this.#rows('artifacts')) {
      const key = keyOf(row);
      if (Number(row['job_version']) !== newest.get(key)?.version) continue;
      const known = files.get(key) ?? new Set();
      files.set(key, known.add(String(row['sha256'])));
    }
    return files;
  }

  async *#rows(name: string): AsyncGenerator<Row> {
    const table = tableNamed(name);
    if (!table) throw new Error(`there is no table ${name}`);
    for (const { path, bytes } of await filesOfTable(this.archive, name)) {
      const { storage } = this.archive;
      const read = (range?: { readonly start: number; readonly end: number }) =>
        storage.read(path, range);
      for await (const rows of format.readRows(table, { bytes, read })) yield* rows;
    }
  }
}

function keyOf(row: Row): string {
  return `${String(row['session_id'])} ${String(row['job_id'])}`;
}
