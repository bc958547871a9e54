/** A BagIt bag in the making. Source: RFC 8493; the manifests are also what `sha256sum -c` reads. */
import { Background } from '../base/concurrently.js';
import { sha256Hex } from '../base/digest.js';
import { encodedPieces } from '../base/text/short-texts.js';
import type { ContentDigest, StagedObject, Storage } from '../storage/storage.js';
import { StagedText } from '../storage/staged-text.js';
import type { Archive } from '../archive/archive.js';
import { messageOf } from '../base/error.js';
import type { ProxySettings } from '../base/http/proxy.js';
import { askAuthority } from '../timestamp/ask-authority.js';

const DECLARATION = 'BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n';
const MANIFEST = 'manifest-sha256.txt';
const PUBLISHED_AT_A_TIME = 16;
/** The SHA-256 of the other manifest, and so of all that is in the bag. */
export const TAG_MANIFEST = 'tagmanifest-sha256.txt';
/** Ed25519 over the bytes of `tagmanifest-sha256.txt`; no manifest can list it. */
export const PACK_SIGNATURE = `${TAG_MANIFEST}.sig`;

interface BagTotals {
  /** The files of the payload. */
  readonly files: number;
  readonly bytes: number;
}

/** A bag to which nothing can be added. */
interface SealedBag extends BagTotals {
  /** SHA-256 of `tagmanifest-sha256.txt`, and so of all that is in the bag. */
  readonly digest: string;
}

/** Label and value of each line of `bag-info.txt`; neither holds a line break. */
type BagInfo = readonly (readonly [label: string, value: string])[];

/**
 * Paths of the payload are jobvault's own and hold no `%`, CR or LF, which a manifest would have to
 * encode. Until `seal`, the storage holds no `bagit.txt` and so no bag.
 */
export class Bag {
  /** Files that are being made durable: most of it is waiting for the disk. */
  readonly #publishing = new Background(PUBLISHED_AT_A_TIME);
  #fileCount = 0;
  #byteCount = 0;
  readonly #target: Storage;
  readonly #manifest: StagedText;
  readonly #stagedManifest: StagedObject;

  private constructor(target: Storage, manifest: StagedText, stagedManifest: StagedObject) {
    this.#target = target;
    this.#manifest = manifest;
    this.#stagedManifest = stagedManifest;
  }

  static async begin(target: Storage): Promise<Bag> {
    const staged = await target.stage();
    return new Bag(target, new StagedText(staged), staged);
  }

  get totals(): BagTotals {
    return { files: this.#fileCount, bytes: this.#byteCount };
  }

  /** @param path below `data/` */
  async add(path: string, content: string | Uint8Array): Promise<ContentDigest> {
    return this.addStream(path, typeof content === 'string' ? encodedPieces(content) : [content]);
  }

  /**
   * Copies what comes. The file may come to its path later.
   *
   * @throws what the source throws, and then nothing stands at the path; what an earlier file could not be written for
   */
  async addStream(
    path: string,
    chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  ): Promise<ContentDigest> {
    const staged = await this.#target.stage();
    try {
      for await (const chunk of chunks) await staged.write(chunk);
      return await this.#publish(path, staged, await staged.close());
    } catch (error) {
      await staged.discard();
      throw error;
    }
  }

  /** The payload for those who write into a storage. The files come to their paths later. */
  get payload(): Pick<Storage, 'put' | 'stage' | 'delete'> {
    return {
      delete: (path) => Promise.reject(new Error(`a bag keeps what is in it, also ${path}`)),
      put: async (path, bytes) => {
        await this.add(path, bytes);
      },
      stage: async (options) => this.#stagedInPayload(await this.#target.stage(options)),
    };
  }

  #stagedInPayload(staged: StagedObject): StagedObject {
    let closed: ContentDigest = { bytes: 0, sha256: '' };
    return {
      write: (chunk) => staged.write(chunk),
      close: async () => (closed = await staged.close()),
      read: (range) => staged.read(range),
      publish: async (path) => {
        await this.#publish(path, staged, closed);
      },
      discard: () => staged.discard(),
    };
  }

