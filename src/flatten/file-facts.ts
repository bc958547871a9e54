/** A job's files once they are settled: what is known of each, and a digest over their bytes. */
import type { ArtifactStatus } from '../model/records.js';
import { canonicalJson } from '../base/text/canonical-json.js';
import { sha256Hex } from '../base/digest.js';
import { type FileReference, placeKey } from './file-references.js';

/** A digest over the bytes of a job's stored files, place by place; null if none is stored. */
export function filesDigest(
  references: readonly FileReference[],
  files: ReadonlyMap<string, Pick<FileFacts, 'stored'>>,
): string | null {
  const stored = references.flatMap((reference) => {
    const place = placeKey(reference);
    const sha256 = files.get(place)?.stored?.sha256;
    return sha256 === undefined ? [] : [[place, sha256]];
  });
  return stored.length === 0 ? null : digestOfFiles(stored);
}

/** @param stored place and SHA-256 of each, in the order of the record */
export function digestOfFiles(stored: readonly (readonly string[])[]): string {
  return sha256Hex(canonicalJson(stored.toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1))));
}

/** The facts about a block's file once it is settled. */
export interface FileFacts {
  readonly status: ArtifactStatus;
  /** One short sentence; null when stored. */
  readonly reason: string | null;
  /** Present when, and only when, the status is `stored`. */
  readonly stored?: StoredFacts;
}

/** What the bytes of a file tell of it, and how its host called it. */
export interface FileContent {
  readonly sha256: string;
  readonly bytes: number;
  /** Sniffed from the bytes, never from the name: `text/csv`, `image/png`, `application/octet-stream`. */
  readonly mediaType: string;
  /** The name that the host gave it (Content-Disposition); null without one. */
  readonly sentName: string | null;
  /** Why its content is doubtful, in a few words; null if it is not. */
  readonly suspicious: string | null;
  /** The records of a CSV after the heading. */
  readonly rowCount: number | null;
  readonly columnCount: number | null;
  /** The size of an image in pixels. */
  readonly width: number | null;
  readonly height: number | null;
  /** The encoding of a TABLE that is a text, or `unknown`; what separates its cells; the line of its heading, from 1. */
  readonly encoding: string | null;
  readonly separator: string | null;
  readonly headingLine: number | null;
}

export interface StoredFacts extends FileContent {
  /** In the archive, beginning with `artifacts/`. */
  readonly path: string;
  /** Whether it is a table with a beginning for searches: `artifacts.table_text`. */
  readonly hasTableText: boolean;
}

/** Whether the file is stored, and its content is doubtful. */
export function isSuspicious({ stored }: FileFacts): boolean {
  return stored !== undefined && stored.suspicious !== null;
}
