/**
 * A file system in memory that can lose its power: what was not synced is then gone, cut short or, just
 * as likely, there. Files are synced by their handle, names by their directory's.
 */
import type { FileSystem } from '../../../src/storage/local/file-system.js';

interface File {
  readonly kind: 'file';
  links: number;
  bytes: Buffer;
  /** As of the last sync. */
  durable: Buffer;
  readonly madeAtMs: number;
}

interface Directory {
  readonly kind: 'directory';
  readonly names: Map<string, Node>;
  /** As of the last sync. */
  durable: Map<string, Node>;
}

type Node = File | Directory;

export class ForgetfulDisk {
  #root = directory();
  /** Steps until the power goes; none left: every operation fails. */
  stepsLeft = Infinity;
  steps = 0;
  /** A test may make it up. */
  now: () => number = Date.now;

  /** A handle for one process; all of them share the disk. */
  readonly fileSystem = this.#operations();

  /**
   * Cuts the power and switches on again.
   *
   * @param fraction in [0, 1), for what was not synced: its luck
   */
  losePower(fraction: () => number): void {
    this.#root = survivorOf(this.#root, fraction, this.now()) as Directory;
    this.stepsLeft = Infinity;
  }

  /** What stands in each file below a directory right now, by its path from there. */
  *files(directory: string): Generator<readonly [path: string, bytes: Buffer]> {
    const node = this.#find(partsOf(directory), 'names');
    if (node?.kind === 'directory') yield* filesIn(node, '');
  }

  /**
   * Whether what stands at a path would survive a power loss. A rename that is not synced over a name that
   * is may be lost: what stood there before does as well, if it has the same bytes.
   */
  isDurable(path: string): boolean {
    const now = this.#find(partsOf(path), 'names');
    const then = this.#find(partsOf(path), 'durable');
    if (now?.kind !== 'file' || then?.kind !== 'file') return false;
    return [now, then].every((file) => file.durable === file.bytes && file.bytes.equals(now.bytes));
  }

  #find(parts: readonly string[], names: 'names' | 'durable'): Node | undefined {
    let node: Node | undefined = this.#root;
    for (const part of parts) {
      if (node?.kind !== 'directory') return undefined;
      node = node[names].get(part);
    }
    return node;
  }

  #step(): Promise<void> {
    if (this.stepsLeft <= 0) return Promise.reject(failure('EIO'));
    this.stepsLeft--;
    this.steps++;
    return Promise.resolve();
  }

  #operations(): FileSystem {
    const operations = {
      mkdir: async (path: string, options?: { recursive?: boolean }) => {
        await this.#step();
        let first: string | undefined;
        const parts = partsOf(path);
        for (let depth = options?.recursive ? 1 : parts.length; depth <= parts.length; depth++) {
          const at = parts.slice(0, depth);
          const { parent, name } = this.#place(at);
          if (parent.names.has(name)) {
            if (!options?.recursive) throw failure('EEXIST');
            continue;
          }
          parent.names.set(name, directory());
          first ??= `/${at.join('/')}`;
        }
        return first;
      },
      open: async (path: string, flags: string | number) => {
        await this.#step();
        const { parent, name } = this.#place(partsOf(path));
        if (flags === 'wx') {
          if (parent.names.has(name)) throw failure('EEXIST');
          const file: File = {
            kind: 'file',
            links: 1,
            bytes: Buffer.alloc(0),
            durable: Buffer.alloc(0),
            madeAtMs: this.now(),
          };
          parent.names.set(name, file);
        }
        return this.#handle(this.#nodeAt(path));
      },
      link: async (from: string, to: string) => {
        await this.#step();
        const { parent, name } = this.#place(partsOf(to));
        if (parent.names.has(name)) throw failure('EEXIST');
        const file = this.#fileAt(from);
        file.links++;
        parent.names.set(name, file);
      },
      rename: async (from: string, to: string) => {
        await this.#step();
        const target = this.#place(partsOf(to));
        const source = this.#place(partsOf(from));
        target.parent.names.set(target.name, this.#fileAt(from));
        source.parent.names.delete(source.name);
      },
      unlink: async (path: string) => {
        await this.#step();
        const file = this.#fileAt(path);
        file.links--;
        const { parent, name } = this.#place(partsOf(path));
        parent.names.delete(name);
      },
      rmdir: async (path: string) => {
        await this.#step();
        const node = this.#nodeAt(path);
        if (node.kind === 'file' || node.names.size > 0) throw failure('ENOTEMPTY');
        const { parent, name } = this.#place(partsOf(path));
        parent.names.delete(name);
      },
      readdir: async (path: string) => {
        await this.#step();
        const node = this.#nodeAt(path);
        if (node.kind === 'file') throw failure('ENOTDIR');
        return [...node.names].map(([name, { kind }]) => ({
          name,
          isFile: () => kind === 'file',
          isDirectory: () => kind === 'directory',
        }));
      },
      stat: async (path: string) => {
        await this.#step();
        return statOf(this.#nodeAt(path));
      },
      // no step of its own: it comes before each of the others
      lstat: async (path: string) => {
        if (this.stepsLeft <= 0) throw failure('EIO');
        return Promise.resolve(statOf(this.#nodeAt(path)));
      },
    };
    return operations as unknown as FileSystem;
  }

  #handle(node: Node): unknown {
    return {
      write: async (chunk: Uint8Array, offset = 0) => {
        await this.#step();
        if (node.kind === 'file') node.bytes = Buffer.concat([node.bytes, chunk.subarray(offset)]);
        return { bytesWritten: chunk.length - offset };
      },
      read: (buffer: Buffer, offset: number, length: number, position: number) => {
        const bytes = node.kind === 'file' ? node.bytes : Buffer.alloc(0);
        return Promise.resolve({
          bytesRead: bytes.copy(buffer, offset, position, position + length),
        });
      },
      stat: () => Promise.resolve(statOf(node)),
      sync: async () => {
        await this.#step();
        if (node.kind === 'file') node.durable = node.bytes;
        else node.durable = new Map(node.names);
      },
      close: () => Promise.resolve(),
    };
  }

  #place(parts: readonly string[]): { parent: Directory; name: string } {
    const parent = this.#nodeAt(parts.slice(0, -1).join('/'));
    if (parent.kind === 'file') throw failure('ENOTDIR');
    return { parent, name: parts.at(-1) ?? '' };
  }

  #nodeAt(path: string): Node {
    let node: Node = this.#root;
    for (const part of partsOf(path)) {
      if (node.kind === 'file') throw failure('ENOTDIR');
      const next: Node | undefined = node.names.get(part);
      if (!next) throw failure('ENOENT');
      node = next;
    }
    return node;
  }

  #fileAt(path: string): File {
    const node = this.#nodeAt(path);
    if (node.kind === 'directory') throw failure('EISDIR');
    return node;
  }
}

