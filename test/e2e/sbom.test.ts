/** The list of bundled packages, read from what `npm pack` makes and compared with the lock, the source and the bundles. */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = new URL('../..', import.meta.url).pathname;
const run = promisify(execFile);

interface Component {
  readonly group?: string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly hashes: readonly { readonly alg: string; readonly content: string }[];
  readonly evidence: { readonly occurrences: readonly { readonly location: string }[] };
}

interface Sbom {
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: string[] }[];
}

interface Locked {
  readonly version: string;
  readonly integrity?: string;
  readonly dependencies?: Record<string, string>;
  readonly optionalDependencies?: Record<string, string>;
  readonly peerDependencies?: Record<string, string>;
}

describe('the SBOM in the packed package', () => {
  let directory: string;
  let unpacked: string;
  let text: string;
  let sbom: Sbom;
  let lock: Record<string, Locked>;
  /** Packages by their folder that the bundled modules may import, as the lock tells it. */
  let reachable: Map<string, Locked>;
  /** Names of packages that the source imports and that are not installed with jobvault. */
  let imported: Set<string>;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'jobvault-sbom-'));
    const pack = ['pack', '--ignore-scripts', '--offline', '--pack-destination', directory];
    await run('npm', pack, { cwd: root });
    const [file = ''] = await readdir(directory);
    await run('tar', ['-xf', join(directory, file), '-C', directory]);
    unpacked = join(directory, 'package');
    text = await readFile(join(unpacked, 'dist/sbom.cdx.json'), 'utf8');
    sbom = JSON.parse(text) as Sbom;
    lock = (
      JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as {
        packages: Record<string, Locked>;
      }
    ).packages;
    const { dependencies, optionalDependencies } = lock['']!;
    const installed = new Set(Object.keys({ ...dependencies, ...optionalDependencies }));
    const everywhere = await importedBySource();
    imported = new Set([...everywhere].filter((name) => !installed.has(name)));
    reachable = reachableFrom(everywhere);
  });

  afterAll(async () => {
    await rm(directory, { recursive: true, force: true });
  });

  function reachableFrom(names: Iterable<string>): Map<string, Locked> {
    const reached = new Map<string, Locked>();
    const folders = [...names].map((name) => `node_modules/${name}`);
    for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
      const locked = lock[folder];
      if (locked === undefined || reached.has(folder)) continue;
      reached.set(folder, locked);
      for (const name of Object.keys({
        ...locked.dependencies,
        ...locked.optionalDependencies,
        ...locked.peerDependencies,
      })) {
        folders.push(folderFrom(folder, name));
      }
    }
    return reached;
  }

  function folderFrom(folder: string, name: string): string {
    for (let at = folder; at !== ''; at = at.replace(/\/?[^/]*$/, '')) {
      if (`${at}/node_modules/${name}` in lock) return `${at}/node_modules/${name}`;
    }
    return `node_modules/${name}`;
  }

  it('is valid CycloneDX by the schema of its authors', async () => {
    const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6);
    expect(await validator.validate(text)).toBeNull();
    expect(await validator.validate(text.replace('"library"', '"book"'))).not.toBeNull();
  });

  it('has every package that the source imports and that is not installed with jobvault', () => {
    expect(imported).toContain('bullmq');
    const names = new Set(sbom.components.map((component) => nameOf(component)));
    expect([...imported].filter((name) => !names.has(name))).toEqual([]);
  });

  it('has only packages that these bring along, each with the version and bytes of the lock', () => {
    const known = new Set(
      [...reachable].map(([folder, { version, integrity = '' }]) => {
        const name = folder.replace(/^.*node_modules\//, '');
        return `${name} ${version} ${Buffer.from(integrity.slice(7), 'base64').toString('hex')}`;
      }),
    );
    const listed = sbom.components.map(
      (component) => `${nameOf(component)} ${component.version} ${component.hashes[0]!.content}`,
    );
    expect(listed.filter((one) => !known.has(one))).toEqual([]);
    expect(new Set(listed).size).toBe(listed.length);
  });

  it('misses no package whose texts are in a built file', async () => {
    const listed = new Set(sbom.components.map((one) => `${nameOf(one)} ${one.version}`));
    const files = await readdir(join(unpacked, 'dist'), { recursive: true });
    const built = new Set<string>();
    for (const path of files.filter((one) => /^(?!bench|simulate).*\.js$/.test(one))) {
      const code = await readFile(join(unpacked, 'dist', path), 'utf8');
      for (const literal of textsIn(code)) built.add(literal);
    }
    const ofListed = new Set<string>();
    const ofOthers = new Map<string, string>();
    // these are what could be bundled by mistake; what only installed packages bring along is never resolved
    for (const [folder, { version }] of reachableFrom([...imported, 'hyparquet-writer', 'zod'])) {
      const name = `${folder.replace(/^.*node_modules\//, '')} ${version}`;
      for (const literal of await textsOf(folder)) {
        if (listed.has(name)) ofListed.add(literal);
        else ofOthers.set(literal, name);
      }
    }
    // the comparison sees what is bundled, and has something to look for
    expect([...ofListed].filter((literal) => built.has(literal)).length).toBeGreaterThan(100);
    expect(ofOthers.size).toBeGreaterThan(100);
    const missing = [...ofOthers].filter(
      ([literal]) => built.has(literal) && !ofListed.has(literal),
    );
    expect(missing).toEqual([]);
  });

  it('names files of the package, and says which package brought another along', async () => {
    const locations = sbom.components.flatMap(({ evidence }) => evidence.occurrences);
    for (const { location } of locations) await readFile(join(unpacked, location));
    const needs = new Map(sbom.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
    const seen = new Set<string>();
    const refs = sbom.dependencies.map(({ ref }) => ref).filter((ref) => /\/jobvault@/.test(ref));
    expect(refs).toHaveLength(1);
    for (let ref = refs.pop(); ref !== undefined; ref = refs.pop()) {
      if (!seen.has(ref)) refs.push(...(needs.get(ref) ?? []));
      seen.add(ref);
    }
    expect(sbom.components.map(({ purl }) => purl).filter((purl) => !seen.has(purl))).toEqual([]);
  });
});

