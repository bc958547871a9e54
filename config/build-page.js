// Puts the report's page together: its modules as one classic script (a page opened from disk may not load
// modules), its style sheets as one. No bundler: modules import by name, export functions, classes and
// constants, and never in a circle.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { building } from './build-folder.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const page = resolve(root, 'src/report/page');
const assets = resolve(building, 'report/assets');

const options = {
  module: ts.ModuleKind.ESNext,
  target: ts.ScriptTarget.ES2022,
  verbatimModuleSyntax: true,
};

const IMPORT = /^import (\{[^}]*\}) from '([^']+)';$/gm;
const EXPORT = /^export ((?:async )?(?:function\*?|class|const) (\w+))/gm;

/** In an order in which every module comes after those that it imports. */
const modules = new Map();

function take(path, importers) {
  if (importers.includes(path)) throw new Error(`${basename(path)} imports itself in a circle`);
  if (modules.has(path)) return modules.get(path).name;
  const source = ts.transpile(readFileSync(path, 'utf8'), options);
  const names = [...source.matchAll(EXPORT)].map(([, , name]) => name);
  const body = source
    .replace(IMPORT, (_all, wanted, from) => {
      const name = take(resolve(dirname(path), from.replace(/\.js$/, '.ts')), [...importers, path]);
      return `const ${wanted.replaceAll(' as ', ': ')} = ${name};`;
    })
    .replace(EXPORT, '$1')
    .replace(/^export \{\};$/m, '');
  if (/^(?:import|export) /m.test(body))
    throw new Error(`${path}: an import or export of another kind`);
  // no name in a module begins like this
  const name = `$${basename(path, '.ts').replaceAll('-', '_')}`;
  modules.set(path, {
    name,
    text: `const ${name} = (() => {\n${body}return { ${names.join(', ')} };\n})();`,
  });
  return name;
}

take(resolve(page, 'main.ts'), []);
const script = [...modules.values()].map(({ text }) => text).join('\n');
const sheets = readdirSync(page).filter((name) => name.endsWith('.css'));

mkdirSync(assets, { recursive: true });
writeFileSync(resolve(assets, 'page.js'), `'use strict';\n{\n${script}\n}\n`);
writeFileSync(
  resolve(assets, 'style.css'),
  sheets
    .sort()
    .map((name) => readFileSync(resolve(page, name), 'utf8'))
    .join('\n'),
);
