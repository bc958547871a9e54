// Puts the report's page together: its modules, and the packages that they use, as one classic script (a page opened
// from disk may not load modules), its style sheets as one.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { building } from './build-folder.js';
import { licensesTextOf, packageFolderOf } from './licenses.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const page = resolve(root, 'src/report/page');
const styles = resolve(page, 'styles');
const assets = resolve(building, 'report/assets');

const bundle = await rolldown({
  input: resolve(page, 'main.ts'),
  platform: 'browser',
  resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
  onLog(_level, log) {
    throw new Error(log.message);
  },
});
const { output } = await bundle.generate({
  format: 'iife',
  codeSplitting: false,
  minify: true,
  comments: false,
});
await bundle.close();
const [chunk, ...others] = output;
if (others.length > 0) throw new Error('the page became more than one script');
const modules = Object.keys(chunk.modules);
// whoever gets a report gets the script, and the licenses with it
const licenses = licensesTextOf(new Set(modules.flatMap((id) => packageFolderOf(id) ?? [])));
const sheets = readdirSync(styles).filter((name) => name.endsWith('.css'));

mkdirSync(assets, { recursive: true });
writeFileSync(
  resolve(assets, 'page.js'),
  `/*\n${licenses.replaceAll('*/', '* /')}\n*/\n${chunk.code}`,
);
writeFileSync(
  resolve(assets, 'style.css'),
  sheets
    .sort()
    .map((name) => readFileSync(resolve(styles, name), 'utf8'))
    .join('\n'),
);

/** The script, with the modules that are in it. */
export const pageScript = { file: 'report/assets/page.js', modules };
