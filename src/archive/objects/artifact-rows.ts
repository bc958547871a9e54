/** The files that rows of `artifacts` name: such a row vouches for its file, since the log has the digest of its part file. */
import type { Row } from '../../model/table-schema.js';
import type { Storage } from '../../storage/storage.js';
import { IntegrityError } from '../archive-errors.js';
import type { NamedObject } from './checked-objects.js';
import { sha256OfArtifact } from '../paths.js';

/**
 * The file that the row names; undefined if it names none, as that of a file which is not stored, and those of a
 * pseudonymised copy.
 *
 * @param row with `path` and `bytes`; `sha256` may be left out
 * @throws {IntegrityError} the path is not that of a file with this SHA-256
 */
export function artifactOf({ path, sha256: told, bytes }: Row): NamedObject | undefined {
  if (typeof path !== 'string' || path === '') return undefined;
  const sha256 = sha256OfArtifact(path);
  if (sha256 !== undefined && sha256 === (told ?? sha256)) {
    return { path, bytes: Number(bytes ?? 0), sha256 };
  }
  throw new IntegrityError(path, 'digest', 'is in a row that has another SHA-256');
}

/**
 * The artifact at a path that a row names, with the size that it has; undefined of any other path.
 *
 * @throws {IntegrityError} it is missing
 */
export async function artifactAt(storage: Storage, path: string): Promise<NamedObject | undefined> {
  const sha256 = sha256OfArtifact(path);
  if (sha256 === undefined) return undefined;
  const there = await storage.stat(path);
  if (!there) throw new IntegrityError(path, 'missing', 'is missing');
  return { path, bytes: there.bytes, sha256 };
}
