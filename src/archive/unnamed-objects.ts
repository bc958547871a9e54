/** Objects that no commit names: those of runs, artifacts that none can name any more, and those that jobvault has not made. */
import { groupBy } from '../base/group-by.js';
import type { RunId } from '../model/ids.js';
import type { Archive } from './archive.js';
import {
  COMMITS_PREFIX,
  manifestOf,
  runOfPart,
  isOwnPath,
  artifactPath,
  erasureKnownTo,
  isArtifactPath,
} from './paths.js';
import type { ObjectInfo, Storage } from '../storage/storage.js';

type Indexed = Pick<Archive, 'index'>;

/** Path of a new artifact. */
export function newArtifactPath({ index }: Indexed, sha256: string, extension: string): string {
  return artifactPath(sha256, extension, index.lastErasure);
}

/** Path at which these bytes are archived already. Undefined if they are not, and while an erasure is open. */
export function archivedArtifact(
  { index }: Indexed,
  sha256: string,
  extension: string,
): string | undefined {
  if (index.openErasures.size > 0) return undefined;
  return [0, ...index.erasures]
    .map((erasure) => artifactPath(sha256, extension, erasure))
    .find((path) => index.contents.artifacts.has(path));
}

/** Whether no commit names the artifact and none can: its writer had not read the newest erasure. */
export function isUselessArtifact({ index }: Indexed, path: string): boolean {
  if (!isArtifactPath(path) || index.contents.artifacts.has(path)) return false;
  return erasureKnownTo(path) < index.lastErasure;
}

/** Artifacts that were published before an erasure and can never be committed. None while one is open, which deletes its own. */
export async function uselessArtifacts(
  archive: Pick<Archive, 'storage' | 'index'>,
): Promise<string[]> {
  const useless: string[] = [];
  const { lastErasure, openErasures } = archive.index;
  if (lastErasure === 0 || openErasures.size > 0) return useless;
  for await (const { path } of archive.storage.list('artifacts/')) {
    if (isUselessArtifact(archive, path)) useless.push(path);
  }
  return useless;
}

/** Unnamed part files by run, as of the index's newest commit. Files that a commit once named are not included, nor artifacts: they belong to no run, and another run may be about to name them. */
export async function unnamedParts({
  storage,
  index,
}: Pick<Archive, 'storage' | 'index'>): Promise<Map<RunId, string[]>> {
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
export async function uselessManifests({
  storage,
  index,
}: Pick<Archive, 'storage' | 'index'>): Promise<string[]> {
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

/** Paths that jobvault does not make, ordered: they are reported, and left alone. @param prefix default: the whole archive */
export async function foreignFiles(storage: Storage, prefix = ''): Promise<string[]> {
  const foreign: string[] = [];
  for await (const { path } of storage.list(prefix)) if (!isOwnPath(path)) foreign.push(path);
  return foreign;
}
