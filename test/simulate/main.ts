/** `npm run simulate`: runs any number of seeds; for one that fails, prints the command that repeats it. */
import './sync-zlib.js';
import { parseArgs } from 'node:util';
import type { Logger } from '../../src/base/logger.js';
import type { Theme } from './conditions.js';
import { everyOrder, PAIRS } from './orders.js';
import { simulate } from './simulate.js';

const { values } = parseArgs({
  options: {
    /** Runs this seed alone, with all details. */
    seed: { type: 'string' },
    seeds: { type: 'string', default: '1000' },
    from: { type: 'string', default: '0' },
    fault: { type: 'string' },
    /** Overrides the theme that the seed draws: mixed, deleting, rewriting, holding, sweeping. */
    theme: { type: 'string' },
    /** Steps until the final proof begins. */
    length: { type: 'string' },
    /** Instead of seeds: every order of two runs on one session with this many switches. */
    exhaustive: { type: 'boolean', default: false },
    depth: { type: 'string', default: '2' },
    /** With --exhaustive: this pair alone, both ways round, such as export,erase. */
    pair: { type: 'string' },
    /** Prints every step. */
    steps: { type: 'boolean', default: false },
    /** Prints what the runs log. */
    log: { type: 'boolean', default: false },
  },
});

const say = (text: string): void => void process.stdout.write(`${text}\n`);
const note = (fields: object, text: string): void => say(`    ${text} ${JSON.stringify(fields)}`);
const logger: Logger = { debug: () => undefined, info: note, warn: note, error: note };
const { fault } = values;
const length = values.length === undefined ? undefined : Number(values.length);
const conditions =
  values.theme === undefined ? undefined : { theme: values.theme as Theme, hasArchive: true };
const isOne = values.seed !== undefined;
const first = Number(values.seed ?? values.from);
const count = isOne ? 1 : Number(values.seeds);
if (!Number.isSafeInteger(first) || !Number.isSafeInteger(count) || count < 1) {
  throw new Error('--seed, --seeds and --from must be whole numbers');
}
if (!isOne) Error.stackTraceLimit = 0; // half of what an error costs

const began = process.hrtime.bigint();
const failed = values.exhaustive ? await walkOrders(Number(values.depth)) : await playSeeds();
process.exitCode = failed > 0 ? 1 : 0;

async function playSeeds(): Promise<number> {
  let [wrong, steps] = [0, 0];
  for (let seed = first; seed < first + count; seed++) {
    const onStep = values.steps ? say : undefined;
    const given = { seed, fault, steps: length, onStep, conditions };
    const result = await simulate({ ...given, logger: values.log ? logger : undefined });
    steps += result.steps;
    if (isOne) say(JSON.stringify(result, undefined, 2));
    const { violation } = result;
    if (!violation) continue;
    wrong++;
    const named =
      (fault === undefined ? '' : ` --fault ${fault}`) +
      (values.theme === undefined ? '' : ` --theme ${values.theme}`) +
      (length === undefined ? '' : ` --length ${length}`);
    say(`npm run simulate -- --seed ${seed}${named}   # ${violation.message}`);
    if (isOne) say(String((violation.cause as Error | undefined)?.stack ?? violation.stack));
  }
  say(`${count} seeds, ${wrong} failed, ${steps} steps, ${pace(count)}`);
  return wrong;
}

async function walkOrders(depth: number): Promise<number> {
  let [wrong, orders] = [0, 0];
  for (const pair of PAIRS) {
    const names = [pair.join(','), pair.toReversed().join(',')];
    if (values.pair !== undefined && !names.includes(values.pair)) continue;
    for await (const { order, violation } of everyOrder(pair, depth)) {
      orders++;
      if (!violation) continue;
      wrong++;
      say(`${JSON.stringify(order)}   # ${violation.message}`);
    }
    say(`${pair.join(' and ')}: ${orders} orders so far, ${wrong} failed, ${pace(orders)}`);
  }
  return wrong;
}

function pace(done: number): string {
  const seconds = Number(process.hrtime.bigint() - began) / 1e9;
  return `${seconds.toFixed(1)} s, ${(done / seconds).toFixed(1)} a second`;
}
