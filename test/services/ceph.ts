/** Ceph's gateway as a child of this process: it ends with it, whatever ends it. */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { freePort, freePorts } from './free-port.js';

const SCRIPT = fileURLToPath(new URL('ceph.sh', import.meta.url));
/** A port that was free may be taken by another a moment later. */
const ATTEMPTS = 3;

export class Ceph {
  readonly #answers: AsyncIterator<string>;
  #said = '';
  #turn: Promise<unknown> = Promise.resolve();
  readonly #script: ChildProcessWithoutNullStreams;

  private constructor(
    script: ChildProcessWithoutNullStreams,
    /** Of the first gateway. */
    readonly port: number,
  ) {
    this.#script = script;

    this.#answers = createInterface({ input: script.stdout })[Symbol.asyncIterator]();
    script.stderr.on('data', (chunk: Buffer) => (this.#said += chunk.toString()));
  }

  static async start(tree: string): Promise<Ceph> {
    for (let attempt = 1; ; attempt++) {
      const [port = 0, ...monitor] = await freePorts(3);
      const words = [SCRIPT, 'run', tree, port, ...monitor].map(String);
      // a session of its own: Ctrl-C is for the tests, which then end it
      const ceph = new Ceph(spawn('bash', words, { detached: true }), port);
      try {
        await ceph.#expect('ready');
        return ceph;
      } catch (error) {
        if (attempt === ATTEMPTS) throw error;
      }
    }
  }

  /** Another gateway to the same objects, on a port of its own unless it is to come back on its old one. */
  async startGateway(port?: number): Promise<number> {
    const chosen = port ?? (await freePort());
    await this.#order('start', chosen, `started ${chosen}`);
    return chosen;
  }

  async killGateway(port: number): Promise<void> {
    await this.#order('kill', port, `killed ${port}`);
  }

  async stop(): Promise<void> {
    if (this.#script.exitCode !== null) return;
    const ended = once(this.#script, 'exit');
    this.#script.stdin.end();
    await ended;
  }

  /** One after the other: the script has one ear. */
  #order(word: string, port: number, answer: string): Promise<void> {
    const done = this.#turn.then(async () => {
      this.#script.stdin.write(`${word} ${port}\n`);
      await this.#expect(answer);
    });
    this.#turn = done.catch(() => undefined);
    return done;
  }

  async #expect(answer: string): Promise<void> {
    const { value, done } = await this.#answers.next();
    if (done || value !== answer) throw new Error(`the S3 server did not start: ${this.#said}`);
  }
}
