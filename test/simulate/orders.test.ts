import { expect, it } from 'vitest';
import type { Kind } from './kinds.js';
import { everyOrder } from './orders.js';

/** `npm run simulate -- --exhaustive` walks through all of them. */
const PAIRS: readonly (readonly [Kind, Kind])[] = [
  ['export', 'export'],
  ['export', 'prune'],
  ['prune', 'export'],
  ['prune', 'erase'],
  ['compact', 'erase'],
  ['erase', 'prune'],
];

it.each(PAIRS)(
  'keeps everything where %s stops for %s, or is killed, at any of its changes',
  async (...pair) => {
    const wrong: string[] = [];
    let orders = 0;
    for await (const { order, violation } of everyOrder(pair, 1)) {
      orders++;
      if (violation) wrong.push(`${JSON.stringify(order)}: ${violation.message}`);
    }
    expect(wrong).toEqual([]);
    expect(orders).toBeGreaterThan(5);
  },
  120_000,
);
