/** A real Redis with an append-only file, on a free port, in a directory of its own. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from './free-port.js';
import { redisServer } from './programs.js';

export class RedisServer implements AsyncDisposable {
  #process: ChildProcess | undefined;

  private constructor(
    readonly port: number,
    readonly directory: string,
    readonly words: readonly string[],
  ) {}

  /** @param words more of its configuration: `--requirepass secret` */
  static async start(...words: string[]): Promise<RedisServer> {
    const directory = await mkdtemp(join(tmpdir(), 'jobvault-redis-'));
    const server = new RedisServer(await freePort(), directory, words);
    await server.start();
    return server;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** What was written before is there again. */
  async start(): Promise<void> {
    const place = ['--port', String(this.port), '--bind', '127.0.0.1', '--dir', this.directory];
    const keeping = ['--appendonly', 'yes', '--appendfsync', 'always', '--save', ''];
    const child = spawn(redisServer ?? 'redis-server', [...place, ...keeping, ...this.words], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    this.#process = child;
    let said = '';
    for await (const text of child.stdout.setEncoding('utf8')) {
      said += String(text);
      if (said.includes('Ready to accept connections')) return;
    }
    throw new Error(`redis-server ended: ${said}`);
  }

  /** All that it has written, as it stands in its files. */
  async everything(password: string): Promise<string> {
    const redis = new Redis(this.url, { password });
    await redis.ping(); // what was written before is in the file now
    redis.disconnect();
    const entries = await readdir(this.directory, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    const texts = files.map((file) => readFile(join(file.parentPath, file.name), 'latin1'));
    return (await Promise.all(texts)).join('\n');
  }

  /** With SIGKILL: what it had not written is lost. */
  async kill(): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    await rm(this.directory, { recursive: true, force: true });
  }
}