  /** A text that grows while others are written; it is in the bag once it is finished. */
  async openText(path: string): Promise<BagText> {
    const staged = await this.#target.stage();
    const text = new StagedText(staged);
    return {
      write: (piece) => text.write(piece),
      finish: async () => this.#publish(path, staged, await text.close()),
    };
  }

  /** No file is being written any more, whatever has come of it. */
  async settle(): Promise<void> {
    await this.#publishing.settle();
  }

  /**
   * Writes the tag files; nothing can be added afterwards.
   *
   * @param sign of the bytes that it signs, in base64; undefined where nobody signs
   * @throws what a file could not be written for
   */
  async seal(info: BagInfo, sign?: (bytes: Uint8Array) => string): Promise<SealedBag> {
    await this.#publishing.finish();
    const { files, bytes } = this.totals;
    const lines = [...info, ['Payload-Oxum', `${bytes}.${files}`] as const];
    const bagInfo = lines.map(([label, value]) => `${label}: ${value}\n`).join('');
    await this.#target.put('bag-info.txt', Buffer.from(bagInfo));
    const manifest = await this.#manifest.close();
    await this.#stagedManifest.publish(MANIFEST);
    const tags = [
      ['bag-info.txt', sha256Hex(bagInfo)],
      ['bagit.txt', sha256Hex(DECLARATION)],
      [MANIFEST, manifest.sha256],
    ] as const;
    const tagManifest = tags.map(([path, sha256]) => manifestLine(sha256, path)).join('');
    const tagBytes = Buffer.from(tagManifest);
    await this.#target.put(TAG_MANIFEST, tagBytes);
    if (sign) await this.#target.put(PACK_SIGNATURE, Buffer.from(sign(tagBytes), 'base64'));
    await this.#target.put('bagit.txt', Buffer.from(DECLARATION));
    return { files, bytes, digest: sha256Hex(tagManifest) };
  }

  async #publish(
    path: string,
    staged: StagedObject,
    digest: ContentDigest,
  ): Promise<ContentDigest> {
    await this.#publishing.begin(async () => {
      await staged.publish(`data/${path}`).finally(() => staged.discard());
      await this.#manifest.write(manifestLine(digest.sha256, `data/${path}`));
    });
    this.#fileCount++;
    this.#byteCount += digest.bytes;
    return digest;
  }
}

export interface BagText {
  write(piece: string): Promise<void>;
  finish(): Promise<ContentDigest>;
}

/** `sha256sum` writes two spaces; BagIt takes any white space. */
function manifestLine(sha256: string, path: string): string {
  return `${sha256}  ${path}\n`;
}

/** Time stamps of authorities over a pack: over the manifest of its manifests, and through it over every byte. */
export interface PackStamping {
  readonly archive: Archive;
  /** Time-stamp authorities (RFC 3161); each learns one digest. Default: none. */
  readonly timestampUrls?: readonly URL[] | undefined;
  /** Default: authorities are reached directly. */
  readonly proxy?: ProxySettings | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The name of the nth token, from 1, beside the manifests. */
function stampName(nth: number): string {
  return `timestamp-${nth}.tsr`;
}

/** @returns how many tokens the pack has; an authority that cannot be asked is a warning */
export async function stampPack(
  target: Storage,
  { archive, timestampUrls: urls = [], proxy, signal }: PackStamping,
): Promise<number> {
  if (urls.length === 0) return 0;
  const sha256 = sha256Hex(await target.get(TAG_MANIFEST));
  let stamped = 0;
  for (const url of urls) {
    try {
      const { bytes } = await askAuthority(sha256, { url, proxy, random: archive.random, signal });
      await target.put(stampName(stamped + 1), bytes);
      stamped++;
    } catch (error) {
      signal?.throwIfAborted();
      archive.logger.warn(
        { authority: url.host },
        `the pack has no time stamp of ${url.host}: ${messageOf(error)}`,
      );
    }
  }
  return stamped;
}
