/** Entries of SOURCES blocks, with and without the fields that the interface does not document. */
import { RandomStream } from './seed-plan.js';
import { cuid } from './seeded-ids.js';
import type { Topic } from '../fixtures.js';

const CREATED_MS = Date.UTC(2025, 11, 20);

export interface SourceEntry {
  readonly source: string;
  readonly datasource_id: string;
  readonly dataset_id: string;
  readonly file_type: string;
  readonly external_id: string;
  readonly [field: string]: unknown;
}

export function sourcesOf(topic: Topic, datasetId: string, random: RandomStream): SourceEntry[] {
  return topic.sources.map((source, index) => ({
    source,
    // the same whenever it is cited
    datasource_id: cuid(RandomStream.of('datasource', source), CREATED_MS),
    dataset_id: datasetId,
    file_type: source.startsWith('http') ? 'html' : source.slice(source.lastIndexOf('.') + 1),
    external_id: index === 0 ? '' : `erp-${random.integer(1000, 9999)}`,
    // undocumented fields that the service sends
    ...(random.chance(0.4)
      ? { id: String(index + 1), content: `… ${topic.id} …`, page_no: random.integer(1, 40) }
      : {}),
  }));
}
