/** Settings of an export's budget. */
import { duration, whole } from './setting.js';

export const budgetSettings = {
  maxRequests: whole(
    {
      name: 'max-requests',
      describe:
        'Stop after this many requests, those of --delete-archived included (shards share them); the likeliest changes come first',
    },
    [1, 1_000_000_000],
  ),
  maxDurationMs: duration({
    name: 'max-duration',
    describe:
      'Stop requests after this time; what is ready is committed, and a deletion under way is ended',
  }),
  maxStalenessMs: duration({
    name: 'max-staleness',
    describe:
      'With a budget: check every session at least this often; exit 3 when one waits longer',
    default: '7d',
  }),
};
