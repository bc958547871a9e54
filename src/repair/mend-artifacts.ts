/** Restores damaged and missing artifacts from the quarantine or from the service. */
import type { Archive } from '../archive/archive.js';
import type { ArtifactEntry } from '../archive/log/commit.js';
import type { LogFindings } from '../archive/verify/verify-log.js';
import type { VerifyProblem } from '../archive/verify/findings.js';
import type { RowFormat } from '../formats/format.js';
import type { Storage } from '../storage/storage.js';
import { fetchAgain, type Reasons } from './fetch-again.js';
import { lostEntries, placesOf } from './lost-artifact.js';
import { originalOfQuarantined, QUARANTINE_PREFIX } from '../archive/paths.js';
import type { ServiceAccess } from './service-access.js';

export interface MendedArtifacts {
  readonly mended: readonly string[];
  /** Still damaged or missing, and why. */
  readonly lost: readonly { readonly path: string; readonly reason: string }[];
}

export interface MendArtifactsOptions {
  readonly archive: Archive;
  readonly formats: readonly RowFormat[];
  /** Undefined: only the quarantine is looked into. */
  readonly access: ServiceAccess | undefined;
}

/** @throws {JobvaultError} the service refuses the key, or the storage fails */
export async function mendArtifacts(
  { archive, formats, access }: MendArtifactsOptions,
  { index }: LogFindings,
  problems: readonly VerifyProblem[],
): Promise<MendedArtifacts> {
  const { contents } = index;
  const entries = lostEntries(contents, problems);
  const left = await takeFromQuarantine(archive.storage, entries);
  let reasons: Reasons = new Map(
    left.map(({ path }) => [path, 'no service was named to fetch it from']),
  );
  if (access && left.length > 0) {
    const damaged = new Set(problems.map(({ path }) => path));
    const isSound = (path: string) => !damaged.has(path);
    reasons = await fetchAgain(
      access,
      await placesOf(archive, left, { contents, formats, isSound }),
    );
  }
  return {
    mended: entries.map(({ path }) => path).filter((path) => !reasons.has(path)),
    lost: [...reasons].map(([path, reason]) => ({ path, reason })),
  };
}

/** Returns those that are not there, or not whole there either. */
async function takeFromQuarantine(
  storage: Storage,
  entries: readonly ArtifactEntry[],
): Promise<ArtifactEntry[]> {
  const left = new Map(entries.map((entry) => [entry.path, entry]));
  if (left.size === 0) return [];
  for await (const { path, bytes } of storage.list(QUARANTINE_PREFIX)) {
    const original = originalOfQuarantined(path) ?? '';
    const entry = left.get(original);
    if (entry?.bytes === bytes && (await takeBack(storage, path, entry))) left.delete(original);
  }
  return [...left.values()];
}

/** Whether the copy is the very file; only then it is put in place. */
async function takeBack(storage: Storage, copy: string, entry: ArtifactEntry): Promise<boolean> {
  const staged = await storage.stage({ expectedBytes: entry.bytes });
  try {
    for await (const chunk of storage.read(copy)) await staged.write(chunk);
    const isSame = (await staged.close()).sha256 === entry.sha256;
    if (isSame) await staged.publish(entry.path);
    return isSame;
  } finally {
    await staged.discard();
  }
}
