/** What a run's commits say of which settings chose the data; no secrets. */
import type { CommitScope } from '../archive/log/commit.js';
import type { ExportOptions } from './export-options.js';

/** @param users known when the run begins */
export function scopeOf(
  { settings, source, shard, scope }: ExportOptions,
  users: number,
): CommitScope {
  return {
    ...(source ? {} : { users }),
    sessions: settings.sessions,
    search: settings.search ?? null,
    full: settings.full,
    ...(settings.retryGaps ? { retry_gaps: true } : {}),
    ...(settings.withDatasets ? { with_datasets: true } : {}),
    ...(shard === undefined ? {} : { shard }),
    ...scope,
  };
}
