/** Settings of an export's budget. */
import { duration, whole } from './setting.js';

export const budgetSettings = {
  maxRequests: whole(
    {
      name: 'max-requests',
      section: 'budget',
      inNewFile: true,
      describe:
        'Stop after this many requests, including those of --delete-archived (shards share them); new and recently changed sessions come first',
    },
    [1, 1_000_000_000],
  ),
  maxDurationMs: duration({
    name: 'max-duration',
    section: 'budget',
    inNewFile: true,
    describe:
      'Send no request after this time; commit what is ready, and finish a deletion under way',
  }),
  maxStalenessMs: duration({
    name: 'max-staleness',
    section: 'budget',
    inNewFile: true,
    describe:
      'With a budget: end with exit code 3 if one round through all sessions (a lap) takes longer than this; status warns',
    default: '7d',
  }),
};
