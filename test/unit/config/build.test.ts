/** `config/build.js` with steps of the test's own: what is in `dist` stays usable until the new build is whole. */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';

const CONFIG = fileURLToPath(new URL('../../../config', import.meta.url));

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'jobvault-build-'));
  write('package.json', '{ "type": "module" }');
  write('dist/main.js', 'old');
  write('dist/gone.js', 'old');
  for (const name of ['build.js', 'build-folder.js']) {
    cpSync(join(CONFIG, name), join(root, 'config', name));
  }
  write(
    'node_modules/typescript-7/bin/tsc',
    `const { mkdirSync, readFileSync } = require('node:fs');
    mkdirSync(process.argv.at(-1), { recursive: true });
    console.log('while building: ' + readFileSync('dist/main.js', 'utf8'));`,
  );
});
afterEach(() => rmSync(root, { recursive: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}
const build = () =>
  spawnSync(process.execPath, ['config/build.js'], { cwd: root, encoding: 'utf8' });
const folders = () => readdirSync(root).filter((name) => name.startsWith('dist'));

it('a build leaves the program as it is until the new one takes its place', () => {
  write(
    'config/build-bundles.js',
    `import { writeFileSync } from 'node:fs';
    import { building } from './build-folder.js';
    writeFileSync(building + '/main.js', 'new');`,
  );
  const { status, stdout, stderr } = build();
  expect({ status, stdout, stderr }).toEqual({
    status: 0,
    stdout: 'while building: old\nwhile building: old\n',
    stderr: '',
  });
  expect(readFileSync(join(root, 'dist/main.js'), 'utf8')).toBe('new');
  expect(readdirSync(join(root, 'dist'))).toEqual(['main.js']);
  expect(folders()).toEqual(['dist']);
});

it('a build that fails leaves the program as it is', () => {
  write('config/build-bundles.js', 'process.exit(7);');
  expect(build().status).toBe(7);
  expect(readdirSync(join(root, 'dist')).toSorted()).toEqual(['gone.js', 'main.js']);
  expect(readFileSync(join(root, 'dist/main.js'), 'utf8')).toBe('old');
});
