import { expect, it } from 'vitest';
import { hazardsOf } from '../../../src/fleet/redis.js';

const info = (...fields: string[]) => ['# Memory', ...fields, ''].join('\r\n');
const hazards = (...fields: string[]) => hazardsOf(info(...fields)).map(({ hazard }) => hazard);

it('a Redis that may lose the queue keeps no append-only file', () => {
  expect(hazards('aof_enabled:0', 'maxmemory_policy:noeviction')).toEqual([
    'it keeps no append-only file: what is on the queue is lost when it ends',
  ]);
});

it.each(['allkeys-lru', 'volatile-lru', 'volatile-ttl', 'allkeys-random'])(
  'a Redis that may lose the queue evicts by %s',
  (policy) => {
    expect(hazards('aof_enabled:1', `maxmemory_policy:${policy}`)).toEqual([
      `its maxmemory-policy is ${policy}: it removes users from the queue when its memory is full`,
    ]);
  },
);

it.each([[['aof_enabled:1', 'maxmemory_policy:noeviction']], [[]], [['aof_enabled:']]])(
  'a Redis that may lose the queue is not one of which INFO says no such thing: %j',
  (fields) => {
    expect(hazards(...fields)).toEqual([]);
  },
);
