/** The location of a simulated archive: what a process opens, and its current content. */
import type { FileSystem } from '../../src/storage/local/file-system.js';
import type { Storage } from '../../src/storage/storage.js';
import type { SimProcess } from './sim-process.js';

export interface SimPlace {
  /** @param changed called with every path whose content has just changed */
  open(process: SimProcess, changed: (path: string) => void): Storage;
  /** Without a step: for the invariants. */
  peek(): Storage;
  objects(): Iterable<readonly [path: string, bytes: Uint8Array]>;
  /** Whether an object would survive a power loss. */
  isDurable(path: string): boolean;
}

export interface StorageFaults {
  /** Fails at random. @throws an error of this kind of storage */
  strike(process: SimProcess, what: 'write' | 'lost answer'): void;
  /** A deliberate fault, between the local storage and the disk. */
  readonly fileSystem?: ((fileSystem: FileSystem) => FileSystem) | undefined;
}
