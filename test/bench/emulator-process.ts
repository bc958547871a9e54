/** The emulator in a process of its own, so that its CPU is nobody else's. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { startEmulator } from '../../src/emulator/emulator.js';
import type { EmulatorOptions } from '../../src/emulator/options.js';

export interface Service {
  readonly baseUrl: string;
  readonly users: readonly string[];
}

/** Serves until it is disposed. */
export class EmulatorProcess implements Disposable {
  private constructor(
    readonly service: Service,
    readonly end: () => void,
  ) {}

  static async start(options: EmulatorOptions): Promise<EmulatorProcess> {
    const child = fork(fileURLToPath(import.meta.url), [CHILD, JSON.stringify(options)]);
    const [service] = (await once(child, 'message')) as [Service];
    return new EmulatorProcess(service, () => void child.kill());
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
const [, , role, options = ''] = process.argv;
if (role === CHILD) {
  const emulator = await startEmulator(JSON.parse(options) as EmulatorOptions);
  process.send?.({ baseUrl: emulator.baseUrl, users: emulator.state.userIds() });
}
