import { expect, it } from 'vitest';
import type { Kind } from './kinds.js';
import { everyOrder } from './orders.js';

const APART = Number(process.env['JOBVAULT_TEST_APART'] ?? 5);
const SEED = Number(process.env['JOBVAULT_TEST_SEED'] ?? Date.now() % 1_000_000);
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
  `keeps everything where %s stops for %s, or dies, at every ${APART}. change (seed ${SEED})`,
  async (...pair) => {
    const wrong: string[] = [];
    let orders = 0;
    for await (const { order, violation } of everyOrder(pair, 1, {
      first: SEED % APART,
      apart: APART,
    })) {
      orders++;
      if (violation) wrong.push(`${JSON.stringify(order)}: ${violation.message}`);
    }
    expect(wrong).toEqual([]);
    expect(orders).toBeGreaterThan(6 / APART);
  },
  120_000,
);
