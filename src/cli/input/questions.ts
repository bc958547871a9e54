/** Asks questions at a terminal: on stderr, with one line for each answer. */
import { createInterface, type Interface } from 'node:readline/promises';
import type { Terminal } from '../terminal.js';

/** Whether there is a terminal to ask at. */
export function canAsk({ stdin, stderr }: Terminal): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}

export class Questions implements Disposable {
  readonly #terminal: Terminal;
  readonly #lines: Interface;
  /** Buffers lines that come before their question. */
  readonly #answers: AsyncIterator<string, undefined>;

  constructor(terminal: Terminal) {
    const { stdin, interruption } = terminal;
    interruption.signal.throwIfAborted();
    this.#terminal = terminal;
    // without `terminal: true` the terminal itself handles line editing and Ctrl-C
    this.#lines = createInterface({
      input: stdin,
      terminal: false,
      signal: interruption.signal,
    });
    this.#answers = this.#lines[Symbol.asyncIterator]();
  }

  /** The trimmed answer; undefined at the end of the input. @throws the interruption's reason */
  async ask(question: string): Promise<string | undefined> {
    const { stderr, interruption } = this.#terminal;
    stderr.write(`${question} `);
    const { value } = await this.#answers.next();
    interruption.signal.throwIfAborted();
    return value?.trim();
  }

  [Symbol.dispose](): void {
    this.#lines.close();
  }
}
