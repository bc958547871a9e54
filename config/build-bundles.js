// Puts packages into the built files: into the program and the report's page what they need, and into some modules what
// few need, and that only in part. Whoever installs jobvault gets the part, not the package. Their licenses go along.
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { bundledFiles } from './build-cli.js';
import { building } from './build-folder.js';
import { pageScript } from './build-page.js';
import { INLINED } from './inlined.js';
import { packageFolderOf, writeLicenses } from './licenses.js';
import { writeSbom } from './sbom.js';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * What is loaded and never called. Of exceljs's streaming writer: readers, other archives, walks through
 * directories; of BullMQ: times of repeated jobs.
 */
const UNUSED = [
  'saxes',
  'tar-stream',
  'glob',
  'readdir-glob',
  'graceful-fs',
  'lazystream',
  'lodash.flatten',
  'lodash.difference',
  'lodash.union',
  'lodash.isplainobject',
  'cron-parser',
];
const REPLACED = new Map([
  ...UNUSED.map((name) => [name, 'module.exports = {};']),
  // of msgpackr in BullMQ: native code, without which it works as well
  ['msgpackr-extract', 'module.exports = null;'],
  ['safe-buffer', `module.exports = require('node:buffer');`],
]);

const { dependencies } = JSON.parse(readFileSync(resolve(root, 'package.json'), 'utf8'));
const isInstalled = (id) =>
  Object.keys(dependencies).some((name) => id === name || id.startsWith(`${name}/`));

/** By folder of a package the files that have some of it. */
const packages = new Map();
for (const { file, modules } of [...bundledFiles, pageScript]) note(file, modules);

for (const path of INLINED) {
  const module = resolve(building, path);
  const bundle = await rolldown({
    input: module,
    platform: 'node',
    external: (id, importer) =>
      (importer === module && id.startsWith('.')) || (importer !== undefined && isInstalled(id)),
    plugins: [
      {
        name: 'replaced',
        resolveId: (id) => (REPLACED.has(id) ? `\0${id}` : null),
        load: (id) => (id.startsWith('\0') ? (REPLACED.get(id.slice(1)) ?? null) : null),
        // Node prints a warning when it is called
        transform: (code) =>
          code
            .replace(/\bnew Buffer\((size|0)\)/g, 'Buffer.alloc($1)')
            .replaceAll(/\bnew Buffer\(/g, 'Buffer.from('),
      },
    ],
    onLog(_level, log) {
      // CommonJS of others, which is as it is
      if (log.code !== 'EVAL') throw new Error(log.message);
    },
  });
  const { output } = await bundle.generate({
    format: 'es',
    codeSplitting: false,
    minify: true,
    comments: false,
  });
  await bundle.close();
  const [chunk, ...others] = output;
  if (others.length > 0) throw new Error(`${path} became more than one file`);
  note(path, Object.keys(chunk.modules));
  writeFileSync(module, chunk.code);
}

// what made-up answers consist of
cpSync(resolve(root, 'src/emulator/fixtures'), resolve(building, 'emulator/fixtures'), {
  recursive: true,
});
writeLicenses(resolve(building, 'LICENSES.txt'), packages.keys());
writeSbom(resolve(building, 'sbom.cdx.json'), packages);

function note(file, modules) {
  for (const id of modules) {
    const folder = packageFolderOf(id);
    if (folder) packages.set(folder, (packages.get(folder) ?? new Set()).add(`dist/${file}`));
  }
}
