/** Runs a program as a process of its own, and tells what it used. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath, pathToFileURL } from 'node:url';

export interface Ended {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly seconds: number;
}

export interface MeasuredProcess extends Ended {
  /** Of all its threads. */
  readonly cpuSeconds: number;
  /** Peak resident memory, in MB of 10^6 bytes. */
  readonly peakMB: number;
}

/** What `npm run build` has made. The bench itself is built to `dist/bench/test/bench`. */
export const MAIN = fileURLToPath(new URL('../../../main.js', import.meta.url));

const WRAPPER = `
  process.on('exit', () => {
    const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
    process.stderr.write('used ' + (userCPUTime + systemCPUTime) + ' ' + maxRSS + '\\n');
  });
  process.argv.splice(1, 0, process.env.BENCH_PROGRAM);
  await import(process.env.BENCH_PROGRAM);
`;

/** Runs a module of Node's, ours by default; whatever ends in another exit code than 0 is an error. */
export async function measuredNode(
  args: readonly string[],
  options: {
    readonly program?: string;
    readonly environment?: NodeJS.ProcessEnv;
    /** Node's own. */
    readonly flags?: readonly string[];
  } = {},
): Promise<MeasuredProcess> {
  const { program = MAIN, environment = {}, flags = [] } = options;
  const ended = await timed(
    process.execPath,
    [...flags, '--input-type=module', '--eval', WRAPPER, '--', ...args],
    { ...environment, BENCH_PROGRAM: pathToFileURL(program).href },
  );
  const [, micros = '', kilobytes = ''] = /^used (\d+) (\d+)$/m.exec(ended.stderr) ?? [];
  return { ...ended, cpuSeconds: Number(micros) / 1e6, peakMB: (Number(kilobytes) * 1024) / 1e6 };
}

/** What reads ends with 3 where the archive says that something is missing or in doubt: it has answered. */
const READS = ['show', 'search', 'report', 'workbook', 'evidence'];

/** @throws {Error} it ends in another exit code than 0, or than 3 of what reads */
export async function timed(
  command: string,
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): Promise<Ended> {
  const started = performance.now();
  const child = spawn(command, args, {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const [exitCode] = (await once(child, 'close')) as [number | null];
  const seconds = (performance.now() - started) / 1000;
  const hasAnswered = exitCode === 3 && args.some((word) => READS.includes(word));
  if (exitCode !== 0 && !hasAnswered) {
    throw new Error(`${command} ${args.at(-1) ?? ''} ended with ${exitCode}: ${stderr || stdout}`);
  }
  return { exitCode, stdout, stderr, seconds };
}
