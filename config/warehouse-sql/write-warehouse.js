// Writes the generated files of config/warehouse from the tables that src/model describes: npm run warehouse.
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const { warehouseFiles } = await import(
  new URL('../../dist/warehouse/config/warehouse-sql/warehouse-files.js', import.meta.url).href
);

const folder = fileURLToPath(new URL('../warehouse/', import.meta.url));
const names = (await readdir(join(folder, 'queries'))).sort();
const queries = new Map();
for (const name of names) {
  queries.set(name.replace(/\.sql$/, ''), await readFile(join(folder, 'queries', name), 'utf8'));
}
for (const [path, text] of warehouseFiles(queries)) {
  const file = join(folder, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}
