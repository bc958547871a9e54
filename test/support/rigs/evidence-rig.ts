/** An export rig, and evidence packs of its archive made through the command line. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { runCli } from '../../../src/cli/run-cli.js';
import type { EvidenceSummary } from '../../../src/evidence/write-evidence.js';
import type { ExportRig } from './export-rig.js';
import { EvidencePack } from '../tables/evidence-pack.js';
import { testTerminal } from '../programs/test-terminal.js';

export interface Handover {
  readonly exitCode: number;
  readonly stderr: string;
  /** Throws if there is none. */
  readonly summary: () => EvidenceSummary;
  readonly pack: EvidencePack;
}

let packs = 0;

/** Runs `jobvault evidence <archive> --out <new place> --json` with more words, which may name another place. */
export async function handOver(rig: ExportRig, ...words: string[]): Promise<Handover> {
  const place = join(rig.directory, `pack-${++packs}`);
  const out = words.includes('--out') ? [] : ['--out', place];
  const terminal = testTerminal({ arguments: ['evidence', rig.out, ...out, '--json', ...words] });
  const exitCode = await runCli(terminal);
  const { stdout, stderr } = terminal.told;
  return {
    exitCode,
    stderr,
    summary: () => JSON.parse(stdout) as EvidenceSummary,
    pack: new EvidencePack(place),
  };
}

/** Names beside the archive: where a pack, or what is left of one, would be. */
export async function besideArchive(rig: ExportRig): Promise<string[]> {
  return (await readdir(rig.directory)).filter((name) => name !== 'archive').sort();
}
