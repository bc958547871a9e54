import type { Guards } from './guards.js';

/**
 * The port to the place where an archive lives. Paths are relative, use `/`, and are made by
 * jobvault itself: never by data. Every adapter passes the suite in test/conformance.
 */
export interface Storage {
  /** For people and messages: a directory or `s3://bucket/prefix`. Holds no secret. */
  readonly location: string;

  /** Where objects can be retained, or hidden without being removed. */
  readonly guards?: Guards;

  /** Absolute, where objects are files of this machine: other programs may read them there. */
  readonly directory?: string;

  /** Opens a staged object; readers do not see it until it is published. */
  stage(options?: StageOptions): Promise<StagedObject>;

  /**
   * Writes a small object whole; readers see the old bytes or all the new ones, never a mix.
   * Durable when it resolves.
   */
  put(path: string, bytes: Uint8Array): Promise<void>;

  /**
   * Like `put`, but only if there is no object at the path. Of several concurrent writers exactly one gets true;
   * after false a whole object can be read.
   */
  putIfAbsent(path: string, bytes: Uint8Array): Promise<boolean>;

  /**
   * Replaces an object, but only if it still has the bytes `seen`. Of several concurrent writers with the same
   * `seen`, exactly one gets true; readers see the old or the new object. On a disk it excludes only other calls of
   * this method, not `put`.
   */
  compareAndSwap(path: string, seen: Uint8Array, bytes: Uint8Array): Promise<boolean>;

  /** @throws {ObjectNotFoundError} */
  get(path: string): Promise<Uint8Array>;

  /**
   * Streams an object, or the bytes from `start` (inclusive) to `end` (exclusive) of it.
   *
   * @throws {ObjectNotFoundError} before the first chunk
   */
  read(path: string, range?: ByteRange): AsyncIterable<Uint8Array>;

  /**
   * Length and SHA-256 of an object, computed in a thread of the storage. Starting a thread only pays off for many
   * objects. Undefined if the storage has no threads; then nothing was read.
   *
   * @throws {ObjectNotFoundError}
   */
  digest?(path: string): Promise<ContentDigest | undefined>;

  /** The object at the path; undefined if there is none. */
  stat(path: string): Promise<ObjectInfo | undefined>;

  /** Every object whose path begins with `prefix`, ordered by path; staged objects are not among them. */
  list(prefix: string): AsyncIterable<ObjectInfo>;

  /**
   * Where a place can do it without reading the bytes: readers find the object at one of the two paths
   * at every moment. What stood at `to` is replaced. Durable when it resolves.
   *
   * @throws {ObjectNotFoundError}
   */
  move?(from: string, to: string): Promise<void>;

  /**
   * Makes the object at the path durable, also one that another process has put. Absent if every readable object is
   * durable.
   */
  makeDurable?(path: string): Promise<void>;

  /** Removes an object; one that is not there is no error. Durable when it resolves. */
  delete(path: string): Promise<void>;

  /** Whether deleted objects can be restored. Absent if storages of this kind never keep them. */
  keepsDeleted?(): Promise<KeptVersions | undefined>;

  /**
   * Removes what dead writers have staged and never published. Writers of this machine and boot are known to be dead
   * at once; others count as dead after 24 hours without a change, by the storage's clock.
   *
   * @returns how many objects were removed
   */
  sweep(): Promise<number>;

  close(): Promise<void>;
}

/** `locked`: not even its owner can remove it for good; `versioned`: its owner can. */
export interface KeptVersions {
  readonly by: 'locked' | 'versioned';
  /** A clause for people. */
  readonly why: string;
}

export interface StageOptions {
  /** A guess that lets an adapter choose its part size; not a limit. */
  readonly expectedBytes?: number;
  /**
   * Where it will be published, and nowhere else, by one who does not read it back before. An adapter
   * may then bring it there while it is written.
   */
  readonly path?: string;
}

export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export interface ObjectInfo {
  readonly path: string;
  readonly bytes: number;
  /** When it was last written, by the storage's own clock, in milliseconds since 1970 UTC. */
  readonly modifiedAtMs: number;
}

/** What was written: its length and its SHA-256 in lower-case hexadecimal. */
export interface ContentDigest {
  readonly bytes: number;
  readonly sha256: string;
}

/** An object being written. `write*` → `close` → `publish`, or `discard` at any point before `publish`. */
export interface StagedObject {
  /** Resolves when more may be written: this is where back-pressure comes from. */
  write(chunk: Uint8Array): Promise<void>;
  /** Ends writing. */
  close(): Promise<ContentDigest>;
  /** Reads back what was written; after `close` and before `publish` or `discard`. */
  read(range?: ByteRange): AsyncIterable<Uint8Array>;
  /**
   * Makes the bytes durable ahead of `publish`, which then only gives them their name; after `close`, and
   * harmless when repeated. Absent where `publish` does it all.
   */
  sync?(): Promise<void>;
  /** Makes the object visible at `path`, replacing what stood there. Durable when it resolves. */
  publish(path: string): Promise<void>;
  /**
   * Likewise, but durable only after `makeDurable` of the storage for any path in the same directory: for
   * many objects at a time (`publishAll`). Absent where it would change nothing.
   */
  publishUnsynced?(path: string): Promise<void>;
  /** Removes the staged bytes. Safe to repeat, and after `publish`. */
  discard(): Promise<void>;
}
