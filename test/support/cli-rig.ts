/** An emulator in this process, the program in another, and a directory for what it writes. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExportSummary } from '../../src/export/export-summary.js';
import { startEmulator, type Emulator } from '../../src/emulator/emulator.js';
import type { EmulatorOptions } from '../../src/emulator/options.js';
import type { Row } from '../../src/model/table-schema.js';
import { CliProcess, type CliEnd, type CliOptions } from './cli-process.js';
import { duckDbRows } from './duckdb-rows.js';
import { makePlace, type Place } from './place.js';

export class CliRig implements AsyncDisposable {
  private constructor(
    readonly emulator: Emulator,
    readonly directory: string,
    readonly place: Place,
  ) {}

  static async start(options: EmulatorOptions = {}): Promise<CliRig> {
    const emulator = await startEmulator({ users: 2, sessions: 3, jobs: 3, ...options });
    const directory = await mkdtemp(join(tmpdir(), 'jobvault-e2e-'));
    return new CliRig(emulator, directory, await makePlace(directory));
  }

  get out(): string {
    return this.place.out;
  }

  get state(): Emulator['state'] {
    return this.emulator.state;
  }

  /** A process with the key and the rig's directory. */
  begin(words: readonly string[], options: CliOptions = {}): CliProcess {
    return new CliProcess(words, {
      directory: this.directory,
      ...options,
      environment: {
        ...this.place.environment,
        JOBVAULT_API_KEY: 'demo-key',
        ...options.environment,
      },
    });
  }

  run(words: readonly string[], options?: CliOptions): Promise<CliEnd> {
    return this.begin(words, options).ended;
  }

  /** The words of an export of all users into the rig's archive, at full speed. */
  exportWords(...more: string[]): string[] {
    const users = this.state.userIds().flatMap((user) => ['--user', user]);
    const place = ['--base-url', this.emulator.baseUrl, '--out', this.out, '--rate', '1000'];
    return ['export', ...place, ...users, ...more];
  }

  /** What an export prints with `--json`, which must be one line. @throws where its exit code is another */
  async export(
    options: CliOptions & { readonly words?: string[]; readonly exitCode?: number } = {},
  ): Promise<ExportSummary> {
    const { exitCode = 0, words = [] } = options;
    const end = await this.run(this.exportWords('--json', ...words), options);
    if (end.exitCode !== exitCode) throw new Error(`exit code ${end.exitCode}: ${end.stderr}`);
    const [line = '', ...rest] = end.stdout.split('\n');
    if (rest.join('') !== '') throw new Error(`more than one line: ${end.stdout}`);
    return JSON.parse(line) as ExportSummary;
  }

  /** As DuckDB names the table's files, all of them. */
  tableOf(table: string): string {
    return `read_parquet('${this.out}/tables/${table}/*/*.parquet', hive_partitioning = false)`;
  }

  /** `FROM` stands for the table. */
  select(table: string, columns: string, rest = ''): Promise<Row[]> {
    return duckDbRows(`SELECT ${columns} FROM ${this.tableOf(table)} ${rest}`);
  }

  async countOf(table: string): Promise<number> {
    const [row] = await this.select(table, 'count(*)::INTEGER AS n');
    return Number(row?.['n']);
  }

  /** Every file in the archive, by its path there; sorted. */
  async files(under = ''): Promise<string[]> {
    return this.place.files(under);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.emulator.close();
    await this.place[Symbol.asyncDispose]();
    await rm(this.directory, { recursive: true, force: true });
  }
}
