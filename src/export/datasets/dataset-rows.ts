/** The datasets' side of a run: read once, in the first checkpoint that is committed. */
import type { Row } from '../../model/table-schema.js';
import { datasetsTable } from '../../model/tables.js';
import { readDatasets, type DatasetsToExport } from './dataset-export.js';
import type { ExportRun } from '../export-run.js';
import type { RunTally } from '../run-tally.js';

export class DatasetRows {
  /** Undefined before they were read; empty once a commit holds them. */
  #rows: readonly Row[] | undefined;

  /** Reads them, where the run is asked to, and puts them in the open checkpoint: again after it was refused. */
  async add(
    run: ExportRun,
    options: DatasetsToExport & { readonly tally: RunTally },
  ): Promise<void> {
    if (!run.settings.withDatasets) return;
    if (!this.#rows) {
      const { rows, gaps, errors } = await readDatasets(run, options);
      options.tally.addGaps(gaps, errors);
      this.#rows = rows;
    }
    if (this.#rows.length === 0) return;
    await run.checkpointer.addRows({ table: datasetsTable, rows: this.#rows });
  }

  /** The checkpoint that they were put in stands. */
  committed(): void {
    if (this.#rows) this.#rows = [];
  }
}
