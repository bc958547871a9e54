// Whoever installs jobvault gets the licenses of the packages that the build has put into its files.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** The folder of a module's package; undefined of a module of jobvault. */
export function packageFolderOf(id) {
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0];
}

export function writeLicenses(file, folders) {
  writeFileSync(file, `${licensesTextOf(folders)}\n`);
}

export function licensesTextOf(folders) {
  const licenses = [...folders].sort().map((folder) => {
    const about = JSON.parse(readFileSync(resolve(folder, 'package.json'), 'utf8'));
    const title = `${about.name} ${about.version} (${about.license})`;
    return [title, ...licensesOf(folder)].join('\n\n');
  });
  const line = '-'.repeat(80);
  return licenses.join(`\n\n${line}\n\n`);
}

/** What a package says of its license, in files beside its package.json and in a folder of their own. */
function licensesOf(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => /^(?:licen[cs]e|notice|copying|copyright)/i.test(name))
    .flatMap((entry) => {
      const path = resolve(folder, entry.name);
      if (!entry.isDirectory()) return [path];
      return readdirSync(path).map((name) => resolve(path, name));
    })
    .map((path) => readFileSync(path, 'utf8').trim());
}
