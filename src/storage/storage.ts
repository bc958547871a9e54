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

  /** Opens an object that nobody sees until it is published. */
  stage(options?: StageOptions): Promise<StagedObject>;

  /**
   * Writes a small object whole; readers see the old bytes or all the new ones, never a mix.
   * Durable when it resolves.
   */
  put(path: string, bytes: Uint8Array): Promise<void>;

  /**
   * Like `put`, but only if nothing stands there. Of any number of racers exactly one gets true,
   * and a false means that a whole object is there to be read.
   */
  putIfAbsent(path: string, bytes: Uint8Array): Promise<boolean>;

  /**
   * Writes over an object whole, but only while it still holds the bytes that the caller has seen there.
   * Of any number of racers that have seen the same, exactly one gets true; readers see one of the
   * two. On a disk only those who use this method are kept apart, not a plain `put`.
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
   * Reads a whole object for nothing but its length and its SHA-256, in a thread of the storage's own: to
   * start one is worth it for many objects only. Undefined where there is none; nothing was read then.
   *
   * @throws {ObjectNotFoundError}
   */
  digest?(path: string): Promise<ContentDigest | undefined>;

  /** What stands at a path, or `undefined`. */
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
   * Where an object can be read before it is durable: what stands at the path then is durable when this
   * resolves, also what another process has put there and not finished. Absent where every object that can be
   * read is durable.
   */
  makeDurable?(path: string): Promise<void>;

  /** Removes an object; one that is not there is no error. Durable when it resolves. */
  delete(path: string): Promise<void>;

  /** Whether something that is deleted here can still be had. Absent where no place of the kind keeps anything. */
  keepsDeleted?(): Promise<KeptVersions | undefined>;

  /**
   * Removes what writers that are no more have staged and never published; never anything of one that
   * may live. Those of this machine and boot are known to be dead at once, others after 24 hours without
   * a change, by the storage's own clock.
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
  /** No more will be written. */
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
  /** Forgets it and leaves nothing behind; harmless when repeated or after `publish`. */
  discard(): Promise<void>;
}
