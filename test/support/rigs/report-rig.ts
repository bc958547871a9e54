/** An archive with every kind of block and of lost file, its report, and a browser that opens it. */
import { chromium } from '../../services/programs.js';
import { ReportBrowser } from '../programs/browser.js';
import { CliRig } from './cli-rig.js';
import { png } from '../tables/tiny-image.js';

/** Of the table `wide.csv`, which has 40 rows. */
export const COLUMNS = Array.from({ length: 12 }, (_one, index) => `col${index + 1}`);
const WHEN = Date.UTC(2026, 2, 5, 12);

/** Two users' seeded sessions, and the user zoë with the sessions `known` and `formulas`. */
async function startRig(): Promise<{ rig: CliRig; jobs: string[] }> {
  const rig = await CliRig.start({ users: 2, sessions: 3, jobs: 4 });
  const file = (key: string) => ({
    name: `The ${key}`,
    url: `{{url:${key}}}`,
    expires_at: '{{expires_at}}',
  });
  const block = (type: string, content: unknown, more: object = {}) => ({
    type,
    content,
    stage: 'Respond',
    group_id: '-1',
    ...more,
  });
  const jobs = [0, 1, 48, 72].map((hours) => rig.state.newJobId(WHEN + hours * 3_600_000));
  const step = { stage: 'Analyze', group_id: 'g1', group_name: 'Load the figures' };
  const rows = Array.from({ length: 150 }, (_one, index) => `row ${index},${(index * 37) % 151}`);
  const cellsOf = (row: number) =>
    COLUMNS.map((column) => (row === 0 ? column : `${column}-${row}`));
  const wide = Array.from({ length: 41 }, (_one, row) => cellsOf(row).join(','));
  rig.state.importJson(
    JSON.stringify({
      users: [
        {
          user_id: 'zoë',
          sessions: [
            {
              id: 'known',
              name: 'Known figures',
              output_language: 'EN',
              job_mode: 'AUTO',
              jobs: [
                {
                  job_id: jobs[0],
                  question: { blocks: [{ type: 'MESSAGE', content: 'How many *zebras*?' }] },
                  answer: {
                    blocks: [
                      block('CODE', '```sql\nSELECT count(*) FROM zebras\n```', step),
                      block('TABLE', file('long.csv'), step),
                      block('MESSAGE', '## Zebras\n\nThere are **42** of them.'),
                      block('TABLE', file('long.csv')),
                      block('IMAGE', file('drawn.png')),
                      block('SOURCES', [
                        { source: 'stables.xlsx', content: 'Zebras:\n"42"', page_no: 3 },
                      ]),
                      block('QUESTIONS', ['And how many gnus?']),
                      block('TASK', { title: 'Count', done: true }),
                    ],
                  },
                },
                {
                  job_id: jobs[1],
                  question: { blocks: [{ type: 'MESSAGE', content: '去年的销售额是多少？' }] },
                  answer: {
                    blocks: [
                      block('TABLE', file('lost.csv')),
                      block('MESSAGE', '销售额为 1,234。'),
                    ],
                  },
                },
              ],
            },
            {
              id: 'formulas',
              name: '=HYPERLINK("http://example.invalid/")',
              jobs: [
                {
                  job_id: jobs[2],
                  question: { blocks: [{ type: 'MESSAGE', content: '@SUM(1;1) zebroids?' }] },
                  answer: { blocks: [block('MESSAGE', 'Two.')] },
                },
                {
                  job_id: 'a-job-without-a-time',
                  question: { blocks: [{ type: 'MESSAGE', content: 'Timeless?' }] },
                  answer: { blocks: [block('MESSAGE', 'Between the others.')] },
                },
                {
                  job_id: jobs[3],
                  question: { blocks: [{ type: 'MESSAGE', content: 'The last one?' }] },
                  answer: { blocks: [block('MESSAGE', 'Yes.'), block('TABLE', file('wide.csv'))] },
                },
              ],
            },
          ],
        },
      ],
      files: {
        'long.csv': { text: `name,number\n${rows.join('\n')}\n` },
        'wide.csv': { text: wide.join('\n') },
        'drawn.png': { base64: png({ width: 40, height: 30 }).toString('base64') },
      },
    }),
  );
  return { rig, jobs };
}

export class ReportRig implements AsyncDisposable {
  private constructor(
    readonly rig: CliRig,
    /** Ids of the two jobs of the session `known`, and of the two of `formulas` that have a timestamp. */
    readonly jobs: readonly string[],
    readonly browser: ReportBrowser,
  ) {}

  /** Exports and reports; one table is not to be had. */
  static async start(): Promise<ReportRig> {
    const { rig, jobs } = await startRig();
    await rig.export({ exitCode: 3 });
    return new ReportRig(rig, jobs, await ReportBrowser.start(chromium));
  }

  get report(): string {
    return `${this.rig.out}-report`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.browser[Symbol.asyncDispose]();
    await this.rig[Symbol.asyncDispose]();
  }
}
