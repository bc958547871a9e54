// Whoever installs jobvault gets a list of the packages that the build has put into its files (an SBOM): an audit
// looks for vulnerable versions in the lock, where these are not.
import { Buffer } from 'node:buffer';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const lock = readJson(resolve(root, 'package-lock.json')).packages;

/**
 * Writes it as CycloneDX. The same packages are the same bytes.
 *
 * @param bundled by folder of a package the files of `dist` that have some of it
 */
export function writeSbom(file, bundled) {
  const packages = new Map([...bundled].map(([folder, files]) => [folder, aboutOf(folder, files)]));
  const jobvault = readJson(resolve(root, 'package.json'));
  // the same version can be in two folders
  const components = new Map();
  for (const { component, files } of packages.values()) {
    const known = components.get(component.purl);
    const all = new Set([...(known?.files ?? []), ...files]);
    components.set(component.purl, { component, files: all });
  }
  const of = purlOf(jobvault);
  const direct = [...packages.values()].filter(
    ({ folder, about }) =>
      folder === resolve(root, 'node_modules', about.name) &&
      about.name in { ...jobvault.dependencies, ...jobvault.devDependencies },
  );
  const dependencies = new Map([[of, new Set(direct.map(({ component }) => component.purl))]]);
  for (const { folder, about, component } of packages.values()) {
    const known = dependencies.get(component.purl) ?? new Set();
    for (const name of Object.keys({ ...about.dependencies, ...about.peerDependencies })) {
      const needed = packages.get(folderFrom(folder, name));
      if (needed) known.add(needed.component.purl);
    }
    dependencies.set(component.purl, known);
  }
  const sbom = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      lifecycles: [{ phase: 'build' }],
      component: {
        type: 'application',
        'bom-ref': of,
        name: jobvault.name,
        version: jobvault.version,
        purl: of,
        licenses: licensesOf(jobvault),
      },
    },
    components: sortedBy(
      [...components.values()].map(({ component, files }) => ({
        ...component,
        evidence: { occurrences: [...files].sort().map((location) => ({ location })) },
      })),
      ({ purl }) => purl,
    ),
    dependencies: sortedBy(
      [...dependencies].map(([ref, needed]) => ({ ref, dependsOn: [...needed].sort() })),
      ({ ref }) => ref,
    ),
  };
  writeFileSync(file, `${JSON.stringify(sbom, null, 2)}\n`);
}

function aboutOf(folder, files) {
  const about = readJson(resolve(folder, 'package.json'));
  const { integrity } = lock[folder.slice(root.length)] ?? {};
  if (!integrity) throw new Error(`${folder}: the lock does not tell its bytes`);
  const [name, group] = about.name.split('/').reverse();
  const purl = purlOf(about);
  return {
    folder,
    about,
    files,
    component: {
      type: 'library',
      'bom-ref': purl,
      ...(group && { group }),
      name,
      version: about.version,
      purl,
      scope: 'required',
      licenses: licensesOf(about),
      // of the package as it is published
      hashes: [
        {
          alg: 'SHA-512',
          content: Buffer.from(integrity.replace(/^sha512-/, ''), 'base64').toString('hex'),
        },
      ],
    },
  };
}

/** Where Node finds a package that one in `folder` imports. */
function folderFrom(folder, name) {
  for (let at = folder; at !== dirname(at); at = dirname(at)) {
    const found = resolve(at, 'node_modules', name);
    if (existsSync(found)) return found;
  }
  return undefined;
}

function purlOf({ name, version }) {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}

function licensesOf({ license }) {
  return / (?:OR|AND|WITH) /.test(license)
    ? [{ expression: license }]
    : [{ license: { id: license } }];
}

function sortedBy(items, keyOf) {
  return items.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

function readJson(path) {
  return JSON.parse(readFileSync(path, 'utf8'));
}
