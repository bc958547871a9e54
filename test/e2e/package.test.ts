/** What somebody gets who installs jobvault: told from the lock and from the built files, without a registry. */
import { readdir, readFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { expect, it } from 'vitest';

const root = new URL('../..', import.meta.url).pathname;

interface Locked {
  readonly dev?: boolean;
  readonly integrity?: string;
  readonly os?: readonly string[];
  readonly engines?: { readonly node?: string };
}

interface Package {
  readonly dependencies: Record<string, string>;
  readonly optionalDependencies: Record<string, string>;
}

async function json<T>(path: string): Promise<T> {
  return JSON.parse(await readFile(join(root, path), 'utf8')) as T;
}

async function locked(): Promise<[path: string, entry: Locked][]> {
  const { packages } = await json<{ packages: Record<string, Locked> }>('package-lock.json');
  return Object.entries(packages).filter(([path]) => path !== '');
}

it('who installs jobvault gets at most 165 packages, whatever the platform', async () => {
  const forUsers = (await locked()).filter(([, { dev }]) => dev !== true);
  // a platform's own packages are one of each kind
  const everywhere = forUsers.filter(([, { os }]) => os === undefined);
  expect(everywhere.length).toBeGreaterThan(50);
  expect(everywhere.length + 2).toBeLessThanOrEqual(165);
});

it('who installs jobvault gets no package that wants more than Node 20', async () => {
  const tooNew = (await locked()).filter(
    ([, { dev, engines }]) => dev !== true && /^\s*(?:>=|\^|~)?\s*2[1-9]/.test(engines?.node ?? ''),
  );
  expect(tooNew).toEqual([]);
});

it('who installs or develops jobvault gets packages whose bytes the lock can tell', async () => {
  expect((await locked()).filter(([, { integrity }]) => integrity === undefined)).toEqual([]);
});

it('who installs jobvault gets every package that the built files import', async () => {
  const { dependencies, optionalDependencies } = await json<Package>('package.json');
  const known = new Set([
    ...Object.keys(dependencies),
    ...Object.keys(optionalDependencies),
    ...builtinModules,
  ]);
  const files = await readdir(join(root, 'dist'), { recursive: true });
  // other folders of dist are not packed
  const modules = files.filter((path) => /^(?!bench|simulate).*\.js$/.test(path));
  expect(modules.length).toBeGreaterThan(100);
  const foreign: string[] = [];
  for (const path of modules.filter((one) => !one.startsWith('report/assets'))) {
    const { body } = parseAst(await readFile(join(root, 'dist', path), 'utf8'));
    for (const statement of body) {
      const id = 'source' in statement ? statement.source?.value : undefined;
      const name = /^(?:@[^/]+\/)?[^/]+/.exec(id?.replace(/^node:/, '') ?? '.')?.[0] ?? '';
      if (!name.startsWith('.') && !known.has(name)) foreign.push(`${name} in ${path}`);
    }
  }
  expect(foreign).toEqual([]);
});
