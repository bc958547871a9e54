/** Restores damaged and missing artifacts from the quarantine or from the service. */
import type { Archive } from '../archive/archive.js';
import type { ArtifactEntry } from '../archive/log/commit.js';
import type { LogFindings } from '../archive/verify/verify-log.js';
import type { VerifyProblem } from '../archive/verify/findings.js';
import type { RowFormat } from '../formats/format.js';
import type { Storage } from '../storage/storage.js';
import { fetchAgain, type Reasons } from './fetch-again.js';
import { lostEntries, artifactPlaces } from './lost-artifact.js';
import { originalOfQuarantined, QUARANTINE_PREFIX } from '../archive/paths.js';
import type { ServiceAccess } from './service-access.js';

export interface RepairedArtifacts {
  readonly repaired: readonly string[];
  /** Still damaged or missing, and why. */
  readonly lost: readonly { readonly path: string; readonly reason: string }[];
}

export interface RepairArtifactsOptions {
  readonly archive: Archive;
  readonly formats: readonly RowFormat[];
  /** Undefined: artifacts are restored from the quarantine only. */
  readonly access: ServiceAccess | undefined;
}

/** @throws {JobvaultError} the service refuses the key, or the storage fails */
export async function repairArtifacts(
  { archive, formats, access }: RepairArtifactsOptions,
  { index }: LogFindings,
  problems: readonly VerifyProblem[],
): Promise<RepairedArtifacts> {
  const { contents } = index;
  const entries = lostEntries(contents, problems);
  const left = await restoreFromQuarantine(archive.storage, entries);
  let reasons: Reasons = new Map(
    left.map(({ path }) => [path, 'not in the quarantine, and no service was given']),
  );
  if (access && left.length > 0) {
    reasons = await fetchAgain(access, await artifactPlaces(archive, left, { contents, formats }));
  }
  return {
    repaired: entries.map(({ path }) => path).filter((path) => !reasons.has(path)),
    lost: [...reasons].map(([path, reason]) => ({ path, reason })),
  };
}

/** Returns the artifacts that the quarantine lacks, or has damaged. */
async function restoreFromQuarantine(
  storage: Storage,
  entries: readonly ArtifactEntry[],
): Promise<ArtifactEntry[]> {
  const left = new Map(entries.map((entry) => [entry.path, entry]));
  if (left.size === 0) return [];
  for await (const { path, bytes } of storage.list(QUARANTINE_PREFIX)) {
    const original = originalOfQuarantined(path) ?? '';
    const entry = left.get(original);
    if (entry?.bytes === bytes && (await restore(storage, path, entry))) left.delete(original);
  }
  return [...left.values()];
}

/** Publishes the copy if its digest is right. @returns whether it is */
async function restore(storage: Storage, copy: string, entry: ArtifactEntry): Promise<boolean> {
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
