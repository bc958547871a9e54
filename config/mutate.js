/**
 * Runs the mutation tester over one room of src, and writes what each file scored to test/mutation-scores.json:
 * `npm run mutate -- prune`. Without a name it takes the rooms in turn, one a day.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SCORES = 'test/mutation-scores.json';
const DAY_MS = 86_400_000;

process.chdir(ROOT);
const { mutate, jsonReporter } = readJson('config/stryker.config.json');
const roomOf = (pattern) => pattern.split('/')[1];
const rooms = [...new Set(mutate.map(roomOf))].sort();
const room = process.argv[2] ?? rooms[Math.floor(Date.now() / DAY_MS) % rooms.length];
if (!rooms.includes(room)) {
  console.error(`mutate: no files of "${room}" are mutated; allowed: ${rooms.join(', ')}`);
  process.exit(2);
}
const files = mutate.filter((pattern) => roomOf(pattern) === room);
const { status } = spawnSync(
  'npx',
  ['stryker', 'run', 'config/stryker.config.json', '--mutate', files.join()],
  { stdio: 'inherit' },
);
if (status !== 0) process.exit(status ?? 1);

const scores = readJson(SCORES);
for (const file of Object.keys(scores)) if (roomOf(file) === room) delete scores[file];
for (const [file, { mutants }] of Object.entries(readJson(jsonReporter.fileName).files)) {
  const count = (...statuses) =>
    mutants.filter((mutant) => statuses.includes(mutant.status)).length;
  scores[file] = {
    noticed: count('Killed', 'Timeout'),
    survived: count('Survived', 'NoCoverage'),
    measured: new Date().toISOString().slice(0, 10),
  };
}
const inOrder = Object.fromEntries(Object.entries(scores).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(SCORES, `${JSON.stringify(inOrder, null, 2)}\n`);

function readJson(path) {
  return JSON.parse(readFileSync(path, 'utf8'));
}
