/** The built library in a process of its own, with options that no flag sets. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { SHORT_LIVED_FLAGS } from './v8-flags.js';
import type { ExportToArchiveOptions } from '../../../src/export/export-request.js';
import type { ExportSummary } from '../../../src/export/export-summary.js';
import type { WorkerOptions } from '../../../src/fleet/worker-options.js';
import type { CliEnd } from './cli-process.js';

const LIBRARY = fileURLToPath(new URL('../../../dist/index.js', import.meta.url));
const SCRIPT = `
const [, library, call, options] = process.argv;
const { summary, error } = await (await import(library))[call](JSON.parse(options));
console.log(JSON.stringify({ summary, code: error === undefined ? null : String(error.code ?? error) }));
process.exitCode = error === undefined ? 0 : 1;
`;

interface LibraryProcess<End> {
  readonly kill: (signal: NodeJS.Signals) => void;
  readonly ended: Promise<End>;
}

/** What cannot be handed to another process. */
type Ports = 'clock' | 'random' | 'signer' | 'logger' | 'observer' | 'signal';

/** Its stdout has the summary, and the code of the error that ended it. */
export type WorkerProcess = LibraryProcess<CliEnd>;

export function workerProcess(options: Omit<WorkerOptions, Ports>): WorkerProcess {
  return begin('runWorker', options);
}

/** `code`: of the error that ended the run; null where none did. */
export function exportProcess(
  options: Omit<ExportToArchiveOptions, Ports>,
): LibraryProcess<{ readonly summary: ExportSummary; readonly code: string | null }> {
  const { kill, ended } = begin('exportToArchive', options);
  const read = async () => {
    const { stdout, stderr } = await ended;
    if (stdout === '') throw new Error(stderr);
    return JSON.parse(stdout) as { summary: ExportSummary; code: string | null };
  };
  return { kill, ended: read() };
}

function begin(call: 'exportToArchive' | 'runWorker', options: object): LibraryProcess<CliEnd> {
  const script = ['--input-type=module', '--eval', SCRIPT];
  const words = [...SHORT_LIVED_FLAGS, ...script, LIBRARY, call, JSON.stringify(options)];
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'pipe'] });
  const told = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  const ended = told.then(([stdout, stderr, [exitCode]]) => ({
    exitCode: exitCode as number | null,
    stdout,
    stderr,
  }));
  return { kill: (signal) => void child.kill(signal), ended };
}
