/** What every call on an open archive gets: the archive, its formats, the runtime, and a way to write a result whole. */
import type { Archive } from '../archive/archive.js';
import { systemProcesses } from '../base/process-identity.js';
import type { Runtime } from '../base/runtime.js';
import { TOOL } from '../base/version.js';
import type { RowFormat } from '../formats/format.js';
import type { ErasingRun } from '../rewrite/erasure/erase-options.js';
import type { ReportOptions } from '../report/write-report.js';
import type { Replaceable } from '../storage/local/whole-directory.js';
import type { OpenOptions } from './open-options.js';

/** Options that no caller gives: they come from the open archive. */
export type Given = 'archive' | 'formats' | 'tool' | 'clock' | 'random' | 'signal';
type Made = Pick<ReportOptions, Exclude<Given, 'random'> | 'target'>;

export class CallContext {
  constructor(
    readonly archive: Archive,
    readonly runtime: Runtime,
    readonly options: OpenOptions,
  ) {}

  /** Loaded when something reads or writes tables: `status` does not. */
  async formats(): Promise<readonly RowFormat[]> {
    const { rowFormats } = await import('../formats/formats.js');
    return rowFormats({ parquet: { codec: this.options.parquetCodec ?? 'zstd' } });
  }

  async reading() {
    return { formats: await this.formats(), signal: this.runtime.signal };
  }

  async given() {
    return { ...this.runtime, archive: this.archive, formats: await this.formats(), tool: TOOL };
  }

  async rewriting(): Promise<ErasingRun> {
    return { ...(await this.given()), processes: systemProcesses };
  }

  /** Writes all of it or nothing; begins again where others rewrite the archive meanwhile. */
  async making<T>(
    out: string,
    make: (made: Made) => Promise<T>,
    replaceable?: Replaceable,
  ): Promise<T> {
    const { makeWhole } = await import('../storage/whole-place.js');
    const { againWhereRewritten } = await import('../archive/parts/again-where-rewritten.js');
    const given = await this.given();
    const { storage = {} } = this.options;
    return againWhereRewritten(() =>
      makeWhole(out, storage, (target) => make({ ...given, target }), replaceable),
    );
  }
}
