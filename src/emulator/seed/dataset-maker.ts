/** The project's datasets. */
import type { DatasetState } from '../world/dataset-state.js';
import { cuid } from './ids.js';
import { RandomStream } from './random-stream.js';

export function seedDatasets(
  seed: number,
  userIds: readonly string[],
): Omit<DatasetState, 'project'>[] {
  return userIds.slice(0, 3).map((creator, index) => ({
    ...{ id: cuid(RandomStream.of(seed, 'dataset', index), Date.UTC(2026, 0, 2)), creator },
    ...{ name: `Dataset ${index}`, description: 'Numbers', summary: 'Numbers' },
    ...{ explorationQuestions: ['What?'], keywords: ['numbers'] },
    ...{ synchedCount: 3, invalidCount: 0, synchingCount: 0 },
  }));
}
