/** Runs the built program as a child process and tells its time and its peak memory. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export interface Measured {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly seconds: number;
  /** Peak resident memory, in MB of 10^6 bytes. */
  readonly peakMB: number;
}

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const WRAPPER = `
  process.on('exit', () => process.stderr.write('peak ' + process.resourceUsage().maxRSS + '\\n'));
  process.argv.splice(1, 0, ${JSON.stringify(MAIN)});
  await import(${JSON.stringify(MAIN)});
`;

export async function measuredRun(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<Measured> {
  const started = performance.now();
  const child = spawn(process.execPath, ['--input-type=module', '--eval', WRAPPER, '--', ...args], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const exitCode = await new Promise<number>((resolve) => {
    child.on('close', (code) => resolve(code ?? -1));
  });
  const kilobytes = Number(/^peak (\d+)$/m.exec(stderr)?.[1]);
  return {
    exitCode,
    stdout,
    stderr,
    seconds: (performance.now() - started) / 1000,
    peakMB: (kilobytes * 1024) / 1e6,
  };
}
