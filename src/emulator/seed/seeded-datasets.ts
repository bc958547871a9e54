/** The project's datasets: that of each topic, made by the seeded users in turn. */
import { topics, type Topic } from '../fixtures.js';
import { RandomStream } from './seed-plan.js';
import { cuid, type DatasetState } from './seeded-ids.js';

const CREATED_MS = Date.UTC(2025, 11, 1);
const DAY_MS = 86_400_000;

export type SeedDataset = Omit<DatasetState, 'project'>;

/** None without users, since a dataset has a creator. */
export function seedDatasets(seed: number, userIds: readonly string[]): SeedDataset[] {
  const creators = userIds.slice(0, 50);
  if (creators.length === 0) return [];
  return topics().map(({ dataset, sources }, index) => ({
    id: datasetId(seed, index),
    creator: creators[index % creators.length] ?? '',
    ...dataset,
    // One dataset is not ready yet, another has a source that failed.
    synched_count: sources.length,
    invalid_count: index === 4 ? 1 : 0,
    synching_count: index === 6 ? 2 : 0,
  }));
}

/** The id of the dataset that a topic's data sources belong to. */
export function datasetIdOf(topic: Topic, seed: number): string {
  return datasetId(seed, topics().indexOf(topic));
}

function datasetId(seed: number, index: number): string {
  return cuid(RandomStream.of(seed, 'dataset', index), CREATED_MS + index * DAY_MS);
}
