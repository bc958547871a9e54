/** The datasets of a run: read once, and written in its first commit. */
import type { Row } from '../../model/table-schema.js';
import { datasetsTable } from '../../model/tables.js';
import type { ExportRun } from '../export-run.js';
import type { RunTally } from '../run-tally.js';
import { type DatasetsToExport, readDatasets } from './dataset-export.js';

export class DatasetRows {
  /** Undefined before they were read. */
  #rows: readonly Row[] | undefined;
  /** How many commits the run had when they were added. */
  #commitsBefore = Infinity;
  #areLeft = false;
  #gaps = 0;

  /** How many gaps there were of datasets: no commit names these. */
  get gaps(): number {
    return this.#gaps;
  }

  /** Whether the budget ended before all were read. */
  get areLeft(): boolean {
    return this.#areLeft;
  }

  /** Reads them if the run exports datasets, and adds them to the open checkpoint; again if that was refused. */
  async add(
    run: ExportRun,
    options: DatasetsToExport & { readonly tally: RunTally },
  ): Promise<void> {
    if (!run.settings.withDatasets) return;
    const { commits } = options.tally.summary;
    if (commits.length > this.#commitsBefore) return;
    if (!this.#rows) {
      const { rows, gaps, errors, areLeft } = await readDatasets(run, options);
      options.tally.addGaps(gaps, errors);
      this.#rows = rows;
      this.#areLeft = areLeft;
      this.#gaps = gaps.length;
    }
    if (this.#rows.length === 0) return;
    this.#commitsBefore = commits.length;
    await run.checkpointer.addRows({ table: datasetsTable, rows: this.#rows });
  }
}
