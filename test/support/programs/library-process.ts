/** An export by the built library in a process of its own, with options that no flag sets. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { SHORT_LIVED_FLAGS } from './v8-flags.js';
import type { ExportToArchiveOptions } from '../../../src/export/export-request.js';
import type { ExportSummary } from '../../../src/export/export-summary.js';

const LIBRARY = fileURLToPath(new URL('../../../dist/index.js', import.meta.url));
const SCRIPT = `
const { exportToArchive } = await import(process.argv[1]);
const { summary, error } = await exportToArchive(JSON.parse(process.argv[2]));
console.log(JSON.stringify({ summary, code: error === undefined ? null : String(error.code ?? error) }));
`;

export interface LibraryProcess {
  readonly kill: (signal: NodeJS.Signals) => void;
  /** `code`: of the error that ended the run; null where none did. */
  readonly ended: Promise<{ readonly summary: ExportSummary; readonly code: string | null }>;
}

export function exportInProcess(
  options: Omit<ExportToArchiveOptions, 'signer' | 'logger' | 'observer' | 'signal'>,
): LibraryProcess {
  const words = [
    ...SHORT_LIVED_FLAGS,
    '--input-type=module',
    '--eval',
    SCRIPT,
    LIBRARY,
    JSON.stringify(options),
  ];
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = Promise.all([text(child.stdout), once(child, 'close')]).then(
    ([output]) =>
      JSON.parse(output) as { readonly summary: ExportSummary; readonly code: string | null },
  );
  return { kill: (signal) => void child.kill(signal), ended };
}
