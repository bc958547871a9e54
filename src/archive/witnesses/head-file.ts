/**
 * The head of the log, kept outside of the archive. Nothing in an archive shows that its newest commits are missing, or that
 * all of it was put back to an earlier state: beside this, both do.
 */
import { basename, dirname, resolve } from 'node:path';
import { z } from 'zod';
import type { Logger } from '../../base/logger.js';
import { UsageError } from '../../base/error.js';
import { parseJson } from '../../base/text/parse-json.js';
import { openStorage, schemeOf, type StorageOptions } from '../../storage/open-storage.js';
import { getIfThere } from '../../storage/small-objects.js';
import type { Storage } from '../../storage/storage.js';
import { IntegrityError } from '../archive-errors.js';
import type { Archive } from '../archive.js';
import { isAnother } from './known-head.js';

const headSchema = z.strictObject({
  archive: z.string(),
  commit: z.int().positive(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
type StoredHead = z.infer<typeof headSchema>;

/** `kept`: the log has the commit. `none`: there is no file yet. `other`: the file is, or may be, of another archive. */
export type HeadState = 'kept' | 'none' | 'other';

export class HeadFile {
  readonly #storage: Storage;
  readonly #name: string;

  private constructor(
    /** A path, or `s3://bucket/key`. */
    readonly place: string,
    storage: Storage,
    name: string,
  ) {
    this.#storage = storage;
    this.#name = name;
  }

  /** @param options how a bucket is reached @throws {UsageError} the place names no file */
  static async open(place: string, options?: StorageOptions, logger?: Logger): Promise<HeadFile> {
    const isUrl = schemeOf(place) !== undefined;
    const [, folder = '', name = ''] = isUrl
      ? (/^(s3:\/\/[^/]+.*)\/([^/]+)$/i.exec(place) ?? [])
      : [];
    if (isUrl && name === '') {
      throw new UsageError(`--head-file ${place} names no object; allowed is s3://bucket/key`);
    }
    const path = resolve(place);
    const storage = await openStorage(isUrl ? folder : dirname(path), options, logger);
    return new HeadFile(place, storage, isUrl ? name : basename(path));
  }

  /**
   * @param archive its index is brought up to date; undefined where there is none
   * @param options.isOfOne whether the file is for this archive; where it may be another's, that is no error
   * @throws {IntegrityError} the archive does not have the commit, or another one of its number
   * @throws {UsageError} the file is of another archive, or is no head
   */
  async assertKept(
    archive: Archive | undefined,
    { isOfOne }: { readonly isOfOne: boolean },
  ): Promise<HeadState> {
    const head = await this.#read();
    if (!head) return isOfOne ? 'none' : 'other';
    if (!isOfOne && head.archive !== archive?.identity.id) return 'other';
    const { commit: number, sha256: digest } = head;
    if (!archive) {
      throw new IntegrityError(
        this.place,
        'head',
        `names commit ${number} of an archive that is not there any more`,
      );
    }
    const { identity, index } = archive;
    if (head.archive !== identity.id) {
      throw new UsageError(
        `--head-file ${this.place} is of the archive ${head.archive}, and this one is ${identity.id}; give each archive a file of its own`,
      );
    }
    await index.refresh();
    if (number > index.through) {
      throw new IntegrityError(
        this.place,
        'head',
        `names commit ${number}, and the newest of the log is ${index.through}: the log was cut, or an earlier state was put back`,
      );
    }
    if (isAnother(index, { number, digest })) {
      throw new IntegrityError(
        this.place,
        'head',
        `names another commit ${number} than the log has: the log was written anew, or the state of another copy was put in its place`,
      );
    }
    return 'kept';
  }

  /** The commit that is noted of this archive; undefined where none is. @throws {UsageError} the file is no head */
  async headOf(
    archive: string,
  ): Promise<{ readonly number: number; readonly digest: string } | undefined> {
    const head = await this.#read();
    if (head?.archive !== archive) return undefined;
    return { number: head.commit, digest: head.sha256 };
  }

  /** Notes the newest commit, unless a run that ended meanwhile has noted a later one. */
  async write({ identity, index }: Archive): Promise<void> {
    await index.refresh();
    const { head } = index;
    if (!head) return;
    const known = await this.#read();
    if (known && known.commit > head.number) return;
    const stored: StoredHead = { archive: identity.id, commit: head.number, sha256: head.digest };
    await this.#storage.put(this.#name, Buffer.from(`${JSON.stringify(stored)}\n`));
  }

  async close(): Promise<void> {
    await this.#storage.close();
  }

  async #read(): Promise<StoredHead | undefined> {
    const bytes = await getIfThere(this.#storage, this.#name);
    if (!bytes) return undefined;
    try {
      return headSchema.parse(parseJson(Buffer.from(bytes).toString('utf8')));
    } catch (error) {
      throw new UsageError(
        `--head-file ${this.place} is no head of a log, such as {"archive":…,"commit":42,"sha256":…}; name another file, or remove it`,
        { cause: error },
      );
    }
  }
}
