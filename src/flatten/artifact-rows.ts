import { shownFileUrl } from '../model/shown-url.js';
import type { RowOf } from '../model/table-schema.js';
import type { artifactsTable } from '../model/tables.js';
import type { FileFacts } from './file-facts.js';
import { placeKey, type FileReference } from './file-references.js';
import type { JobContext } from './job-context.js';

/** One row for each place that points to a file, stored or not. */
export function artifactRows(
  context: JobContext,
  references: readonly FileReference[],
  files: ReadonlyMap<string, FileFacts>,
): RowOf<typeof artifactsTable>[] {
  return references.map((reference) => {
    const facts = files.get(placeKey(reference));
    if (!facts) throw new RangeError(`the file at ${placeKey(reference)} is not settled`);
    const stored = facts.stored;
    return {
      user_id: context.userId,
      session_id: context.sessionId,
      job_id: context.jobId,
      job_version: context.jobVersion,
      role: reference.role,
      block_index: reference.blockIndex,
      file_index: reference.fileIndex,
      kind: reference.kind === '' ? null : reference.kind,
      name: reference.name,
      url: reference.url === null ? null : shownFileUrl(reference.url),
      expires_at: reference.expiresAt,
      status: facts.status,
      reason: facts.reason,
      suspicious: stored?.suspicious ?? null,
      sha256: stored?.sha256 ?? null,
      bytes: stored ? BigInt(stored.bytes) : null,
      media_type: stored?.mediaType ?? null,
      path: stored?.path ?? null,
      row_count: stored?.rowCount == null ? null : BigInt(stored.rowCount),
      column_count: stored?.columnCount ?? null,
      width: stored?.width ?? null,
      height: stored?.height ?? null,
      run_id: context.runId,
      exported_at: context.exportedAt,
    };
  });
}
