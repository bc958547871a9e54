/** Where the page finds the archived files: copied beside it, or linked to in the archive. */
import type { Publisher } from './publisher.js';
import type { Archive } from '../archive/archive.js';
import { pathWithoutErasure } from '../archive/paths.js';
import { readChecked, type NamedObject } from '../archive/objects/checked-objects.js';

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
  /** Where something larger has the file, whose page the report is: then it checks the file, and the report copies none. */
  readonly placeOf?: ((file: NamedObject) => string) | undefined;
}

export class ArtifactFiles {
  /** Paths without the erasure. */
  readonly #shown = new Set<string>();
  /** The files of the session that is being written. */
  #newPaths = new Set<string>();
  readonly #options: ArtifactFilesOptions;

  constructor(options: ArtifactFilesOptions) {
    this.#options = options;
  }

  get count(): number {
    return this.#shown.size;
  }

  /** Paths in the archive of what was shown since the last call. */
  takeNewPaths(): string[] {
    const paths = [...this.#newPaths];
    this.#newPaths = new Set();
    return paths;
  }

  /** Keeps the copies that an earlier report has. @returns false: one of them is not there */
  async keep(paths: readonly string[]): Promise<boolean> {
    const { publisher } = this.#options;
    for (const path of paths) {
      const shown = pathWithoutErasure(path);
      if (!this.#shown.has(shown) && !(await publisher.keep(copyOf(path)))) return false;
      this.#shown.add(shown);
    }
    return true;
  }

  /**
   * The file's address on the page; null where something larger has the file, and it would run in a browser.
   *
   * @throws {IntegrityError} it is missing or damaged
   */
  async addressOf(file: NamedObject): Promise<string | null> {
    const { archive, publisher, placeOf } = this.#options;
    const { path } = file;
    const shown = pathWithoutErasure(path);
    const isNew = !this.#shown.has(shown);
    this.#shown.add(shown);
    this.#newPaths.add(path);
    if (placeOf) return isHarmless(path) ? placeOf(file) : null;
    const target = copyOf(path);
    if (isNew && !(await publisher.keep(target))) {
      await publisher.copy(target, file.bytes, readChecked(archive.storage, file));
    }
    return target;
  }

  /**
   * What the page shows an image of: its address, or for an SVG its content, which runs nothing as an image; null of one
   * that is too large for that.
   *
   * @throws {IntegrityError} as `addressOf`
   */
  async pictureOf(file: NamedObject): Promise<string | null> {
    if (!file.path.endsWith('.svg')) return this.addressOf(file);
    const { archive } = this.#options;
    if (file.bytes > MOST_SVG_BYTES) return null;
    const chunks: Uint8Array[] = [];
    for await (const chunk of readChecked(archive.storage, file)) chunks.push(chunk);
    return `data:image/svg+xml;base64,${Buffer.concat(chunks).toString('base64')}`;
  }
}

/** The size of an SVG that the page has in itself. */
const MOST_SVG_BYTES = 256 * 1024;

function isHarmless(path: string): boolean {
  return HARMLESS.has(path.slice(path.lastIndexOf('.') + 1));
}

/** In the report. The name has the digest: what an earlier report has under it is the same file. */
function copyOf(path: string): string {
  return `data/${pathWithoutErasure(path).replace(/^artifacts/, 'files')}${isHarmless(path) ? '' : '.txt'}`;
}
