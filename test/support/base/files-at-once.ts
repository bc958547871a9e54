/**
 * Files of tests that read archives are opened, read and written at once, not by the threads of Node's pool: handing over
 * a call costs ten times what it does on a disk in memory. The files are real. Whatever else has work gets its turn
 * after some calls. Tests of writers, of what they do side by side and of faults have the file system as it is.
 */
import fs, { type PathLike } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect } from 'vitest';

const READERS = /\/test\/integration\/(cli|delta|evidence|query|report|restore|verify)\//;
const PATH_CALLS = [
  'access',
  'link',
  'lstat',
  'mkdir',
  'mkdtemp',
  'readdir',
  'readFile',
  'realpath',
  'rename',
  'rm',
  'rmdir',
  'stat',
  'unlink',
  'writeFile',
] as const;
/** Calls in a row, after which timers and sockets have their turn. */
const IN_A_ROW = 32;

type Call = (...given: never[]) => unknown;
const calls = fs.promises as unknown as Record<string, Call>;
const atOnce = fs as unknown as Record<string, Call>;

/** The real one, whatever clock a test has. */
const turnOfOthers = promisify(setImmediate);
let done = 0;

async function now<T>(call: () => T): Promise<T> {
  if (++done % IN_A_ROW === 0) await turnOfOthers();
  return call();
}

/** What the program asks of an open file. */
class FileAtOnce implements AsyncDisposable {
  constructor(public fd: number) {}

  appendFile = (content: string | Uint8Array) => this.writeFile(content);
  read = (buffer: Uint8Array, offset: number, length: number, position: number | null) =>
    now(() => ({ buffer, bytesRead: fs.readSync(this.fd, buffer, offset, length, position) }));
  readFile = (options?: BufferEncoding) => now(() => fs.readFileSync(this.fd, options));
  stat = () => now(() => fs.fstatSync(this.fd));
  sync = () => now(() => fs.fsyncSync(this.fd));
  write = (buffer: Uint8Array, offset?: number, length?: number, position?: number | null) =>
    now(() => ({ buffer, bytesWritten: fs.writeSync(this.fd, buffer, offset, length, position) }));
  writeFile = (content: string | Uint8Array) => now(() => fs.writeFileSync(this.fd, content));

  async close(): Promise<void> {
    const { fd } = this;
    this.fd = -1;
    if (fd >= 0) await now(() => fs.closeSync(fd));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

const asTheyAre = { ...calls };

beforeAll(() => {
  if (!READERS.test(expect.getState().testPath ?? '')) return;
  for (const name of PATH_CALLS) {
    const call = atOnce[`${name}Sync`];
    if (call) calls[name] = (...given) => now(() => call(...given));
  }
  calls['open'] = (path: PathLike, flags: string | number = 'r', mode?: number) =>
    now(() => new FileAtOnce(fs.openSync(path, flags, mode)));
  syncBuiltinESMExports();
});

afterAll(() => {
  Object.assign(calls, asTheyAre);
  syncBuiltinESMExports();
});
