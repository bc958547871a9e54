/** Jobs of an exact size, quick to make: for measurements with thousands of them. */
import { seededChart, seededTable } from './fixture-files.js';
import type { Answer, Topic } from '../fixtures.js';
import { type SeedPlan } from './seed-plan.js';
import type { JobDraft } from './job-draft.js';

const DEFAULT_BLOCKS = 12;
const DEFAULT_FILES = 2;

/** Analyze blocks with the files among them, then one MESSAGE and one QUESTIONS. */
export function fillLoadJob(
  draft: JobDraft,
  { topic, answer }: { readonly topic: Topic; readonly answer: Answer },
  { blocksPerJob, artifactsPerJob }: SeedPlan,
): void {
  const wantedFiles = artifactsPerJob ?? DEFAULT_FILES;
  const blocks = blocksPerJob ?? Math.max(DEFAULT_BLOCKS, wantedFiles + 2);
  const files = Math.min(wantedFiles, blocks - 2);
  let step = draft.group('Step 1');
  for (let index = 0; index < blocks - 2 - files; index++) {
    if (index % 4 === 0) step = draft.group(`Step ${index / 4 + 1}`);
    if (index % 2 === 0) step('MESSAGE', `${index + 1}. ${answer.recalled}`);
    else step('CODE', `\`\`\`python\nrows = rows[rows["value"] > ${index}]\n\`\`\``);
  }
  for (let index = 0; index < files; index++) {
    if (index % 2 === 0)
      step(
        'TABLE',
        draft.file(`t${index}.csv`, (key) => seededTable(topic, key)),
      );
    else
      step(
        'IMAGE',
        draft.file(`chart ${index}`, (key) => seededChart(topic, key), `c${index}.png`),
      );
  }
  draft.respond('MESSAGE', answer.recalled);
  draft.respond('QUESTIONS', answer.follow_ups.slice(0, 2));
}
