import { groupBy } from '../base/group-by.js';
import type { RowOf } from '../model/table-schema.js';
import type { stagesTable } from '../model/tables.js';
import type { Block } from './job-blocks.js';
import type { JobContext } from './job-context.js';

/** One row per stage of the answer. Blocks without a stage are left out. */
export function stageRows(
  context: JobContext,
  blocks: readonly Block[],
): RowOf<typeof stagesTable>[] {
  const stages = groupBy(
    blocks.filter((block) => block.role === 'answer' && block.stage !== null),
    (block) => block.stage ?? '',
  );
  return [...stages].map(([stage, members]) => ({
    user_id: context.userId,
    session_id: context.sessionId,
    job_id: context.jobId,
    job_version: context.jobVersion,
    stage,
    block_count: members.length,
    message_count: countOf(members, 'MESSAGE'),
    code_count: countOf(members, 'CODE'),
    table_count: countOf(members, 'TABLE'),
    image_count: countOf(members, 'IMAGE'),
    char_count: BigInt(members.reduce((sum, { characters }) => sum + (characters ?? 0), 0)),
    first_block_index: members[0]?.index ?? null,
    last_block_index: members.at(-1)?.index ?? null,
    run_id: context.runId,
    exported_at: context.exportedAt,
  }));
}

function countOf(blocks: readonly Block[], type: string): number {
  return blocks.filter((block) => block.type === type).length;
}
