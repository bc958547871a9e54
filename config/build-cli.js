// Puts the command line's modules together in a few files: Node takes twice as long to start with 500 of them.
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { building } from './build-folder.js';
import { INLINED } from './inlined.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const { dependencies, optionalDependencies } = JSON.parse(
  readFileSync(resolve(root, 'package.json'), 'utf8'),
);
/** What nearly every command needs: it is read in half the time where only that of it is read which is used. */
const inlined = ['hyparquet', 'hyparquet-writer', 'zod'];
const packages = Object.keys({ ...dependencies, ...optionalDependencies }).filter(
  (name) => !inlined.includes(name),
);
const main = resolve(building, 'main.js');
const service = resolve(building, 'service');
/** Where the modules are that stay files of their own, seen from `dist/bin`. */
const separate = new Map(INLINED.map((path) => [resolve(building, path), `../${path}`]));

/** The parts of undici that jobvault uses: the whole of it takes 50 ms of the time in which an export starts. */
const undici = `
import api from 'undici/lib/api/index.js';
import Agent from 'undici/lib/dispatcher/agent.js';
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import ProxyAgent from 'undici/lib/dispatcher/proxy-agent.js';
Object.assign(Dispatcher.prototype, api); // as undici itself does
export { Agent, Dispatcher, Pool, ProxyAgent };
`;

const bundle = await rolldown({
  input: main,
  platform: 'node',
  // other packages stay packages: whoever installs jobvault sees and mends them
  external: (id) =>
    id !== 'undici' &&
    (packages.some((name) => id === name || id.startsWith(`${name}/`)) || separate.has(id)),
  plugins: [
    {
      name: 'parts-of-undici',
      resolveId: (id) => (id === 'undici' ? '\0undici' : null),
      load: (id) => (id === '\0undici' ? { code: undici, moduleSideEffects: true } : null),
    },
    {
      // a third of the time in which Node starts goes into loading all that is known of emoji and graphemes:
      // help has signs as wide as a letter, but for a few in examples, which are short; tables seldom have others
      name: 'widths',
      resolveId: (id, importer) =>
        id === 'string-width' && /\/(yargs|cliui|wrap-ansi)\//.test(importer ?? '')
          ? '\0length'
          : null,
      load: (id) => (id === '\0length' ? 'export default (text) => text.length;' : null),
      transform: (code, id) =>
        id === fileURLToPath(import.meta.resolve('string-width'))
          ? replaced(
              code,
              'const segmenter = new Intl.Segmenter();',
              'let made; const segmenter = { segment: (text) => (made ??= new Intl.Segmenter()).segment(text) };',
            )
          : null,
    },
  ],
  onLog(_level, log) {
    throw new Error(log.message);
  },
});
// one folder deep, as the modules were: some look for files beside theirs
const { output } = await bundle.write({
  dir: resolve(building, 'bin'),
  format: 'es',
  codeSplitting: {
    groups: [
      // without main itself, which waits for the command: what is loaded meanwhile must not wait for main
      { name: 'start', tags: ['$initial'], test: (id) => id !== main },
      // help needs these, and nothing else of what nearly every command loads
      { name: 'widths', test: /\/node_modules\/(ansi-regex|strip-ansi)\// },
      // what nearly every command loads; the client of the service brings undici along, which half of them do without;
      // the library loads the storage when it opens an archive
      {
        name: 'commands',
        minShareCount: 20,
        test: (id) => !id.startsWith(service) && !id.endsWith('/storage/open-storage.js'),
      },
    ],
  },
  paths: (id) => separate.get(id) ?? id,
});
await bundle.close();
/** Files of the bundle, each with the modules that are in it. */
export const bundledFiles = output.map(({ fileName, modules = {} }) => ({
  file: `bin/${fileName}`,
  modules: Object.keys(modules),
}));
// the bundle has them; the library, and what stays a file of its own, need few of them or none
const needed = reachOf(
  ['index.js', 'service.js', 'emulator.js'].map((name) => resolve(building, name)),
);
for (const room of ['cli', 'config', 'mcp', 'report/page', 'telemetry']) {
  const entries = readdirSync(resolve(building, room), {
    recursive: true,
    withFileTypes: true,
  });
  for (const { parentPath, name } of entries.filter((entry) => entry.name.endsWith('.js'))) {
    const path = resolve(parentPath, name);
    if (!needed.has(path)) rmSync(path);
  }
}
writeFileSync(
  main,
  `#!/usr/bin/env node
import module from 'node:module';
import { join } from 'node:path';

// from Node 22 on, what V8 has compiled is kept; not in the directory that all users share, where another
// user could leave code of theirs
const { XDG_CACHE_HOME, HOME } = process.env;
const cache = XDG_CACHE_HOME || (HOME && join(HOME, '.cache'));
if (cache) module.enableCompileCache?.(join(cache, 'jobvault', 'compiled'));
await import('./bin/main.js');
`,
);
chmodSync(main, 0o755);

function replaced(code, text, by) {
  if (!code.includes(text)) throw new Error(`a package has changed: it has no ${text}`);
  return code.replace(text, by);
}

/** Modules, and what they import. */
function reachOf(entries) {
  const reached = new Set([...entries, ...separate.keys()]);
  for (const path of reached) {
    const text = readFileSync(path, 'utf8');
    for (const [, id] of text.matchAll(/(?:from |import\()['"](\.[^'"]+\.js)['"]/g)) {
      reached.add(resolve(path, '..', id));
    }
  }
  return reached;
}
