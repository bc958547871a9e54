/** A simulated directory on a disk that can lose its power, as one process sees it: the real local storage over steps. */
import type { FileSystem } from '../../src/storage/local/file-system.js';
import { createLocalStorage } from '../../src/storage/local/local-storage.js';
import type { Storage } from '../../src/storage/storage.js';
import type { ForgetfulDisk } from '../support/store/forgetful-disk.js';
import type { SimPlace, StorageFaults } from './sim-place.js';
import type { ProcessTable, SimProcess } from './sim-process.js';
import { Violation } from './violation.js';

/** The only folder that jobvault may write to. */
const ROOT = '/mnt/sim/';

/** Operations without a step: they change nothing that other processes or a power loss can see. */
const SILENT = new Set(['stat', 'lstat', 'mkdir']);

export class SimDisk implements SimPlace {
  readonly root: string;

  constructor(
    readonly disk: ForgetfulDisk,
    readonly processes: ProcessTable,
    readonly faults: StorageFaults,
    name: string,
  ) {
    this.root = `${ROOT}${name}`;
  }

  open(process: SimProcess, changed: (path: string) => void): Storage {
    const given = this.#fileSystemOf(process, changed);
    const fileSystem = this.faults.fileSystem?.(given) ?? given;
    const processes = this.processes.seenBy(process);
    const { clock } = process;
    return createLocalStorage({ directory: this.root, fileSystem, processes, clock });
  }

  /** The current content, without a step. */
  peek(): Storage {
    const { fileSystem } = this.disk;
    return createLocalStorage({ directory: this.root, fileSystem });
  }

  *objects(): Iterable<readonly [string, Uint8Array]> {
    for (const [path, bytes] of this.disk.files(this.root)) {
      if (!path.startsWith('_staging/')) yield [path, bytes];
    }
  }

  isDurable(path: string): boolean {
    return this.disk.isDurable(`${this.root}/${path}`);
  }

  #fileSystemOf(process: SimProcess, changed: (path: string) => void): FileSystem {
    const real = this.disk.fileSystem as unknown as Record<string, Operation>;
    const operations: Record<string, Operation> = {};
    for (const [name, operation] of Object.entries(real)) {
      operations[name] = async (...given) => {
        const paths = given.filter((one): one is string => /^\//.test(String(one)));
        for (const path of paths) this.#assertInside(path);
        const isStaging = name === 'open' && given[1] === 'wx';
        const target = paths.at(-1) ?? '';
        if (!SILENT.has(name) && !isStaging) await process.step(`${name} ${labelOf(target)}`);
        if (CHANGES.has(name)) this.faults.strike(process, 'write');
        const result = await operation(...given);
        if (CHANGES.has(name)) changed(target.slice(this.root.length + 1));
        return name === 'open' ? this.#handle(process, result as Handle, labelOf(target)) : result;
      };
    }
    return operations as unknown as FileSystem;
  }

  #handle(process: SimProcess, handle: Handle, label: string): Handle {
    return {
      ...handle,
      sync: async () => {
        await process.step(`sync ${label}`);
        this.faults.strike(process, 'write');
        await handle.sync();
      },
    };
  }

  #assertInside(path: string): void {
    // the parents of the root are created and synced if they are missing
    if (path.startsWith(ROOT) || ROOT.startsWith(`${path.replace(/\/$/, '')}/`)) return;
    throw new Violation('outside', `${path} is outside of the archive`);
  }
}

type Operation = (...given: readonly unknown[]) => Promise<unknown>;

interface Handle {
  readonly sync: () => Promise<void>;
}

const CHANGES = new Set(['link', 'rename', 'unlink', 'rmdir']);

/** Names of staged files are random, independent of the seed. */
function labelOf(path: string): string {
  return path.replace(/_staging\/.*/, '_staging/…');
}
