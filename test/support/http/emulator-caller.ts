/** Calls the emulator's operations over real sockets, as a plain HTTP client would. */
import type { Emulator } from '../../../src/emulator/emulator.js';

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body; undefined when it is no JSON. */
  readonly body: any; // eslint-disable-line @typescript-eslint/no-explicit-any -- tests look into any shape
}

export class EmulatorCaller {
  readonly #emulator: Emulator;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(
    emulator: Emulator,
    /** The user if none is named. */
    readonly userId: string = emulator.state.userIds()[0] ?? 'nobody',
    headers: Readonly<Record<string, string>> = { 'x-pd-api-key': 'demo-key' },
  ) {
    this.#emulator = emulator;
    this.#headers = headers;
  }

  /** `user_id` is added unless the query has one; null leaves a parameter out. */
  get(path: string, query: Readonly<Record<string, string | number | null>> = {}): Promise<Reply> {
    const parameters: Readonly<Record<string, string | number | null>> = {
      user_id: this.userId,
      ...query,
    };
    const given = Object.entries(parameters).flatMap(([name, value]): [string, string][] =>
      value === null ? [] : [[name, `${value}`]],
    );
    const search = new URLSearchParams(given).toString();
    return this.send('GET', `${path}?${search}`);
  }

  post(path: string, body: object): Promise<Reply> {
    return this.send('POST', path, JSON.stringify({ user_id: this.userId, ...body }));
  }

  delete(path: string, body: object = {}): Promise<Reply> {
    return this.send('DELETE', path, JSON.stringify({ user_id: this.userId, ...body }));
  }

  async send(method: string, path: string, body?: string): Promise<Reply> {
    const response = await fetch(this.#emulator.baseUrl + path, {
      method,
      headers: { ...this.#headers, ...(body ? { 'content-type': 'application/json' } : {}) },
      redirect: 'manual',
      ...(body === undefined ? {} : { body }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: parsed(text) };
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
