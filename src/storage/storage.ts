/**
 * The interface of every storage of an archive. Paths are relative, use `/`, and are made by
 * jobvault, never taken from data. Every adapter passes the suite in test/conformance.
 */

export interface Storage {
  /** For people and messages: a directory or `s3://bucket/prefix`. Holds no secret. */
  readonly location: string;

  /** Retention and delete markers, if the storage has them. */
  readonly guards?: Guards;

  /** The largest object that it takes, in bytes. Absent if its room alone is the limit. */
  readonly maxObjectBytes?: number;

  /** Absolute; set if objects are files of this machine, which other programs may read. */
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

  /** The object at the path; undefined if there is none. */
  stat(path: string): Promise<ObjectInfo | undefined>;

  /** Every object whose path begins with `prefix`, ordered by path; staged objects are not among them. */
  list(prefix: string, options?: ListOptions): AsyncIterable<ObjectInfo>;

  /**
   * Makes the object at the path durable, even if another process has put it. Absent if every readable object is
   * durable.
   */
  makeDurable?(path: string): Promise<void>;

  /**
   * Takes a file of this machine as the object at the path, without a copy: both must not be changed afterwards. Absent
   * where objects are no files.
   *
   * @param file absolute
   * @returns its bytes; undefined if it is no file, or the file system cannot: then nothing was done
   */
  adopt?(file: string, path: string): Promise<number | undefined>;

  /** Removes an object; a missing one is no error. Durable when it resolves. */
  delete(path: string): Promise<void>;

  /** As `delete` of each. Durable when it resolves. Absent if it would cost as much as `delete` of each. */
  deleteAll?(paths: readonly string[]): Promise<void>;

  /** Whether deleted objects can be restored. Absent if storages of this kind never keep them. */
  keepsDeleted?(): Promise<KeptVersions | undefined>;

  /**
   * Removes the staged objects of dead writers. Writers of this machine and boot are known to be dead
   * at once; others count as dead after 24 hours without a change, by the storage's clock.
   *
   * @returns how many objects were removed
   */
  sweep(choice?: SweepChoice): Promise<number>;

  /**
   * How many staged objects `sweep` leaves for a day because nobody knows whether their writers live: those of other
   * machines, or of this one before its last start. Absent if objects are never staged outside of this process.
   */
  stagedElsewhere?(): Promise<number>;

  close(): Promise<void>;
}

export interface SweepChoice {
  /** Other programs write there, too: only what a writer of ours has provably staged is removed. Default false */
  readonly isShared?: boolean | undefined;
}

/** `locked`: not even the bucket's owner can remove an object for good; `versioned`: the owner can. */
export interface KeptVersions {
  readonly by: 'locked' | 'versioned';
  /** A clause for people. */
  readonly why: string;
}

export interface StageOptions {
  /** An estimate, by which an adapter chooses where the bytes wait; not a limit. */
  readonly expectedBytes?: number;
}

export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export interface ListOptions {
  /** Only objects whose paths come after this one, which need not exist. They cost nothing that come before. */
  readonly after?: string | undefined;
}

export interface ObjectInfo {
  readonly path: string;
  readonly bytes: number;
  /** Time of the last write by the storage's clock, in milliseconds since 1970 UTC. */
  readonly modifiedAtMs: number;
}

/** Length and SHA-256 (lower-case hexadecimal) of an object. */
export interface ContentDigest {
  readonly bytes: number;
  readonly sha256: string;
}

/** An object being written. `write*` → `close` → `publish`, or `discard` at any point before `publish`. */
export interface StagedObject {
  /** Resolves when more may be written; callers must wait for it (back-pressure). */
  write(chunk: Uint8Array): Promise<void>;
  /** Ends writing. */
  close(): Promise<ContentDigest>;
  /** Reads back what was written; after `close` and before `publish` or `discard`. */
  read(range?: ByteRange): AsyncIterable<Uint8Array>;
  /**
   * Makes the bytes durable before `publish`, which then only gives them their name. After `close`; safe to
   * repeat. Absent if `publish` does everything.
   */
  sync?(): Promise<void>;
  /** Makes the object visible at `path`, in place of one that is there. Durable when it resolves, but for `PublishChoice`. */
  publish(path: string, choice?: PublishChoice): Promise<void>;
  /** Removes the staged bytes. Safe to repeat, and after `publish`. */
  discard(): Promise<void>;
}

export interface PublishChoice {
  /**
   * The name is durable only after the storage's `makeDurable` for any path in the same directory: for many objects at a
   * time (`PublishBatch`). Makes no difference where there is no `makeDurable`. Default false
   */
  readonly isUnsynced?: boolean;
}

/** Retention and delete markers, in storages that have them. */
export interface Guards {
  /** Whether objects here can be retained, and this key may read their retention. */
  canRetain(): Promise<boolean>;
  /** Undefined if the object has none, or there is no object. */
  retentionOf(path: string): Promise<ObjectRetention | undefined>;
  /**
   * Objects below `prefix` that are hidden by a delete marker, and can be restored. None where this key may not see
   * whether there are versions.
   *
   * @param after only those whose paths come after it
   */
  hidden(prefix: string, after?: string): AsyncIterable<HiddenObject>;
}

export interface HiddenObject {
  readonly path: string;
  /** Since when, by the storage's clock, in milliseconds since 1970 UTC. */
  readonly sinceMs: number;
}

export interface ObjectRetention {
  /** `COMPLIANCE` or `GOVERNANCE`. */
  readonly mode: string;
  /** Until then nobody can remove or change it. Milliseconds since 1970 UTC. */
  readonly untilMs: number;
}

/** What reads a storage is given it, and may be stopped. */
export interface StorageReading {
  readonly storage: Storage;
  readonly signal?: AbortSignal | undefined;
}
