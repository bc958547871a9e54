/** Finds the blocks and jobs that damaged or missing artifacts belong to. */
import { rowFormatsOf, type Archive } from '../archive/archive.js';
import type { NamedObject } from '../archive/objects/checked-objects.js';
import { sha256OfArtifact } from '../archive/paths.js';
import type { VerifyProblem } from '../archive/verify/findings.js';
import { FormatError } from '../formats/format.js';
import { asSessionId, asUserId, type SessionId, type UserId } from '../model/ids.js';
import type { Contents } from '../archive/log/contents.js';
import { columnsBut, readPart } from '../archive/parts/read-part.js';
import { IntegrityError } from '../archive/archive-errors.js';
import type { Row } from '../model/table-schema.js';
import { artifactsTable } from '../model/tables.js';

/** Its path has the SHA-256 of its bytes. */
export type ArtifactName = Pick<NamedObject, 'path' | 'sha256'>;

export interface LostArtifact {
  readonly entry: ArtifactName;
  /** Empty if no row names it, or the rows cannot be read. */
  readonly places: readonly ArtifactPlace[];
}

/** A block that points to the file. */
export interface ArtifactPlace {
  readonly user: UserId;
  readonly session: SessionId;
  readonly job: string;
  /** Its `placeKey`. */
  readonly place: string;
  /** As the service sent it, without its query; null without a URL. */
  readonly url: string | null;
}

/** The artifacts among what a check has found wrong: it looks at none that no row names. */
export function lostEntries(problems: readonly VerifyProblem[]): ArtifactName[] {
  const paths = new Set(problems.map(({ path }) => path));
  return [...paths].flatMap((path) => {
    const sha256 = sha256OfArtifact(path);
    return sha256 === undefined ? [] : [{ path, sha256 }];
  });
}

/** Reads the part files of the table `artifacts` once. */
export async function artifactPlaces(
  archive: Archive,
  entries: readonly ArtifactName[],
  contents: Contents,
): Promise<LostArtifact[]> {
  const places = new Map<string, ArtifactPlace[]>(entries.map(({ sha256 }) => [sha256, []]));
  const [format] = await rowFormatsOf(archive);
  if (!format) return entries.map((entry) => ({ entry, places: [] }));
  const files = [...contents.files.values()].filter(
    ({ path, table }) => table === artifactsTable.name && path.endsWith(`.${format.extension}`),
  );
  const omitted = columnsBut(artifactsTable, COLUMNS_READ);
  const reading = { table: artifactsTable, format, omitted };
  for (const file of files) {
    try {
      for await (const rows of readPart(archive, file, reading)) {
        for (const row of rows) places.get(String(row['sha256']))?.push(placeOf(row));
      }
    } catch (error) {
      // another file may also name the artifact
      if (!(error instanceof FormatError || error instanceof IntegrityError)) throw error;
    }
  }
  return entries.map((entry) => ({ entry, places: places.get(entry.sha256) ?? [] }));
}

const COLUMNS_READ = [
  'user_id',
  'session_id',
  'job_id',
  'role',
  'block_index',
  'file_index',
  'url',
  'sha256',
];

function placeOf(row: Row): ArtifactPlace {
  return {
    user: asUserId(String(row['user_id'])),
    session: asSessionId(String(row['session_id'])),
    job: String(row['job_id']),
    place: [row['role'], row['block_index'], row['file_index']].map(String).join('/'),
    url: typeof row['url'] === 'string' ? row['url'] : null,
  };
}
