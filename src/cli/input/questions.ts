/** Asks questions at a terminal: on stderr, with one line for each answer. */
import type { Terminal } from '../output/terminal.js';
import { createInterface, type Interface } from 'node:readline/promises';

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

  /** As `ask`, and what is typed is not shown: a secret. */
  async askHidden(question: string): Promise<string | undefined> {
    const { stdin, stderr } = this.#terminal;
    const interruptOnCtrlC = (keys: Uint8Array | string): void => {
      // the terminal sends no signal while it hands on every key
      if (String(keys).includes('\x03')) process.kill(process.pid, 'SIGINT');
    };
    stdin.setRawMode?.(true);
    stdin.on('data', interruptOnCtrlC);
    try {
      const answer = await this.ask(question);
      return answer === undefined ? undefined : edited(answer).trim();
    } finally {
      stdin.off('data', interruptOnCtrlC);
      stdin.setRawMode?.(false);
      stderr.write('\n');
    }
  }

  [Symbol.dispose](): void {
    this.#lines.close();
  }
}

/** Takes back what Backspace took back; other keys that are no characters are dropped. */
function edited(keys: string): string {
  const characters: string[] = [];
  for (const key of keys) {
    if (key === '\x7f' || key === '\b') characters.pop();
    else if (key >= ' ') characters.push(key);
  }
  return characters.join('');
}
