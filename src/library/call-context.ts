/** What every operation on an open archive needs: the archive, its formats, the runtime, and how to write a result atomically. */
import { forReading, type Archive } from '../archive/archive.js';
import { systemProcesses } from '../base/process-identity.js';
import type { Runtime } from '../base/runtime.js';
import { TOOL } from '../base/version.js';
import type { RowFormat } from '../formats/format.js';
import type { ErasingRun } from '../rewrite/erasure/erase-options.js';
import type { ReportOptions } from '../report/write-report.js';
import type { Replaceable } from '../storage/local/whole-directory.js';
import type { OpenOptions } from './open-options.js';

/** Options that come from the open archive, not from the caller. */
export type ContextOption = 'archive' | 'formats' | 'tool' | 'clock' | 'random' | 'signal';
type WriteOptions = Pick<ReportOptions, Exclude<ContextOption, 'random'> | 'target' | 'earlier'>;

export class CallContext {
  #reader: Archive | undefined;

  constructor(
    readonly archive: Archive,
    readonly runtime: Runtime,
    readonly options: OpenOptions,
  ) {}

  /** Loads the formats, which not every operation needs. */
  async formats(): Promise<readonly RowFormat[]> {
    const { rowFormats } = await import('../formats/formats.js');
    return rowFormats({ parquet: { codec: this.options.parquetCodec ?? 'zstd' } });
  }

  /** For what only reads, and decides nothing that cannot be taken back. */
  get reader(): Archive {
    this.#reader ??= forReading(this.archive);
    return this.#reader;
  }

  async reading() {
    return { archive: this.reader, ...(await this.readOptions()) };
  }

  async readOptions() {
    return { formats: await this.formats(), signal: this.runtime.signal };
  }

  async allOptions() {
    return { ...this.runtime, archive: this.archive, formats: await this.formats(), tool: TOOL };
  }

  async rewriteOptions(): Promise<ErasingRun> {
    return { ...(await this.allOptions()), processes: systemProcesses };
  }

  /** What an operation that commits has done, once the newest commit has its time stamps. */
  async stamped<T>(work: Promise<T>): Promise<T> {
    const done = await work;
    const { timestampUrls: urls = [], proxy } = this.options;
    if (urls.length > 0) {
      const { stampNewestCommit } = await import('../archive/timestamps.js');
      await stampNewestCommit(this.archive, { ...this.runtime, urls, proxy });
    }
    return done;
  }

  /** Writes everything or nothing; begins again if another run rewrites the archive meanwhile. */
  async write<T>(
    out: string,
    work: (options: WriteOptions) => Promise<T>,
    replaceable?: Replaceable,
  ): Promise<T> {
    const { writeAtomically } = await import('../storage/write-atomically.js');
    const { againWhereRewritten } = await import('../archive/parts/read-unrewritten.js');
    const options = await this.allOptions();
    const { storage = {} } = this.options;
    return againWhereRewritten(() =>
      writeAtomically(
        out,
        storage,
        (target, earlier) => work({ ...options, target, earlier }),
        replaceable,
      ),
    );
  }
}
