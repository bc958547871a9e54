/** Reads back all that the archive has of a session, and proves that it is what the log says. */
import { rowFormatsOf, type ArchiveTask } from '../../archive/archive.js';
import type { RowFormat } from '../../formats/format.js';
import type { NamedObject } from '../../archive/objects/checked-objects.js';
import { sessionKey } from '../../model/ids.js';
import type { ArchivedSession } from '../../archive/state/archived-session.js';
import type { FileEntry } from '../../archive/log/commit.js';
import type { LogFacts } from '../../archive/state/log-facts.js';
import { FileProof } from './file-proof.js';
import { refusal, type PruneRefusal } from '../refusal.js';
import { isStored, rowsProblem } from './rows-problem.js';
import {
  hasComparedRows,
  SessionRowReader,
  type ArtifactRow,
  type SessionRows,
} from './session-rows.js';
import { IntegrityError } from '../../archive/archive-errors.js';
import { sha256OfArtifact } from '../../archive/paths.js';

export interface ArchiveProofOptions extends ArchiveTask {
  readonly facts: LogFacts;
  /** Sessions that may be asked for, by `sessionKey`. */
  readonly wanted: ReadonlySet<string>;
  /** Kinds of files that need not be stored, as far as they were not fetched. */
  readonly unfetched: ReadonlySet<string>;
}

export class ArchiveProof {
  readonly #files: FileProof;
  readonly #rows: SessionRowReader;

  constructor(readonly options: ArchiveProofOptions) {
    const { storage } = options.archive;
    this.#files = new FileProof(storage);
    this.#rows = new SessionRowReader(storage, options.wanted, options.signal);
  }

  /** Undefined where every file and every row has been read back and is right. @throws {StorageError} */
  async refusalOf(archived: ArchivedSession): Promise<PruneRefusal | undefined> {
    const files = this.options.facts.filesOf(archived);
    const formats = await rowFormatsOf(this.options.archive);
    const unprovable = this.#unprovable(files, formats);
    if (unprovable) return unprovable;
    const rowsBy = new Map<RowFormat, SessionRows>();
    const compared = new Set<FileEntry>();
    try {
      for (const format of formats) {
        const ofFormat = ({ path }: FileEntry) => path.endsWith(`.${format.extension}`);
        const formatFiles = files.filter((file) => hasComparedRows(file) && ofFormat(file));
        rowsBy.set(format, await this.#rows.rowsOf(keyOf(archived), formatFiles, format));
        for (const file of formatFiles) compared.add(file);
      }
    } catch (error) {
      if (!(error instanceof IntegrityError)) throw error;
      return refusal('damaged', error.message);
    }
    const damaged = await this.#damage(files.filter((file) => !compared.has(file)));
    if (damaged) return damaged;
    for (const [format, rows] of rowsBy) {
      const problem = rowsProblem(archived, rows, this.options.unfetched);
      if (problem !== undefined) return refusal('rows', `${format.name}: ${problem}`);
      const lost = await this.#lostFile(rows.artifacts);
      if (lost) return lost;
    }
    return undefined;
  }

  /** What jobvault.json says of the formats decides what is read back: it must agree with the log. */
  #unprovable(
    files: readonly NamedObject[],
    formats: readonly RowFormat[],
  ): PruneRefusal | undefined {
    const { formats: named } = this.options.archive.identity;
    if (formats.length === 0) {
      const kept = named.join(' and ');
      return refusal('rows', `no rows can be read back of what is kept as ${kept} alone`);
    }
    const extensions = [...formats.map(({ extension }) => extension), ...named];
    const foreign = files.find(
      ({ path }) => !extensions.some((extension) => path.endsWith(`.${extension}`)),
    );
    if (!foreign) return undefined;
    const problem = `${foreign.path} is in none of the formats that jobvault.json names`;
    return refusal('rows', `${problem} (${named.join(', ')})`);
  }

  async #damage(files: readonly NamedObject[]): Promise<PruneRefusal | undefined> {
    for (const file of files) {
      const problem = await this.#files.problemOf(file, this.options.signal);
      if (problem !== undefined) return refusal('damaged', `${file.path} ${problem}`);
    }
    return undefined;
  }

  /** The artifacts of all versions, those of older ones included. */
  async #lostFile(rows: readonly ArtifactRow[]): Promise<PruneRefusal | undefined> {
    for (const { path, bytes, sha256 } of rows.filter(isStored)) {
      if (sha256OfArtifact(path) !== sha256) {
        return refusal('damaged', `${path} is in a row of artifacts that has another SHA-256`);
      }
      const damaged = await this.#damage([{ path, bytes, sha256 }]);
      if (damaged) return damaged;
    }
    return undefined;
  }
}

function keyOf({ user, session }: ArchivedSession): string {
  return sessionKey(user, session);
}
