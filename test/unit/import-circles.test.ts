/** No module of src imports itself over others: each can be read, and taken out, without the ones above it. */
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const SOURCE = fileURLToPath(new URL('../../src', import.meta.url));
/** Of `import … from`, `export … from`, `import()` and `import` alone, as Prettier writes them. */
const OWN_IMPORT = /(?:\bfrom |\bimport\(|\bimport )'(\.[^']+)'/g;

type Imports = ReadonlyMap<string, readonly string[]>;

async function importsOf(folder: string): Promise<Imports> {
  const paths = (await readdir(folder, { recursive: true })).filter((path) => path.endsWith('.ts'));
  const entries = paths.map(async (path) => {
    const text = await readFile(join(folder, path), 'utf8');
    const own = [...text.matchAll(OWN_IMPORT)].map(([, name = '']) => name);
    return [path, own.map((name) => join(dirname(path), name).replace(/\.js$/, '.ts'))] as const;
  });
  return new Map(await Promise.all(entries));
}

/** Everything that a module imports, and what that imports, and so on. */
function reachOf(path: string, imports: Imports): Set<string> {
  const reached = new Set<string>();
  const ahead = [...(imports.get(path) ?? [])];
  for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
    if (reached.has(next)) continue;
    reached.add(next);
    ahead.push(...(imports.get(next) ?? []));
  }
  return reached;
}

/** Modules that import each other, over whatever others; each circle as its paths, sorted. */
function circlesOf(imports: Imports): string[] {
  const reach = new Map([...imports.keys()].map((path) => [path, reachOf(path, imports)]));
  const inCircle = [...reach].filter(([path, reached]) => reached.has(path));
  const circles = inCircle.map(([path, reached]) =>
    [...reached].filter((other) => reach.get(other)?.has(path)).toSorted(),
  );
  return [...new Set(circles.map((circle) => circle.join(' ')))].toSorted();
}

it('finds a circle over several modules, and none where there is none', () => {
  const imports = new Map([
    ['a.ts', ['b.ts']],
    ['b.ts', ['c.ts', 'd.ts']],
    ['c.ts', ['a.ts']],
    ['d.ts', []],
  ]);
  expect(circlesOf(imports)).toEqual(['a.ts b.ts c.ts']);
  expect(circlesOf(new Map([...imports, ['c.ts', ['d.ts']]]))).toEqual([]);
});

it('has no circle of imports in src, of types neither', async () => {
  const imports = await importsOf(SOURCE);
  expect(imports.size).toBeGreaterThan(300);
  expect([...imports.values()].flat().length).toBeGreaterThan(2000);
  expect(circlesOf(imports)).toEqual([]);
});
