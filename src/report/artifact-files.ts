/** Where the page finds the archived files: copied beside it, or linked to in the archive. */
import type { Archive } from '../archive/archive.js';
import { checkObject, readChecked } from '../archive/parts/checked-read.js';
import { IntegrityError } from '../archive/verify/integrity-error.js';
import type { Publisher } from './publisher.js';

/** What a browser opens without running anything in it; every other file gets an ending that shows it as text. */
const HARMLESS: ReadonlySet<string> = new Set([
  'csv',
  'txt',
  'json',
  'png',
  'jpg',
  'gif',
  'webp',
  'bmp',
  'avif',
  'tif',
  'ico',
  'heic',
  'pdf',
  'parquet',
  'xlsx',
  'docx',
  'pptx',
  'cfb',
  'gz',
  'zip',
  'bin',
]);

export interface ArtifactFilesOptions {
  readonly archive: Archive;
  readonly publisher: Publisher;
  /** The archive as seen from the report, `../archive`, when files are linked to; undefined copies them. */
  readonly linkBase: string | undefined;
}

export class ArtifactFiles {
  readonly #shown = new Set<string>();
  readonly #options: ArtifactFilesOptions;

  constructor(options: ArtifactFilesOptions) {
    this.#options = options;
  }

  get count(): number {
    return this.#shown.size;
  }

  /**
   * The file's address on the page; null where only a link into the archive could be given and the
   * file would run in a browser.
   *
   * @throws {IntegrityError} the log does not name it, or names other bytes
   */
  async addressOf(path: string): Promise<string | null> {
    const { archive, publisher, linkBase } = this.#options;
    const entry = archive.index.contents.artifacts.get(path);
    if (!entry) throw new IntegrityError(path, 'missing', 'is in a row, but in no commit');
    const isHarmless = HARMLESS.has(path.slice(path.lastIndexOf('.') + 1));
    const isNew = !this.#shown.has(path);
    this.#shown.add(path);
    // a link, and a preview of it, vouch for the file as much as a copy does
    if (isNew && linkBase !== undefined) await checkObject(archive.storage, entry);
    if (linkBase !== undefined) return isHarmless ? `${linkBase}/${path}` : null;
    const target = `data/${path.replace(/^artifacts/, 'files')}${isHarmless ? '' : '.txt'}`;
    if (isNew) await publisher.copy(target, entry.bytes, readChecked(archive.storage, entry));
    return target;
  }
}
