// Puts the command line's modules together in a few files: Node takes twice as long to start with 500 of them.
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('..', import.meta.url));
const { dependencies, optionalDependencies } = JSON.parse(
  readFileSync(resolve(root, 'package.json'), 'utf8'),
);
const packages = Object.keys({ ...dependencies, ...optionalDependencies });
const main = resolve(root, 'dist/main.js');

const bundle = await rolldown({
  input: main,
  platform: 'node',
  // packages stay packages: whoever installs jobvault sees and mends them
  external: (id) => packages.some((name) => id === name || id.startsWith(`${name}/`)),
  onLog(_level, log) {
    throw new Error(log.message);
  },
});
// one folder deep, as the modules were: some look for files beside theirs
await bundle.write({ dir: resolve(root, 'dist/bin'), format: 'es' });
await bundle.close();
writeFileSync(main, "#!/usr/bin/env node\nimport './bin/main.js';\n");
chmodSync(main, 0o755);