function nameOf({ group, name }: Component): string {
  return group === undefined ? name : `${group}/${name}`;
}

/** Names of the packages that modules of jobvault import, types aside. */
async function importedBySource(): Promise<Set<string>> {
  const paths = await readdir(join(root, 'src'), { recursive: true });
  const names = new Set<string>();
  for (const path of paths.filter((one) => one.endsWith('.ts') && !one.endsWith('.d.ts'))) {
    const code = await readFile(join(root, 'src', path), 'utf8');
    const imports = code.matchAll(
      /^(?:import|export) (?!type )[^;]*?from '([^'.][^']*)';|\bimport\('([^'.][^']*)'\)/gm,
    );
    for (const [, fixed, late] of imports) {
      const id = fixed ?? late ?? '';
      const name = /^(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? '';
      if (!id.startsWith('node:') && !builtinModules.includes(name)) names.add(name);
    }
  }
  return names;
}

/** Texts of a package's code that are long enough to be its own. */
async function textsOf(folder: string): Promise<string[]> {
  const paths = await readdir(join(root, folder), { recursive: true }).catch(() => []);
  const code = paths.filter(
    (path) => /\.[cm]?js$/.test(path) && !/(?:^|\/)(?:node_modules|tests?)\//.test(path),
  );
  const found: string[] = [];
  for (const path of code) found.push(...textsIn(await readFile(join(root, folder, path), 'utf8')));
  return found;
}

function textsIn(code: string): string[] {
  const literals = code.matchAll(/["'`]([A-Za-z]+ [A-Za-z ,.:]{28,119})["'`]/g);
  return [...literals].map(([, literal = '']) => literal);
}
