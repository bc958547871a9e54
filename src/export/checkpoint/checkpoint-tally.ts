/** The counts that one checkpoint adds to the summary once it is committed. */
import type { ArtifactStatus } from '../../model/artifact-status.js';
import { isSuspicious, type FileFacts } from '../../flatten/file-facts.js';
import type { FlattenedJob, TableRows } from '../../flatten/flatten-job.js';
import type { ExportSummary } from '../export-summary.js';

export class CheckpointTally {
  #jobs = 0;
  #alteredTexts = 0;
  #stored = 0;
  #reused = 0;
  #storedBytes = 0;
  #suspicious = 0;
  readonly #rows = new Map<string, number>();
  readonly #lost = new Map<Exclude<ArtifactStatus, 'stored'>, number>();

  addJob({ tables, alteredTexts }: FlattenedJob, files: Iterable<FileFacts>): void {
    this.#jobs++;
    this.#alteredTexts += alteredTexts;
    tables.forEach((rows) => this.addRows(rows));
    for (const facts of files) {
      const { status } = facts;
      if (isSuspicious(facts)) this.#suspicious++;
      if (status !== 'stored') this.#lost.set(status, (this.#lost.get(status) ?? 0) + 1);
    }
  }

  addRows({ table, rows }: TableRows): void {
    this.#rows.set(table.name, (this.#rows.get(table.name) ?? 0) + rows.length);
  }

  /** @param newBytes the size of a file that is new to the archive; undefined otherwise */
  addStoredFile(newBytes: number | undefined): void {
    if (newBytes === undefined) {
      this.#reused++;
    } else {
      this.#stored++;
      this.#storedBytes += newBytes;
    }
  }

  addTo(summary: ExportSummary): void {
    summary.jobs.archived += this.#jobs;
    summary.altered_texts += this.#alteredTexts;
    summary.artifacts.stored += this.#stored;
    summary.artifacts.reused += this.#reused;
    summary.artifacts.suspicious += this.#suspicious;
    summary.artifacts.bytes += this.#storedBytes;
    for (const [table, rows] of this.#rows) summary.rows[table] = (summary.rows[table] ?? 0) + rows;
    for (const [status, count] of this.#lost) summary.artifacts[status] += count;
  }
}
