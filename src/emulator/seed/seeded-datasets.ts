/** The project's datasets: one for each family of data sources, made by the seeded users in turn. */
import { capitalised, MEASURES } from './measures.js';
import { RandomStream } from './seed-plan.js';
import { cuid, type DatasetState } from './seeded-ids.js';
import { TOPICS, type Topic } from './topics.js';

const CREATED_MS = Date.UTC(2025, 11, 1);
const DAY_MS = 86_400_000;

export type SeedDataset = Omit<DatasetState, 'project'>;

/** None without users, since a dataset has a creator. */
export function seedDatasets(seed: number, userIds: readonly string[]): SeedDataset[] {
  const creators = userIds.slice(0, 50);
  if (creators.length === 0) return [];
  return families().map((topics, index) => {
    const [first] = topics;
    const measures = [...new Set(topics.map(({ measure }) => MEASURES[measure].EN))];
    const sources = [...new Set(topics.flatMap((topic) => topic.sources))];
    return {
      id: datasetId(seed, index),
      creator: creators[index % creators.length] ?? '',
      name: `${capitalised(MEASURES[first.measure].EN)} data`,
      description: `Everything about ${measures.join(' and ')}: ${sources.join(', ')}.`,
      summary: `${sources.length} data sources with ${measures.join(', ')}, by ${topics.map(({ dimension }) => dimension).join(' and ')}, for 2025.`,
      exploration_questions: topics.map(
        ({ measure, dimension }) => `How does ${MEASURES[measure].EN} differ by ${dimension}?`,
      ),
      keywords: [...measures, ...topics.map(({ dimension }) => dimension)],
      // One dataset is not ready yet, another has a source that failed.
      synched_count: sources.length,
      invalid_count: index === 4 ? 1 : 0,
      synching_count: index === 6 ? 2 : 0,
    };
  });
}

/** The id of the dataset that a topic's data sources belong to. */
export function datasetIdOf(topic: Topic, seed: number): string {
  return datasetId(
    seed,
    families().findIndex((topics) => topics.some(({ measure }) => measure === topic.measure)),
  );
}

function datasetId(seed: number, index: number): string {
  return cuid(RandomStream.of(seed, 'dataset', index), CREATED_MS + index * DAY_MS);
}

/** Topics with the same measure share a dataset. */
function families(): readonly (readonly [Topic, ...Topic[]])[] {
  const byMeasure = new Map<string, [Topic, ...Topic[]]>();
  for (const topic of TOPICS) {
    const family = byMeasure.get(topic.measure);
    if (family) family.push(topic);
    else byMeasure.set(topic.measure, [topic]);
  }
  return [...byMeasure.values()];
}
