// Builds `dist`. The steps of a stage need nothing of each other and run beside each other.
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

rmSync(new URL('../dist', import.meta.url), { recursive: true, force: true });
await stage(
  compile('tsconfig.build.json', '--declaration', 'false'),
  compile('tsconfig.build.json', '--emitDeclarationOnly'),
);
await stage(
  run('config/build-bundles.js'),
  compile('tsconfig.page.json').then((failed) => failed || run('config/build-page.js')),
);

/** Types are checked by `npm run typecheck`. */
function compile(project, ...flags) {
  return run('node_modules/typescript/bin/tsc', '-p', `config/${project}`, '--noCheck', ...flags);
}

/** @returns the exit code; a step that fails has said why */
function run(...words) {
  return new Promise((resolve) => {
    const step = spawn(process.execPath, words, { cwd: root, stdio: 'inherit' });
    step.on('close', (code) => resolve(code ?? 1));
  });
}

/** Ends the build after a stage of which a step has failed. */
async function stage(...steps) {
  const failed = (await Promise.all(steps)).find((code) => code !== 0);
  if (failed !== undefined) process.exit(failed);
}
