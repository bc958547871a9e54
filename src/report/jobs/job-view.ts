/** A job's rows as a turn of the conversation: the question, the steps of the analysis, the answer. */
import { stepOf, type JobRows } from '../../archive/reading/session-jobs.js';
import type { Row } from '../../model/table-schema.js';
import { textIn } from '../../model/text-in.js';
import { groupBy } from '../../base/group-by.js';
import { blockViews, fileView, type BlockContext } from './block-view.js';
import { numberIn, timeIn, whenOf } from '../cells.js';
import type { BlockView, JobView, StepView } from '../page-data.js';

export async function jobView(
  { job, blocks, artifacts }: JobRows,
  earlier: readonly JobView[],
  context: BlockContext,
): Promise<JobView> {
  const question: BlockView[] = [];
  const answer: BlockView[] = [];
  const steps: { name: string; id: string; blocks: BlockView[] }[] = [];
  const files = groupBy(inOrder(artifacts), placeOf);
  for (const block of inOrder(blocks)) {
    const isQuestion = textIn(block, 'role') === 'question';
    const step = stepOf(block);
    const views = await blockViews(block, files.get(placeOf(block)) ?? [], context);
    if (isQuestion) {
      question.push(...views);
    } else if (step) {
      const last = steps.at(-1);
      if (last?.id === step.id) last.blocks.push(...views);
      else steps.push({ ...step, blocks: views });
    } else {
      answer.push(...views);
    }
  }
  // files that stand neither in the question nor in the answer
  for (const row of artifacts.filter((one) => textIn(one, 'role') === 'record')) {
    answer.push(await fileView(row, context));
  }
  return {
    id: textIn(job, 'job_id') ?? '',
    version: numberIn(job, 'job_version') ?? 1,
    created: whenOf(job),
    exported: timeIn(job, 'exported_at'),
    settled: job['is_settled'] !== false,
    question,
    steps: steps.map(({ name, blocks }): StepView => ({ name, blocks })),
    answer,
    earlier,
    found: '',
  };
}

/** Key of a block, and of the files that it points to. */
function placeOf(row: Row): string {
  return `${textIn(row, 'role') ?? ''}/${numberIn(row, 'block_index') ?? 0}`;
}

function inOrder(rows: readonly Row[]): Row[] {
  const by = (column: string) => (a: Row, b: Row) =>
    (numberIn(a, column) ?? 0) - (numberIn(b, column) ?? 0);
  return rows.toSorted(by('file_index')).toSorted(by('block_index'));
}
