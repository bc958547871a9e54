/** How long the program takes to start, against Node itself, and the library, against an import of nothing. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { EmulatorProcess, everybody, KEY } from './emulator-process.js';
import { MAIN, measuredNode, timed } from './measured-process.js';
import { benchFlags, median, printRow, type Run } from './measurement.js';

/** Of each round: one start alone tells little. */
const STARTS = 11;

const { rounds, isQuick, wants } = benchFlags();
const directory = await mkdtemp(join(tmpdir(), 'jobvault-bench-'));
try {
  const archive = join(directory, 'archive');
  using emulator = await EmulatorProcess.start({ users: 1 });
  await measuredNode(['export', '--out', archive, ...everybody(emulator.service)], {
    environment: KEY,
  });
  const nothing = join(directory, 'nothing.js');
  await writeFile(nothing, '');
  const library = join(MAIN, '..', 'index.js');
  const node = ['-e', '0'];
  await measure('start-version', [MAIN, '--version'], node);
  await measure('start-help', [MAIN, '--help'], node);
  await measure('start-status', [MAIN, 'status', archive], node);
  await measure('start-import', importing(library), importing(nothing));
} finally {
  await rm(directory, { recursive: true, force: true });
}

function importing(module: string): string[] {
  return ['--input-type=module', '-e', `import ${JSON.stringify(pathToFileURL(module).href)}`];
}

async function measure(
  row: string,
  ours: readonly string[],
  peer: readonly string[],
): Promise<void> {
  if (!wants(row)) return;
  const runs: Run[] = [];
  for (let round = 0; round < rounds; round++) {
    const [mine, theirs]: [number[], number[]] = [[], []];
    for (let start = 0; start < (isQuick ? 1 : STARTS); start++) {
      theirs.push((await timed(process.execPath, peer)).seconds * 1000);
      mine.push((await timed(process.execPath, ours)).seconds * 1000);
    }
    runs.push({ ours: median(mine), peer: median(theirs) });
  }
  printRow(row, 'ms', runs);
}
