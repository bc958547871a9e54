/** What a program pays for `import 'jobvault'`: a few small modules, and no package. */
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const SRC = fileURLToPath(new URL('../../../src', import.meta.url));

/** Modules that are loaded with it, and packages; `import type` is gone in JavaScript, and only that. */
async function loadedWith(entry: string) {
  const modules = new Set<string>();
  const packages = new Set<string>();
  const waiting = [join(SRC, entry)];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (modules.has(file)) continue;
    modules.add(file);
    const source = await readFile(file, 'utf8');
    for (const [, name = ''] of source.matchAll(
      /^(?:import|export)\b(?! type\b)[^;]*?from '([^']+)';/gm,
    )) {
      if (name.startsWith('.')) waiting.push(join(dirname(file), name.replace(/\.js$/, '.ts')));
      else if (!name.startsWith('node:')) packages.add(name);
    }
  }
  return { modules, packages };
}

it('jobvault loads no package, and few modules, until something is called', async () => {
  const { modules, packages } = await loadedWith('index.ts');
  expect([...packages]).toEqual([]);
  expect(modules.size).toBeGreaterThan(20);
  expect(modules.size).toBeLessThan(60);
});

it('sees packages where they are loaded: those of the client of the service', async () => {
  const { packages } = await loadedWith('service.ts');
  expect([...packages]).toContain('undici');
});

it('names no way to append to the log, and nothing of the command line', async () => {
  const library = await import('../../../src/index.js');
  expect(Object.keys(library)).not.toContain('CommitLog');
  expect(Object.keys(library).filter((name) => /Text$|config|Meter|Notices/.test(name))).toEqual(
    [],
  );
  for (const value of Object.values<unknown>(library)) expect(value).toBeDefined();
});
