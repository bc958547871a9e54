/** Prints how long each file of the last `npm run test:times` took, longest first, and keeps it beside the report. */
import { readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SHOWN = 40;

const { testResults } = JSON.parse(readFileSync(`${ROOT}dist/test-times.json`, 'utf8'));
const files = testResults
  .map(({ name, startTime, endTime, assertionResults }) => ({
    file: relative(ROOT, name),
    seconds: (endTime - startTime) / 1000,
    tests: assertionResults.length,
  }))
  .sort((a, b) => b.seconds - a.seconds);
const lines = files.map(
  ({ file, seconds, tests }) =>
    `${seconds.toFixed(1).padStart(8)} s ${String(tests).padStart(5)} tests  ${file}`,
);
writeFileSync(`${ROOT}dist/test-times.txt`, `${lines.join('\n')}\n`);
console.log(lines.slice(0, SHOWN).join('\n'));
const total = files.reduce((sum, { seconds }) => sum + seconds, 0);
console.log(
  `${total.toFixed(0).padStart(8)} s in ${files.length} files, which run side by side; all: dist/test-times.txt`,
);
