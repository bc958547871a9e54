/** The location of a test's archive: a directory, or a bucket of a real server, for the same tests. */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { concurrently } from '../../../src/base/concurrently.js';
import { openStorage } from '../../../src/storage/open-storage.js';
import type { Storage } from '../../../src/storage/storage.js';
import { TestBucket } from '../store/s3-server.js';

export interface Place extends AsyncDisposable {
  /** For `--out`. */
  readonly out: string;
  readonly isBucket: boolean;
  /** What a program needs to reach it, in its environment. */
  readonly environment: Readonly<Record<string, string>>;
  /** Every object below a folder of the archive, as paths of the archive; sorted. */
  files(folder?: string): Promise<string[]>;
  read(path: string): Promise<Buffer>;
  write(path: string, bytes: Uint8Array | string): Promise<void>;
  remove(path: string): Promise<void>;
  /** A directory with what is below a folder of the archive, for readers that know no S3. */
  local(folder: string): Promise<string>;
}

let isOnS3 = false;

/** From now on every place of this file's tests is a bucket. */
export function onS3(): void {
  isOnS3 = true;
}

/** @param directory for the archive, or for what is fetched of it */
export async function makePlace(directory: string): Promise<Place> {
  return isOnS3 ? BucketPlace.make(directory) : new DirectoryPlace(join(directory, 'archive'));
}

class DirectoryPlace implements Place {
  readonly isBucket = false;
  readonly environment = {};

  constructor(readonly out: string) {}

  async files(folder = ''): Promise<string[]> {
    const entries = await readdir(join(this.out, folder), {
      recursive: true,
      withFileTypes: true,
    }).catch(() => []);
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(this.out.length + 1))
      .sort();
  }

  read(path: string): Promise<Buffer> {
    return readFile(join(this.out, path));
  }

  async write(path: string, bytes: Uint8Array | string): Promise<void> {
    await writeFile(join(this.out, path), bytes);
  }

  async remove(path: string): Promise<void> {
    await rm(join(this.out, path), { recursive: true });
  }

  local(folder: string): Promise<string> {
    return Promise.resolve(join(this.out, folder));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve();
  }
}

class BucketPlace implements Place {
  readonly isBucket = true;
  #copies = 0;
  #opened: Promise<Storage> | undefined;
  readonly #bucket: TestBucket;
  readonly #directory: string;

  private constructor(bucket: TestBucket, directory: string) {
    this.#bucket = bucket;
    this.#directory = directory;
  }

  static async make(directory: string): Promise<Place> {
    const place = new BucketPlace(await TestBucket.make(), directory);
    // as the standard chain of the SDK finds it: nothing else has to know
    Object.assign(process.env, place.environment);
    return place;
  }

  get out(): string {
    return `s3://${this.#bucket.name}/an/archive`;
  }

  /** One client for all that is read, after the environment has the credentials. */
  get #storage(): Promise<Storage> {
    return (this.#opened ??= openStorage(this.out));
  }

  get environment(): Record<string, string> {
    const { endpoint, key, secret } = this.#bucket.server;
    return {
      AWS_ACCESS_KEY_ID: key,
      AWS_SECRET_ACCESS_KEY: secret,
      AWS_ENDPOINT_URL_S3: endpoint,
      AWS_REGION: 'us-east-1',
      AWS_EC2_METADATA_DISABLED: 'true',
    };
  }

  async files(folder = ''): Promise<string[]> {
    const paths: string[] = [];
    const prefix = folder === '' || folder.endsWith('/') ? folder : `${folder}/`;
    for await (const { path } of (await this.#storage).list(prefix)) paths.push(path);
    return paths;
  }

  async read(path: string): Promise<Buffer> {
    return Buffer.from(await (await this.#storage).get(path));
  }

  async write(path: string, bytes: Uint8Array | string): Promise<void> {
    await (await this.#storage).put(path, Buffer.from(bytes));
  }

  async remove(path: string): Promise<void> {
    await (await this.#storage).delete(path);
    for (const below of await this.files(path)) await (await this.#storage).delete(below);
  }

  async local(folder: string): Promise<string> {
    const copy = join(this.#directory, `copy-${this.#copies++}`);
    await concurrently(await this.files(folder), 16, async (path) => {
      const file = join(copy, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, await this.read(path));
    });
    return join(copy, folder);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#opened)?.close();
    await this.#bucket[Symbol.asyncDispose]();
  }
}
