/** Jobs of an exact size, quick to make: for measurements with thousands of them. */
import { chartPicture } from '../chart-picture.js';
import { seededTable } from './tables.js';
import { type Figures } from './figures.js';
import { type SeedPlan } from './seed-plan.js';
import type { JobDraft } from './job-draft.js';

const DEFAULT_BLOCKS = 12;
const DEFAULT_FILES = 2;

/** Analyze blocks with the files among them, then one MESSAGE and one QUESTIONS. */
export function fillLoadJob(
  draft: JobDraft,
  figures: Figures,
  { blocksPerJob, artifactsPerJob }: SeedPlan,
  say: (phrase: string) => string,
): void {
  const wantedFiles = artifactsPerJob ?? DEFAULT_FILES;
  const blocks = blocksPerJob ?? Math.max(DEFAULT_BLOCKS, wantedFiles + 2);
  const files = Math.min(wantedFiles, blocks - 2);
  const finding = say('**{top}** {topv}, **{low}** {lowv}, {agg} {value} ({chg} %)');
  let step = draft.group('Step 1');
  for (let index = 0; index < blocks - 2 - files; index++) {
    if (index % 4 === 0) step = draft.group(`Step ${index / 4 + 1}`);
    if (index % 2 === 0) step('MESSAGE', `${index + 1}. ${finding}`);
    else
      step(
        'CODE',
        `\`\`\`python\nrows = rows[rows["value"] > ${figures.low.value + index}]\n\`\`\``,
      );
  }
  for (let index = 0; index < files; index++) {
    if (index % 2 === 0)
      step(
        'TABLE',
        draft.file(`t${index}.csv`, () => seededTable(figures)),
      );
    else
      step(
        'IMAGE',
        draft.file(`chart ${index}`, () => chartPicture(figures), `c${index}.png`),
      );
  }
  draft.respond('MESSAGE', say('{m}: ') + finding);
  draft.respond('QUESTIONS', [say('{m} {d}?'), say('{top} / {low}?')]);
}
