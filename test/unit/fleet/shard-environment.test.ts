import { expect, it } from 'vitest';
import { shardOfEnvironment } from '../../../src/fleet/shard-environment.js';

it.each([
  [
    { JOB_COMPLETION_INDEX: '0', JOB_COMPLETIONS: '16' },
    { index: 0, count: 16 },
  ],
  [
    { AWS_BATCH_JOB_ARRAY_INDEX: '15', AWS_BATCH_JOB_ARRAY_SIZE: '16' },
    { index: 15, count: 16 },
  ],
  [slurm({ id: 3, from: 1, to: 4 }), { index: 2, count: 4 }],
  [slurm({ id: 0, from: 0, to: 3 }), { index: 0, count: 4 }],
  [slurm({ id: 14, from: 10, to: 16, step: 2 }), { index: 2, count: 4 }],
  [
    { SLURM_ARRAY_TASK_ID: '2', SLURM_ARRAY_TASK_COUNT: '4' },
    { index: 2, count: 4 },
  ],
])('the shard that a batch system gives is read from %j', (environment, wanted) => {
  expect(shardOfEnvironment(environment)).toEqual(wanted);
});

it('the shard that a batch system gives is none where no system says anything, or says it with empty variables', () => {
  expect(shardOfEnvironment({ PATH: '/bin' })).toBeUndefined();
  expect(shardOfEnvironment({ JOB_COMPLETION_INDEX: '', JOB_COMPLETIONS: '' })).toBeUndefined();
});

it('the shard that a batch system gives is agreed on by two systems, or refused', () => {
  const kubernetes = { JOB_COMPLETION_INDEX: '1', JOB_COMPLETIONS: '4' };
  expect(shardOfEnvironment({ ...kubernetes, ...slurm({ id: 1, from: 0, to: 3 }) })).toEqual({
    index: 1,
    count: 4,
  });
  expect(() => shardOfEnvironment({ ...kubernetes, ...slurm({ id: 2, from: 0, to: 3 }) })).toThrow(
    'Kubernetes and Slurm name different shards in the environment; give --shard',
  );
});

it.each([
  [{ JOB_COMPLETION_INDEX: '0' }, 'JOB_COMPLETIONS is not'],
  [{ JOB_COMPLETIONS: '4' }, 'JOB_COMPLETION_INDEX is not'],
  [{ SLURM_ARRAY_TASK_ID: '1' }, 'SLURM_ARRAY_TASK_COUNT is not'],
  [{ JOB_COMPLETION_INDEX: '4', JOB_COMPLETIONS: '4' }, 'JOB_COMPLETION_INDEX is "4"'],
  [{ JOB_COMPLETION_INDEX: '-1', JOB_COMPLETIONS: '4' }, 'JOB_COMPLETION_INDEX is "-1"'],
  [{ JOB_COMPLETION_INDEX: 'one', JOB_COMPLETIONS: '4' }, 'is "one"'],
  [{ JOB_COMPLETION_INDEX: '0', JOB_COMPLETIONS: '0' }, 'JOB_COMPLETIONS "0"'],
  [{ ...slurm({ id: 1, from: 1, to: 9 }), SLURM_ARRAY_TASK_COUNT: '3' }, 'evenly'],
  [slurm({ id: 5, from: 0, to: 6, step: 2 }), 'evenly'],
])('the shard that a batch system gives is not guessed from %j', (environment, sentence) => {
  expect(() => shardOfEnvironment(environment)).toThrow(sentence);
});

function slurm({
  id,
  from,
  to,
  step = 1,
}: Record<'id' | 'from' | 'to', number> & { step?: number }) {
  return {
    SLURM_ARRAY_TASK_ID: String(id),
    SLURM_ARRAY_TASK_COUNT: String((to - from) / step + 1),
    SLURM_ARRAY_TASK_MIN: String(from),
    SLURM_ARRAY_TASK_MAX: String(to),
    SLURM_ARRAY_TASK_STEP: String(step),
  };
}
