/** The memory of an export is bounded by the size of one answer: nothing of it is in memory several times over. */
import { expect, it } from 'vitest';
import { CliRig } from '../support/rigs/cli-rig.js';
import { fault } from '../support/base/fault.js';

const SOURCES = 100_000;
/** Of V8's heap. It needs 48; with all rows in memory at once more than 66, with all JSON of the hash more than 85. */
const HEAP_MB = 58;
/**
 * Of the young generation. With V8's default of 16 each collection near the limit is a whole one, and a busy machine
 * makes it give up: it goes by the share of the time that they take.
 */
const SEMI_SPACE_MB = 1;

it(
  'an export of 100,000 sources has room in a heap of a few times their size',
  fault('F-84'),
  async () => {
    await using rig = await CliRig.start({ users: 0 });
    const content = Array.from({ length: SOURCES }, (_, index) => ({
      source: `part ${index}.csv`,
      datasource_id: `d-${index}`,
      dataset_id: 'ds-1',
      file_type: 'csv',
      external_id: `e-${index}`,
    }));
    const blocks = [{ type: 'SOURCES', content, stage: 'Respond', group_id: '', group_name: '' }];
    const job = { job_id: 'j-1', question: { blocks: [] }, answer: { blocks } };
    const sessions = [{ id: 's-1', name: 'Many sources', jobs: [job] }];
    rig.state.importJson(JSON.stringify({ users: [{ user_id: 'ada', sessions }] }));
    const { rows } = await rig.export({
      isProgram: true,
      environment: {
        NODE_OPTIONS: `--max-old-space-size=${HEAP_MB} --max-semi-space-size=${SEMI_SPACE_MB}`,
      },
    });
    expect(rows['sources']).toBe(SOURCES);
  },
);
