/** Settings of an export's budget. */
import { duration, whole } from './setting.js';

export const budgetSettings = {
  maxRequests: whole(
    {
      name: 'max-requests',
      describe:
        'Stop after this many requests, those of --delete-archived included (shards share them); new and recently changed sessions come first',
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
      'With a budget: exit 3 when a lap round all sessions takes longer than this; status warns',
    default: '7d',
  }),
};
