/** One job's record and its settled files, as the rows of every table that a job has. */
import type { ListShape } from '../model/blocks/block-types.js';
import { createdAtOf, type CreatedAt } from '../model/times/created-at.js';
import type { JobRecord, Verbatim } from '../model/records.js';
import type { Row, RowOf, TableSchema } from '../model/table-schema.js';
import type { TimeBounds } from '../model/times/time-bounds.js';
import {
  artifactsTable,
  blocksTable,
  jobsTable,
  proposedQuestionsTable,
  rawJobsTable,
  sourcesTable,
} from '../model/tables.js';
import {
  artifactRows,
  blockRows,
  questionRows,
  sourceRows,
  type JobContext,
  type Rows,
} from './job-rows.js';
import { fileReferences } from './file-references.js';
import { type FileFacts } from './file-facts.js';
import { fileAddresses, blocksOf, isAnalyze, isRespond, type Block } from './job-blocks.js';
import { archivableRows } from './archivable-rows.js';

export interface JobToFlatten extends JobContext {
  readonly record: Verbatim<JobRecord>;
  readonly place: {
    /** From 0: see `export/history/job-numbers.ts`. */
    readonly index: number;
    readonly bounds: TimeBounds;
    /** What the ids of the history tell of it together; default: what its own tells. */
    readonly time?: CreatedAt | null;
  };
  readonly isSettled: boolean;
  readonly contentHash: string;
  /** By `placeKey`; every file reference has an entry. */
  readonly files: ReadonlyMap<string, FileFacts>;
}

export interface FlattenedJob {
  /** Tables without rows are left out. */
  readonly tables: readonly TableRows[];
  /** Texts in which a lone surrogate became U+FFFD. */
  readonly alteredTexts: number;
}

export interface TableRows {
  readonly table: TableSchema;
  readonly rows: Rows<Row>;
}

/**
 * Pure: the same input gives the same rows.
 *
 * @param tableTexts by SHA-256: the beginnings of tables
 * @throws {RangeError} a file reference has no entry in `files`
 */
export function flattenJob(
  job: JobToFlatten,
  tableTexts: ReadonlyMap<string, string> = new Map(),
): FlattenedJob {
  const blocks = blocksOf(job.record);
  const addresses = fileAddresses(job.record);
  const artifacts = artifactRows(job, fileReferences(job.record), {
    files: job.files,
    tableTexts,
    addresses,
  });
  const lists: Readonly<Record<ListShape, TableRows>> = {
    sources: { table: sourcesTable, rows: sourceRows(job, blocks) },
    questions: { table: proposedQuestionsTable, rows: questionRows(job, blocks) },
  };
  const counts = { artifacts: artifacts.length, sources: lists.sources.rows.length };
  const all: TableRows[] = [
    { table: jobsTable, rows: [jobRow(job, blocks, counts)] },
    { table: blocksTable, rows: blockRows(job, blocks, job.files) },
    ...Object.values(lists),
    { table: artifactsTable, rows: artifacts },
    {
      table: rawJobsTable,
      rows: [
        {
          user_id: job.userId,
          session_id: job.sessionId,
          job_id: job.jobId,
          job_version: job.jobVersion,
          record: job.record.text,
          run_id: job.runId,
          exported_at: job.exportedAt,
        },
      ],
    },
  ];
  let alteredTexts = 0;
  const tables = all
    .filter(({ rows }) => rows.length > 0)
    .map(({ table, rows }) => {
      const mended = archivableRows(table, rows, addresses);
      alteredTexts += mended.altered;
      return { table, rows: mended.rows };
    });
  return { tables, alteredTexts };
}

function jobRow(
  job: JobToFlatten,
  blocks: readonly Block[],
  counts: { readonly artifacts: number; readonly sources: number },
): RowOf<typeof jobsTable> {
  const question = blocks.filter((block) => block.role === 'question');
  const answer = blocks.filter((block) => block.role === 'answer');
  const { time: createdAt = createdAtOf(job.jobId) } = job.place;
  return {
    user_id: job.userId,
    session_id: job.sessionId,
    job_id: job.jobId,
    job_version: job.jobVersion,
    job_index: job.place.index,
    question_text: joinTexts(question),
    answer_text: joinTexts(answer.filter((block) => isRespond(block) && block.shape !== 'code')),
    is_settled: job.isSettled,
    is_withdrawn: false,
    question_block_count: question.length,
    answer_block_count: answer.length,
    analyze_block_count: answer.filter(isAnalyze).length,
    respond_block_count: answer.filter(isRespond).length,
    artifact_count: counts.artifacts,
    source_count: counts.sources,
    content_hash: job.contentHash,
    created_at: createdAt?.micros ?? null,
    created_at_source: createdAt?.source ?? null,
    created_after: createdAt?.micros ?? job.place.bounds.after,
    created_before: createdAt?.micros ?? job.place.bounds.before,
    run_id: job.runId,
    exported_at: job.exportedAt,
  };
}

/** The blocks' texts with a blank line between; null where no block has any. */
function joinTexts(blocks: readonly Block[]): string | null {
  const texts = blocks.map(({ text }) => text).filter((text) => text !== null);
  return texts.length === 0 ? null : texts.join('\n\n');
}
