/** The text files of this repository, for tests that compare documents with code. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

const TEXT = /\.(?:ts|js|css|md|json|ya?ml|sh|sql|service|timer|html)$|^[^.]+$/;
const FOREIGN = new Set(['node_modules', 'dist', 'coverage', '.git']);

/** Paths relative to the root, sorted. @param folder relative to the root; default: all of it */
export async function repositoryFiles(folder = ''): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(join(ROOT, folder), { withFileTypes: true })) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (FOREIGN.has(entry.name) || entry.name.startsWith('jobvault-demo')) continue;
    if (entry.isDirectory()) found.push(...(await repositoryFiles(path)));
    else if (TEXT.test(entry.name)) found.push(path);
  }
  return found.sort();
}
