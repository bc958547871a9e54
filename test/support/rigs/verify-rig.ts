/** `verify` run in this process on an archive that was exported from the emulator. */
import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { VerifyProblem } from '../../../src/archive/verify/findings.js';
import type { Difference } from '../../../src/repair/difference.js';
import { cliJson } from '../programs/cli-in-process.js';
import type { ExportRig } from './export-rig.js';

export interface VerifyJson {
  readonly status: string;
  readonly unread: number;
  readonly bytes: number;
  readonly head: { readonly number: number; readonly digest: string };
  readonly problems: readonly VerifyProblem[];
  readonly notes: readonly { readonly path: string; readonly detail: string }[];
  readonly orphans: readonly string[];
  readonly repair: {
    readonly held: string | null;
    readonly quarantine: string | null;
    readonly moved: readonly string[];
    readonly artifacts_mended: readonly string[];
    readonly artifacts_lost: readonly { readonly path: string; readonly reason: string }[];
    readonly snapshots_removed: readonly string[];
  };
  readonly service: {
    readonly users: number;
    readonly sessions: number;
    readonly equal_jobs: number;
    readonly differences: readonly Difference[];
  };
  readonly signatures?: object;
}

const DAY_MS = 86_400_000;

export function verifyJson(
  rig: ExportRig,
  words: readonly string[] = [],
  exitCode = 0,
): Promise<VerifyJson> {
  return cliJson<VerifyJson>(['verify', rig.out, ...words], exitCode);
}

/** One bit in the middle of a file. */
export async function flipBitOf(rig: ExportRig, path: string): Promise<void> {
  const bytes = await rig.place.read(path);
  bytes.writeUInt8(bytes.readUInt8(bytes.length >> 1) ^ 1, bytes.length >> 1);
  await rig.place.write(path, bytes);
}

/** As if it had been written so many days ago. */
export async function makeOld(rig: ExportRig, path: string, days: number): Promise<void> {
  const then = new Date(Date.now() - days * DAY_MS);
  await utimes(join(rig.out, path), then, then);
}

export async function artifactPaths(rig: ExportRig): Promise<string[]> {
  return (await rig.files('artifacts')).sort();
}
