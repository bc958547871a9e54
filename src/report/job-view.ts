/** A job's rows as a turn of the conversation: the question, the steps of the analysis, the answer. */
import type { Row } from '../model/table-schema.js';
import { blockView, type BlockContext } from './block-view.js';
import { numberIn, textIn, timeIn } from './cells.js';
import type { BlockView, JobView, StepView } from './page-data.js';

/** One version of a job. */
export interface JobRows {
  readonly job: Row;
  /** Of the question and the answer, in any order. */
  readonly blocks: readonly Row[];
  readonly artifacts: readonly Row[];
}

export async function jobView(
  { job, blocks, artifacts }: JobRows,
  earlier: readonly JobView[],
  context: BlockContext,
): Promise<JobView> {
  const question: BlockView[] = [];
  const answer: BlockView[] = [];
  const steps: { name: string; id: string; blocks: BlockView[] }[] = [];
  const files = new Map(artifacts.map((row) => [numberIn(row, 'block_index'), row]));
  for (const block of inOrder(blocks)) {
    const isQuestion = textIn(block, 'role') === 'question';
    const file = isQuestion ? undefined : files.get(numberIn(block, 'block_index'));
    const view = await blockView(block, file, context);
    if (isQuestion) {
      question.push(view);
    } else if (textIn(block, 'stage')?.toLowerCase() === 'analyze') {
      const name = textIn(block, 'group_name')?.trim() ?? '';
      const id = `${textIn(block, 'group_id') ?? ''}\n${name}`;
      const last = steps.at(-1);
      if (last?.id === id) last.blocks.push(view);
      else steps.push({ name, id, blocks: [view] });
    } else {
      answer.push(view);
    }
  }
  return {
    id: textIn(job, 'job_id') ?? '',
    version: numberIn(job, 'job_version') ?? 1,
    created: timeIn(job, 'created_at'),
    exported: timeIn(job, 'exported_at'),
    settled: job['is_settled'] !== false,
    question,
    steps: steps.map(({ name, blocks }): StepView => ({ name, blocks })),
    ...{ answer, earlier },
  };
}

function inOrder(blocks: readonly Row[]): Row[] {
  return blocks.toSorted(
    (a, b) => (numberIn(a, 'block_index') ?? 0) - (numberIn(b, 'block_index') ?? 0),
  );
}
