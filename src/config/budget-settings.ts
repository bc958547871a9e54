/** What an export may ask of the service where the rate is the limit. Source: design.md, section 5. */
import { duration, whole } from './setting.js';

export const budgetSettings = {
  maxRequests: whole(
    {
      name: 'max-requests',
      describe: 'A budget: so many requests (the shards share them), spent where change is likely',
    },
    [1, 1_000_000_000],
  ),
  maxDuration: duration({
    name: 'max-duration',
    describe: 'A budget: stop taking in after this time; what is in hand is finished and committed',
  }),
  maxStaleness: duration({
    name: 'max-staleness',
    describe: 'With a budget: no session goes without a look for longer; exit 3 where one does',
    default: '7d',
  }),
};
