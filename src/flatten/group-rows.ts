import { groupBy } from '../base/group-by.js';
import type { RowOf } from '../model/table-schema.js';
import type { groupsTable } from '../model/tables.js';
import type { Block } from './job-blocks.js';
import type { JobContext } from './job-context.js';

/**
 * One row per group and stage, in the order of their first blocks. A group's name is the first that is
 * not empty. Blocks without a meaningful group are left out.
 */
export function groupRows(
  context: JobContext,
  blocks: readonly Block[],
): RowOf<typeof groupsTable>[] {
  const members = groupBy(
    blocks.filter((block) => block.role === 'answer' && block.groupId !== null),
    (block) => JSON.stringify([block.groupId, block.stage]),
  );
  return [...members.values()].map((group, index) => ({
    user_id: context.userId,
    session_id: context.sessionId,
    job_id: context.jobId,
    job_version: context.jobVersion,
    group_index: index,
    group_id: group[0]?.groupId ?? null,
    group_name: group.find((block) => block.groupName)?.groupName ?? group[0]?.groupName ?? null,
    stage: group[0]?.stage ?? null,
    first_block_index: group[0]?.index ?? null,
    last_block_index: group.at(-1)?.index ?? null,
    block_count: group.length,
    run_id: context.runId,
    exported_at: context.exportedAt,
  }));
}
