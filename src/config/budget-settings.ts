/** What an export may ask of the service where the rate is the limit. */
import { duration, whole } from './setting.js';

export const budgetSettings = {
  maxRequests: whole(
    {
      name: 'max-requests',
      describe:
        'A budget: at most so many requests (the shards share them), the likeliest changes first',
    },
    [1, 1_000_000_000],
  ),
  maxDuration: duration({
    name: 'max-duration',
    describe: 'A budget: no request after this time; what is ready is committed',
  }),
  maxStaleness: duration({
    name: 'max-staleness',
    describe: 'With a budget: no session goes without a look for longer; exit 3 where one does',
    default: '7d',
  }),
};
