/** Makes one job: a question, the steps of its analysis, and the answer. */
import { fileKey } from './file-key.js';
import type { MadeJob } from './made-job.js';
import type { JobPlace, SeedPlan } from './seed-plan.js';

export function makeJob(place: JobPlace, _plan: SeedPlan): MadeJob {
  const key = fileKey({ ...place, file: 0 }, 'revenue.csv');
  const table = { name: 'revenue.csv', url: `{{url:${key}}}`, expires_at: '{{expires_at}}' };
  return {
    question: [{ type: 'MESSAGE', content: 'How much?' }],
    answer: [
      { type: 'TABLE', content: table, group_id: '', group_name: '', stage: 'Analyze' },
      { type: 'MESSAGE', content: 'That much.', group_id: '-1', group_name: '', stage: 'Respond' },
    ],
    files: [
      { key, make: () => ({ bytes: Buffer.from('month,value\n1,2\n'), mediaType: 'text/csv' }) },
    ],
  };
}
