/** The emulator in a process of its own, so that its CPU is nobody else's. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { startEmulator, type Emulator } from '../../src/emulator/emulator.js';
import type { EmulatorOptions } from '../../src/emulator/options.js';

export interface Service {
  readonly baseUrl: string;
  readonly users: readonly string[];
}

/** Serves until it is disposed. */
export class EmulatorProcess implements Disposable {
  readonly #child: ChildProcess;

  private constructor(
    readonly service: Service,
    child: ChildProcess,
  ) {
    this.#child = child;
  }

  /** @param tables so many jobs, evenly spread over all, get a table of their own. Default: none */
  static async start(options: EmulatorOptions, tables = 0): Promise<EmulatorProcess> {
    const words = [CHILD, JSON.stringify(options), String(tables)];
    const child = fork(fileURLToPath(import.meta.url), words);
    const [service] = (await once(child, 'message')) as [Service];
    return new EmulatorProcess(service, child);
  }

  /** Adds a question with its answer to the first session of the first user. */
  async ask(): Promise<void> {
    this.#child.send('ask');
    await once(this.#child, 'message');
  }

  end(): void {
    this.#child.kill();
  }

  [Symbol.dispose](): void {
    this.end();
  }
}

/** Flags of the command line for an export of everybody, at a rate above what any machine reaches. */
export function everybody({ baseUrl, users }: Service, rate = 100_000): string[] {
  const named = users.flatMap((user) => ['--user', user]);
  return ['--base-url', baseUrl, '--rate', String(rate), ...named];
}

/** What the emulator accepts. */
export const KEY = { JOBVAULT_API_KEY: 'demo-key' };

const CHILD = 'emulator-process';
const [, , role, options = '', tables = ''] = process.argv;
if (role === CHILD) {
  const emulator = await startEmulator(JSON.parse(options) as EmulatorOptions);
  addTables(emulator, Number(tables));
  process.on('message', () => {
    const { state } = emulator;
    const [user = ''] = state.userIds();
    const [session = ''] = state.sessionIds(user);
    state.addJob(user, session);
    process.send?.('asked');
  });
  process.send?.({ baseUrl: emulator.baseUrl, users: emulator.state.userIds() });
}

function addTables({ state }: Emulator, count: number): void {
  if (count === 0) return;
  const places = state
    .userIds()
    .flatMap((user) =>
      state
        .sessionIds(user)
        .flatMap((session) => state.jobIds(user, session).map((job) => ({ user, session, job }))),
    );
  const step = Math.max(1, Math.floor(places.length / count));
  for (const [index, { user, session, job }] of places.entries()) {
    if (index % step !== 0) continue;
    const key = `bench/${index}.csv`;
    const rows = Array.from({ length: 60 }, (_, row) => `region ${row},${index + row},${row * 7}`);
    state.putFile(key, `region,revenue,orders\n${rows.join('\n')}\n`);
    state.growAnswer(user, session, job, {
      type: 'TABLE',
      content: { name: `table ${index}.csv`, url: `{{url:${key}}}`, expires_at: '{{expires_at}}' },
      ...{ stage: 'Respond', group_id: '', group_name: '' },
    });
  }
}