/** Each change that was not synced survives or not, as luck has it. */
function survivorOf(node: Node, fraction: () => number, nowMs: number): Node {
  if (node.kind === 'file') {
    const isSynced = node.bytes === node.durable;
    const bytes = isSynced
      ? node.durable
      : node.bytes.subarray(0, Math.floor(fraction() * (node.bytes.length + 1)));
    return { kind: 'file', links: 1, bytes, durable: bytes, madeAtMs: nowMs };
  }
  const survivor = directory();
  for (const name of new Set([...node.durable.keys(), ...node.names.keys()])) {
    const before = node.durable.get(name);
    const after = node.names.get(name);
    const lucky = before === after || fraction() < 0.5 ? after : before;
    if (lucky) survivor.names.set(name, survivorOf(lucky, fraction, nowMs));
  }
  survivor.durable = new Map(survivor.names);
  return survivor;
}

function* filesIn(
  { names }: Directory,
  prefix: string,
): Generator<readonly [path: string, bytes: Buffer]> {
  for (const [name, node] of names) {
    const path = prefix + name;
    if (node.kind === 'file') yield [path, node.bytes];
    else yield* filesIn(node, `${path}/`);
  }
}

function directory(): Directory {
  return { kind: 'directory', names: new Map(), durable: new Map() };
}

const inodes = new WeakMap<Node, number>();
let lastInode = 0;

function statOf(node: Node): unknown {
  const isFile = node.kind === 'file';
  const ino = inodes.get(node) ?? ++lastInode;
  inodes.set(node, ino);
  return {
    dev: 1,
    ino,
    size: isFile ? node.bytes.length : 0,
    mtimeMs: isFile ? node.madeAtMs : 0,
    nlink: isFile ? node.links : 2,
    isFile: () => isFile,
    isDirectory: () => !isFile,
    isSymbolicLink: () => false,
  };
}

function partsOf(path: string): string[] {
  return path.split('/').filter(Boolean);
}

function failure(code: string): Error {
  return Object.assign(new Error(`${code}: made up`), { code });
}
