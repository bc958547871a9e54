/** `npm run simulate`: any number of seeds; of one that fails, the line that repeats it. */
import './sync-zlib.js';
import { parseArgs } from 'node:util';
import { simulate } from './simulate.js';

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string', default: '1000' },
    from: { type: 'string', default: '0' },
    fault: { type: 'string' },
    steps: { type: 'boolean', default: false },
    log: { type: 'boolean', default: false },
  },
});

const first = Number(values.seed ?? values.from);
const count = values.seed === undefined ? Number(values.seeds) : 1;
const { fault } = values;
const began = process.hrtime.bigint();
const failures: number[] = [];
let steps = 0;
for (let seed = first; seed < first + count; seed++) {
  const onStep = values.steps ? (label: string) => console.log(label) : undefined;
  const say = (fields: object, text: string): void => console.log('   ', text, fields);
  const logger = values.log
    ? { debug: () => undefined, info: say, warn: say, error: say }
    : undefined;
  const result = await simulate({ seed, fault, onStep, logger });
  steps += result.steps;
  if (values.seed !== undefined) console.log(result);
  if (!result.violation) continue;
  failures.push(seed);
  const named = fault === undefined ? '' : ` --fault ${fault}`;
  console.log(`npm run simulate -- --seed ${seed}${named}   # ${result.violation.message}`);
  if (values.seed !== undefined) console.log(result.violation);
}
const seconds = Number(process.hrtime.bigint() - began) / 1e9;
console.log(
  `${count} seeds, ${failures.length} failed, ${steps} steps, ${seconds.toFixed(1)} s (${(count / seconds).toFixed(0)} a second)`,
);
process.exitCode = failures.length > 0 ? 1 : 0;
