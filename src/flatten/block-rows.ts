import type { RowOf } from '../model/table-schema.js';
import type { blocksTable } from '../model/tables.js';
import type { Block } from './job-blocks.js';
import type { JobContext } from './job-context.js';
import type { FileFacts } from './file-facts.js';
import { placeKey } from './file-references.js';

const FENCE = /^[ \t]*(?:````*|~~~~*)[ \t]*([\p{L}\d+#._-]{0,1000})/mu;

/** One row per block: text as text, anything else as its JSON. */
export function blockRows(
  context: JobContext,
  blocks: readonly Block[],
  files: ReadonlyMap<string, FileFacts>,
): RowOf<typeof blocksTable>[] {
  return blocks.map((block) => {
    const { text } = block;
    return {
      user_id: context.userId,
      session_id: context.sessionId,
      job_id: context.jobId,
      job_version: context.jobVersion,
      role: block.role,
      block_index: block.index,
      type: block.type,
      type_raw: block.typeRaw,
      stage: block.stage,
      group_id: block.groupId,
      group_name: block.groupName,
      content_text: text,
      content_json: text === null ? block.contentJson : null,
      code_language: block.type === 'CODE' && text !== null ? codeLanguage(text) : null,
      char_count: block.characters,
      artifact_sha256: files.get(firstFile(block))?.stored?.sha256 ?? null,
      run_id: context.runId,
      exported_at: context.exportedAt,
    };
  });
}

function firstFile({ role, index }: Block): string {
  return placeKey({ role, blockIndex: index, fileIndex: 0 });
}

/** The language that the first Markdown fence names, in lower case. */
function codeLanguage(code: string): string | null {
  return FENCE.exec(code)?.[1]?.toLowerCase() || null; // a fence may name none
}
