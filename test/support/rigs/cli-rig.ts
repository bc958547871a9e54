/** An emulator, the program in this process or in one of its own, and a directory for what it writes. */
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExportSummary } from '../../../src/export/export-summary.js';
import { startEmulator, type Emulator } from '../../../src/emulator/emulator.js';
import type { EmulatorOptions } from '../../../src/emulator/options.js';
import type { Row } from '../../../src/model/table-schema.js';
import { cli, type CliRun } from '../programs/cli-in-process.js';
import { CliProcess, type CliEnd, type CliOptions } from '../programs/cli-process.js';
import { duckDbRows } from '../tables/duckdb-rows.js';
import { makePlace, type Place } from '../base/place.js';

/** What a run in this process can be given. */
type RunOptions = Pick<CliOptions, 'environment'> & { readonly stdin?: string };

const WORKING_DIRECTORY = process.cwd();

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

  /** The built program with the key and the rig's directory; it costs several times what `run` costs. */
  begin(words: readonly string[], options: CliOptions = {}): CliProcess {
    return new CliProcess(words, {
      directory: this.directory,
      ...options,
      environment: this.#environment(options),
    });
  }

  /** The built program, to its end: for what only a process of its own shows. */
  runProgram(words: readonly string[], options?: CliOptions): Promise<CliEnd> {
    return this.begin(words, options).ended;
  }

  /** The same command line in this process, which is in the rig's directory from then on. */
  run(words: readonly string[], options: RunOptions = {}): Promise<CliRun> {
    process.chdir(this.directory);
    return cli(words, this.#environment(options), options.stdin);
  }

  #environment({ environment }: CliOptions): Record<string, string> {
    return { ...this.place.environment, JOBVAULT_API_KEY: 'demo-key', ...environment };
  }

  /** The words of an export of all users into the rig's archive, at full speed. */
  exportWords(...more: string[]): string[] {
    const users = this.state.userIds().flatMap((user) => ['--user', user]);
    const place = ['--base-url', this.emulator.baseUrl, '--out', this.out, '--rate', '1000'];
    return ['export', ...place, ...users, ...more];
  }

  /**
   * What an export prints with `--json`, which must be one line.
   *
   * @param options.isProgram by the built program
   * @throws where its exit code is another
   */
  async export(
    options: RunOptions & {
      readonly words?: readonly string[];
      readonly exitCode?: number;
      readonly isProgram?: boolean;
    } = {},
  ): Promise<ExportSummary> {
    const { exitCode = 0, words: more = [], isProgram = false } = options;
    const words = this.exportWords('--json', ...more);
    const end = await (isProgram ? this.runProgram(words, options) : this.run(words, options));
    if (end.exitCode !== exitCode) throw new Error(`exit code ${end.exitCode}: ${end.stderr}`);
    const [line = '', ...rest] = end.stdout.split('\n');
    if (rest.join('') !== '') throw new Error(`more than one line: ${end.stdout}`);
    return JSON.parse(line) as ExportSummary;
  }

  /** As DuckDB names the table's files, all of them. */
  tableOf(table: string): string {
    return `read_parquet('${this.out}/tables/${table}/dt=*/*.parquet', hive_partitioning = false)`;
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

  /** Part files alone, without the Delta logs. */
  async parts(folder = 'tables'): Promise<string[]> {
    return (await this.files(folder)).filter((path) => !path.includes('/_delta_log/'));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.emulator.close();
    await this.place[Symbol.asyncDispose]();
    process.chdir(WORKING_DIRECTORY);
    rmSync(this.directory, { recursive: true, force: true });
  }
}
