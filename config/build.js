// Builds `dist`: the modules, from which the program and the report's page are put together, and their types.
// All is built beside it and then takes its place: the program stays usable meanwhile, also after a failed build.
// A process that runs on (worker, serve, mcp) loads its parts when it needs them and finds those of before no more: it is
// stopped first. Kept beside the new ones, parts of before would also go into the package.
import { spawn } from 'node:child_process';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { building, dist } from './build-folder.js';

const root = fileURLToPath(new URL('..', import.meta.url));

rmSync(building, { recursive: true, force: true });
// types take longest, and nothing here needs them; they are checked by `npm run typecheck`
await allOf(
  compile('tsconfig.types.json'),
  compile('tsconfig.modules.json').then((failed) => failed || run('config/build-bundles.js')),
);
const before = `${dist}.before`;
rmSync(before, { recursive: true, force: true });
if (existsSync(dist)) renameSync(dist, before);
renameSync(building, dist);
rmSync(before, { recursive: true, force: true });

function compile(project) {
  return run('node_modules/typescript-7/bin/tsc', '-p', `config/${project}`, '--outDir', building);
}

/** @returns the exit code; a step that fails has said why */
function run(...words) {
  return new Promise((resolve) => {
    const step = spawn(process.execPath, words, { cwd: root, stdio: 'inherit' });
    step.on('close', (code) => resolve(code ?? 1));
  });
}

/** Ends the build after a step has failed. */
async function allOf(...steps) {
  const failed = (await Promise.all(steps)).find((code) => code !== 0);
  if (failed !== undefined) process.exit(failed);
}
