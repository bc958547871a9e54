/** Objects that neither a commit nor a row names: those of runs, artifacts that none can name any more, and those that jobvault has not made. */
import { groupBy } from '../../base/group-by.js';
import type { RunId } from '../../model/ids.js';
import type { Archive } from '../archive.js';
import { NamedArtifacts } from './named-artifacts.js';
import {
  COMMITS_PREFIX,
  commitNumberOf,
  manifestOf,
  runOfPart,
  isOwnPath,
  ARTIFACTS_PREFIX,
} from '../paths.js';
import type { ObjectInfo, Storage } from '../../storage/storage.js';

/**
 * Artifacts that no row names and that none can name any more: their writers had not read the newest erasure (I-23 in
 * FORMAT.md). None while rows cannot be read, nor while an erasure is open, which deletes its own.
 */
export async function uselessArtifacts(archive: Archive): Promise<string[]> {
  const { lastErasure, openErasures } = archive.index;
  if (lastErasure === 0 || openErasures.size > 0) return [];
  await using named = await namedNow(archive);
  if (!named.isWhole) return [];
  const useless: string[] = [];
  for await (const path of unnamedIn(archive, named, lastErasure)) useless.push(path);
  return useless;
}

/**
 * Artifacts whose writers had not read the commit about an erasure, and that no row names as of the newest commit that the
 * index knows: none can name them any more.
 *
 * @throws {IntegrityError} rows cannot be read: what they name is not known
 */
export async function* unnamedArtifacts(archive: Archive, erasure: number): AsyncGenerator<string> {
  await using named = await namedNow(archive);
  named.assertWhole();
  yield* unnamedIn(archive, named, erasure);
}

function namedNow(archive: Archive): Promise<NamedArtifacts> {
  return NamedArtifacts.read(archive, { files: archive.index.contents.files.values() });
}

function unnamedIn(
  { storage }: Archive,
  named: NamedArtifacts,
  erasure: number,
): AsyncGenerator<string> {
  return named.unnamedBefore(erasure, storage.list(ARTIFACTS_PREFIX));
}

/** Unnamed part files by run, as of the index's newest commit. Files that a commit once named are not included, nor artifacts: they belong to no run, and another run may be about to name them. */
export async function unnamedParts({ storage, index }: Archive): Promise<Map<RunId, string[]>> {
  const found: { readonly run: RunId; readonly path: string }[] = [];
  for await (const { path } of storage.list('tables/')) {
    const run = runOfPart(path);
    const { files, removed } = index.contents;
    if (run !== undefined && !files.has(path) && !removed.has(path)) found.push({ run, path });
  }
  const byRun = groupBy(found, ({ run }) => run);
  return new Map([...byRun].map(([run, parts]) => [run, parts.map(({ path }) => path)]));
}

/**
 * Manifests for a number that another commit has taken: no run can name them any more. An erasure
 * publishes redacted manifests after its receipt, so the log must be read after the manifests are listed. None while one
 * is open: a commit that it has not redacted yet names its own.
 */
export async function uselessManifests({ storage, index }: Archive): Promise<string[]> {
  const listed: { readonly path: string; readonly number: number }[] = [];
  for await (const { path } of storage.list(COMMITS_PREFIX)) {
    const manifest = manifestOf(path);
    if (manifest) listed.push({ path, number: manifest.number });
  }
  await index.refresh();
  if (index.openErasures.size > 0) return [];
  const { manifests } = index.contents;
  return listed
    .filter(({ path, number }) => number <= index.through && !manifests.has(path))
    .map(({ path }) => path);
}

/** What file managers leave in every directory that they show. */
const OF_FILE_MANAGERS = /(?:^|\/)(?:\.DS_Store|\._[^/]*|desktop\.ini|Thumbs\.db|\.directory)$/i;

/** Whether the path is a file of a file manager. A directory with nothing else counts as empty. */
export function isOfFileManager(path: string): boolean {
  return OF_FILE_MANAGERS.test(path);
}

/** Lists only objects that jobvault makes. */
export async function* listOwn(storage: Storage, prefix: string): AsyncGenerator<ObjectInfo> {
  for await (const object of storage.list(prefix)) if (isOwnPath(object.path)) yield object;
}

/** What one listing of everything beside rows and files tells. */
interface ListedBesideRows {
  /** Paths that jobvault does not make, ordered: they are reported, and left alone. */
  readonly foreign: string[];
  /** The numbers of the commits. */
  readonly commits: ReadonlySet<number>;
}

export async function listBesideRows(storage: Storage): Promise<ListedBesideRows> {
  const foreign: string[] = [];
  const commits = new Set<number>();
  for await (const { path } of storage.list('_')) {
    const number = commitNumberOf(path);
    if (number !== undefined) commits.add(number);
    if (!isOwnPath(path)) foreign.push(path);
  }
  return { foreign, commits };
}
