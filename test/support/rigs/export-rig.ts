/** Exports from an emulator into a directory of its own, and what independent readers find there. */
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { filesOfTable, type Archive } from '../../../src/archive/archive.js';
import { hasLeft } from '../../../src/archive/objects/replaced-objects.js';
import { openArchiveIn } from '../../../src/archive/open-archive.js';
import { verifyArchive, type VerifyReport } from '../../../src/archive/verify/verify.js';
import { type Clock, systemClock, systemRandom, type Random } from '../../../src/base/runtime.js';
import type { Emulator } from '../../../src/emulator/emulator.js';
import type { EmulatorOptions } from '../../../src/emulator/options.js';
import type { ExportToArchiveOptions } from '../../../src/export/export-request.js';
import { exportToArchive } from '../../../src/export/export-to-archive.js';
import type { ExportSummary } from '../../../src/export/export-summary.js';
import type { ExportResult } from '../../../src/export/run-tally.js';
import type { Row } from '../../../src/model/table-schema.js';
import { tableNamed } from '../../../src/model/tables.js';
import { openStorage } from '../../../src/storage/open-storage.js';
import { duckDbTable, sqlText } from '../tables/duckdb-rows.js';
import { makePlace, type Place } from '../base/place.js';
import { copyOfGolden, startAtSameAddress } from './golden-archives.js';

const HOUR = 3_600_000;

/** Real randomness but for backoff, which has no wait. */
export const impatient: Random = {
  fraction: () => 0,
  bytes: (length) => systemRandom.bytes(length),
};

/** The machine's clock, but for a wall time that a test may move. */
export class MovedClock implements Clock {
  /** In milliseconds. */
  ahead = 0;
  now = (): number => systemClock.now() + this.ahead;
  monotonic = (): number => systemClock.monotonic();
  sleep = (ms: number, signal?: AbortSignal): Promise<void> => systemClock.sleep(ms, signal);
}

/** What makes an archive another one. */
type GoldenChoices = Pick<
  Partial<ExportToArchiveOptions>,
  'concurrency' | 'formats' | 'out' | 'users' | 'withDatasets'
>;

export class ExportRig implements AsyncDisposable {
  readonly #startMs = Math.floor(systemClock.now() / HOUR) * HOUR;
  #asked = 0;

  private constructor(
    readonly emulator: Emulator,
    readonly directory: string,
    readonly place: Place,
    readonly clock: MovedClock,
    readonly options: EmulatorOptions,
  ) {}

  /** Without options: no user, no session. */
  static async start(options: EmulatorOptions = {}): Promise<ExportRig> {
    const clock = new MovedClock();
    const emulator = await startAtSameAddress({ users: 0, clock, ...options });
    const directory = await mkdtemp(join(tmpdir(), 'jobvault-export-'));
    return new ExportRig(emulator, directory, await makePlace(directory), clock, options);
  }

  get out(): string {
    return this.place.out;
  }

  get state(): Emulator['state'] {
    return this.emulator.state;
  }

  /** Each time a millisecond later, from the full hour before the rig began: tests begin with the same jobs. */
  twoDaysAgo(): number {
    return this.#startMs + this.clock.ahead - 48 * HOUR + this.#asked++;
  }

  /** All users, unless others are named. */
  async run(options: Partial<ExportToArchiveOptions> = {}): Promise<ExportResult> {
    return exportToArchive({
      baseUrl: this.emulator.baseUrl,
      apiKey: 'demo-key',
      users: this.state.userIds(),
      out: this.out,
      rate: 10_000,
      clock: this.clock,
      random: impatient,
      ...options,
    });
  }

  /** A run that goes through all its users. */
  async export(options: Partial<ExportToArchiveOptions> = {}): Promise<ExportSummary> {
    const { summary, error } = await this.run(options);
    if (error !== undefined) throw new Error('the run was broken off', { cause: error });
    return summary;
  }

  /**
   * The first archive of all that the service has, for tests of what becomes of it: it is a copy where the service had
   * the same before. What tests the export itself calls `export`.
   */
  async archived({ out = this.out, ...choices }: GoldenChoices = {}): Promise<ExportSummary> {
    const make = () => this.export({ out, ...choices });
    if (this.place.isBucket) return make();
    const conditions = [choices, this.options, this.clock.ahead];
    return copyOfGolden({ emulator: this.emulator, directory: out, conditions, make });
  }

  /**
   * The same of an archive of several runs.
   *
   * @param conditions whatever else makes a difference, as JSON
   * @returns whether it was made, and is no copy
   */
  async archivedAs(
    conditions: readonly unknown[],
    make: () => Promise<ExportSummary>,
  ): Promise<boolean> {
    let isMade = false;
    const making = () => {
      isMade = true;
      return make();
    };
    if (this.place.isBucket) await making();
    else {
      await copyOfGolden({
        emulator: this.emulator,
        directory: this.out,
        conditions: [conditions, this.options, this.clock.ahead],
        make: making,
      });
    }
    return isMade;
  }

  async open(): Promise<Archive> {
    return openArchiveIn(await openStorage(this.out));
  }

  /** A table as DuckDB reads it; checks that its folder holds what the log names, and what it has replaced. */
  async rows(name: string, extension = 'parquet'): Promise<Row[]> {
    const table = tableNamed(name);
    if (!table) throw new Error(`there is no table ${name}`);
    const archive = await this.open();
    const named = await filesOfTable(archive, name);
    const paths = named.map(({ path }) => path).filter((path) => path.endsWith(`.${extension}`));
    const there = (await this.parts(`tables/${name}`)).filter(
      (path) => path.endsWith(extension) && !hasLeft(archive, path),
    );
    if (paths.toSorted().join() !== there.toSorted().join()) {
      throw new Error(`the log names ${paths.join()}, but there are ${there.join()}`);
    }
    if (paths.length === 0) return [];
    const folder = await this.place.local(`tables/${name}`);
    const files = paths.map((path) => sqlText(path.replace(`tables/${name}`, folder))).join(', ');
    if (extension === 'parquet') {
      return duckDbTable(table, `read_parquet([${files}], hive_partitioning = false)`);
    }
    throw new Error(`no reader for ${extension}`);
  }

  /** Every file below a folder of the archive, as paths of the archive. */
  async files(folder = ''): Promise<string[]> {
    return this.place.files(folder);
  }

  /** Part files alone, without the Delta logs. */
  async parts(folder = 'tables'): Promise<string[]> {
    return (await this.files(folder)).filter((path) => !path.includes('/_delta_log/'));
  }

  async verify(): Promise<VerifyReport> {
    return verifyArchive(await this.open());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.emulator.close();
    await this.place[Symbol.asyncDispose]();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** Keys that stand more than once among rows. */
export function doubledKeys(name: string, rows: readonly Row[]): string[] {
  const keys = tableNamed(name)?.columns.filter(({ isKey }) => isKey) ?? [];
  const seen = new Set<string>();
  return rows
    .map((row) => JSON.stringify(keys.map((column) => String(row[column.name]))))
    .filter((key) => seen.size === seen.add(key).size);
}
