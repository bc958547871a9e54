/** Questions to a person at a terminal, one after the other: asked on stderr, answered by a line each. */
import { createInterface, type Interface } from 'node:readline/promises';
import type { Terminal } from '../terminal.js';

/** Whether somebody can be asked: who reads from a pipe gets no question. */
export function canAsk({ stdin, stderr }: Terminal): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}

export class Questions implements Disposable {
  readonly #terminal: Terminal;
  readonly #lines: Interface;
  /** Keeps the lines that come before they are asked for. */
  readonly #answers: AsyncIterator<string, undefined>;

  constructor(terminal: Terminal) {
    const { stdin, interruption } = terminal;
    interruption.signal.throwIfAborted();
    this.#terminal = terminal;
    // without `terminal: true` the line stays the terminal's own, and so does Ctrl-C
    this.#lines = createInterface({
      input: stdin,
      terminal: false,
      signal: interruption.signal,
    });
    this.#answers = this.#lines[Symbol.asyncIterator]();
  }

  /** The answer without space around it; undefined where the input has ended. @throws the interruption's reason */
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
