/** The files that rows of `artifacts` name: such a row vouches for its file, since the log has the digest of its part file. */
import type { Row } from '../model/table-schema.js';
import { IntegrityError } from './archive-errors.js';
import type { NamedObject } from './checked-objects.js';
import { sha256OfArtifact } from './paths.js';

/**
 * The file that the row names; undefined if it names none, as that of a file which is not stored, and those of a
 * pseudonymised copy.
 *
 * @throws {IntegrityError} as `vouchedFor`
 */
export function artifactOf({ path, sha256, bytes }: Row): NamedObject | undefined {
  if (typeof path !== 'string' || path === '') return undefined;
  return vouchedFor({ path, sha256: String(sha256), bytes: Number(bytes ?? 0) });
}

/** @param named as a row has it @throws {IntegrityError} the path is not that of a file with this SHA-256 */
export function vouchedFor(named: NamedObject): NamedObject {
  if (sha256OfArtifact(named.path) === named.sha256) return named;
  throw new IntegrityError(named.path, 'digest', 'is in a row that has another SHA-256');
}
