/** Where a simulated archive lies: what a process opens there, and what stands there at this very moment. */
import type { FileSystem } from '../../src/storage/local/file-system.js';
import type { Storage } from '../../src/storage/storage.js';
import type { SimProcess } from './sim-process.js';

export interface SimPlace {
  /** @param changed told of every path under which something has just changed */
  open(process: SimProcess, changed: (path: string) => void): Storage;
  /** Without any step: for the invariants. */
  peek(): Storage;
  objects(): Iterable<readonly [path: string, bytes: Uint8Array]>;
  /** Whether an object would survive a power loss. */
  isDurable(path: string): boolean;
}

export interface StorageFaults {
  /** Fails, where it is the storage's time to fail. @throws an error as the place has them */
  strike(process: SimProcess, what: 'write' | 'lost answer'): void;
  /** A deliberate mistake, between the local storage and the disk. */
  readonly fileSystem?: ((fileSystem: FileSystem) => FileSystem) | undefined;
}
