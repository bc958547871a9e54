/** Reads back all that the archive has of a session, and proves that it is what the log says. */
import type { Archive } from '../archive/archive.js';
import type { RowFormat } from '../formats/format.js';
import type { NamedObject } from '../archive/parts/checked-read.js';
import { sessionKey } from '../model/ids.js';
import type { ArchivedSession } from '../archive/state/archived-session.js';
import { FileProof } from './file-proof.js';
import type { LogFacts } from '../archive/state/log-facts.js';
import { refusal, type PruneRefusal } from './refusal.js';
import { isStored, rowsProblem } from './rows-match.js';
import { SessionRowReader, UnreadableRows, type ArtifactRow } from './session-rows.js';

export interface ArchiveProofOptions {
  readonly archive: Archive;
  readonly facts: LogFacts;
  /** All that jobvault knows; those that the archive keeps are read. */
  readonly formats: readonly RowFormat[];
  /** Sessions that may be asked for, by `sessionKey`. */
  readonly wanted: ReadonlySet<string>;
  /** Kinds of files that need not be stored, as far as they were not fetched. */
  readonly unfetched: ReadonlySet<string>;
  readonly signal: AbortSignal;
}

export class ArchiveProof {
  readonly #files: FileProof;
  readonly #rows: SessionRowReader;
  readonly #formats: readonly RowFormat[];

  constructor(readonly options: ArchiveProofOptions) {
    const { storage, identity } = options.archive;
    this.#files = new FileProof(storage);
    this.#rows = new SessionRowReader(storage, options.wanted);
    this.#formats = options.formats.filter(({ name }) => identity.formats.includes(name));
  }

  /** Undefined where every file and every row has been read back and is right. @throws {StorageError} */
  async refusalOf(archived: ArchivedSession): Promise<PruneRefusal | undefined> {
    const files = this.options.facts.filesOf(archived);
    const damaged = this.#unprovable(files) ?? (await this.#damage(files));
    if (damaged) return damaged;
    for (const format of this.#formats) {
      const own = files.filter(({ path }) => path.endsWith(`.${format.extension}`));
      try {
        const rows = await this.#rows.rowsOf(keyOf(archived), own, format);
        const problem = rowsProblem(archived, rows, this.options.unfetched);
        if (problem !== undefined) return refusal('rows', `${format.name}: ${problem}`);
        const lost = await this.#lostFile(rows.artifacts);
        if (lost) return lost;
      } catch (error) {
        if (!(error instanceof UnreadableRows)) throw error;
        return refusal('damaged', `${error.path} ${error.message}`);
      }
    }
    return undefined;
  }

  /** What jobvault.json says of the formats decides what is read back: it must agree with the log. */
  #unprovable(files: readonly NamedObject[]): PruneRefusal | undefined {
    const { formats } = this.options.archive.identity;
    if (this.#formats.length === 0) {
      const kept = formats.join(' and ');
      return refusal('rows', `no rows can be read back of what is kept as ${kept} alone`);
    }
    const extensions = [...this.#formats.map(({ extension }) => extension), ...formats];
    const foreign = files.find(({ path }) => !extensions.some((one) => path.endsWith(`.${one}`)));
    if (!foreign) return undefined;
    const problem = `${foreign.path} is in none of the formats that jobvault.json names`;
    return refusal('rows', `${problem} (${formats.join(', ')})`);
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
    const { artifacts } = this.options.archive.index.contents;
    for (const { path, sha256 } of rows.filter(isStored)) {
      const entry = artifacts.get(path);
      if (entry?.sha256 !== sha256) {
        return refusal('damaged', `${path} is not in the log as the row in artifacts names it`);
      }
      const damaged = await this.#damage([entry]);
      if (damaged) return damaged;
    }
    return undefined;
  }
}

function keyOf({ user, session }: ArchivedSession): string {
  return sessionKey(user, session);
}
