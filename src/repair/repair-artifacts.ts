/** Restores damaged and missing artifacts from the quarantine or from the service. */
import { type Archive } from '../archive/archive.js';
import type { LogFindings } from '../archive/verify/verify-log.js';
import type { VerifyProblem } from '../archive/verify/findings.js';
import type { ObjectInfo, Storage } from '../storage/storage.js';
import { originalOfQuarantined, QUARANTINE_PREFIX } from '../archive/paths.js';
import type { ServiceAccess } from './service-access.js';
import { fileLocation } from '../artifacts/url-deadline.js';
import { JobvaultError, messageOf } from '../base/error.js';
import { groupBy } from '../base/group-by.js';
import { redactText } from '../base/text/redact.js';
import { shownFileUrl } from '../model/urls/shown-url.js';
import { sameFile } from '../artifacts/live-history.js';
import { fileReferences, placeKey, type FileReference } from '../flatten/file-references.js';
import type { JobRecord, Verbatim } from '../model/records.js';
import { type PageReader, type PlacedRecord, Listings } from '../service/page-reader.js';
import { readAll } from '../service/read-all.js';
import type { ServedAt } from '../service/service-client.js';
import { sessionKey } from '../model/ids.js';
import {
  lostEntries,
  artifactPlaces,
  type ArtifactName,
  type LostArtifact,
  type ArtifactPlace,
} from './lost-artifacts.js';

export interface RepairedArtifacts {
  readonly repaired: readonly string[];
  readonly lost: readonly StillLost[];
}

/** Still damaged or missing, and why. */
export interface StillLost {
  readonly path: string;
  readonly reason: string;
  /** The service, or the host of the file, did not answer: it may have the file. */
  readonly unreached: boolean;
}

export interface RepairArtifactsOptions {
  readonly archive: Archive;
  /** Undefined: artifacts are restored from the quarantine only. */
  readonly access: ServiceAccess | undefined;
}

/** @throws {JobvaultError} the service refuses the key, or the storage fails */
export async function repairArtifacts(
  { archive, access }: RepairArtifactsOptions,
  { index }: LogFindings,
  problems: readonly VerifyProblem[],
): Promise<RepairedArtifacts> {
  const { contents } = index;
  const entries = lostEntries(problems);
  const missing = await restoreFromQuarantine(archive.storage, entries);
  let reasons: Reasons = new Map(
    missing.map(({ path }) => [
      path,
      { reason: 'not in the quarantine, and no service was given', unreached: false },
    ]),
  );
  if (access && missing.length > 0) {
    reasons = await fetchAgain(access, await artifactPlaces(archive, missing, contents));
  }
  return {
    repaired: entries.map(({ path }) => path).filter((path) => !reasons.has(path)),
    lost: [...reasons].map(([path, why]) => ({ path, ...why })),
  };
}

/** Returns the artifacts that the quarantine lacks, or has damaged. */
async function restoreFromQuarantine(
  storage: Storage,
  entries: readonly ArtifactName[],
): Promise<ArtifactName[]> {
  const missing = new Map(entries.map((entry) => [entry.path, entry]));
  if (missing.size === 0) return [];
  for await (const { path, bytes } of storage.list(QUARANTINE_PREFIX)) {
    const original = originalOfQuarantined(path) ?? '';
    const entry = missing.get(original);
    if (entry && (await restore(storage, { path, bytes }, entry))) missing.delete(original);
  }
  return [...missing.values()];
}

/** Publishes the copy if its digest is right. @returns whether it is */
async function restore(
  storage: Storage,
  copy: Pick<ObjectInfo, 'path' | 'bytes'>,
  entry: ArtifactName,
): Promise<boolean> {
  const staged = await storage.stage({ expectedBytes: copy.bytes });
  try {
    for await (const chunk of storage.read(copy.path)) await staged.write(chunk);
    const isSame = (await staged.close()).sha256 === entry.sha256;
    if (isSame) await staged.publish(entry.path);
    return isSame;
  } finally {
    await staged.discard();
  }
}

/** By path of each artifact that is still lost: the last failure, for people. */
export type Reasons = Map<string, Omit<StillLost, 'path'>>;

/** A block that points to a lost artifact. */
interface Candidate {
  readonly lost: LostArtifact;
  readonly place: ArtifactPlace;
}

/**
 * Reads one session after the other until all artifacts are found or no block is left.
 *
 * @returns why, for each path that stays lost
 * @throws {JobvaultError} the service refuses the key, or the storage fails
 */
async function fetchAgain(
  access: ServiceAccess,
  artifacts: readonly LostArtifact[],
): Promise<Reasons> {
  const search = new Search(access);
  for (const lost of artifacts) {
    const reason =
      lost.places.length === 0
        ? 'no row names the job that it belongs to'
        : 'not found in the service';
    search.reasons.set(lost.entry.path, { reason, unreached: false });
  }
  const candidates = artifacts.flatMap((lost) => lost.places.map((place) => ({ lost, place })));
  const bySession = groupBy(candidates, ({ place }) => sessionKey(place.user, place.session));
  for (const ofSession of bySession.values()) await search.searchSession(ofSession);
  return search.reasons;
}

class Search {
  readonly reasons: Reasons = new Map();
  readonly #listings: Listings;
  readonly #access: ServiceAccess;

  constructor(access: ServiceAccess) {
    this.#access = access;
    this.#listings = new Listings(access);
  }

  /** @param candidates all of one session */
  async searchSession(candidates: readonly Candidate[]): Promise<void> {
    const [first] = candidates;
    if (!first || !candidates.some((candidate) => this.#isLost(candidate))) return;
    const reader = this.#listings.historyOf(first.place.user, first.place.session);
    try {
      for await (const page of readAll(reader)) {
        for (const candidate of candidates)
          if (this.#isLost(candidate)) await this.#searchPage(candidate, page.items, reader);
        if (!candidates.some((candidate) => this.#isLost(candidate))) return;
      }
    } catch (error) {
      if (!(error instanceof JobvaultError) || error.disposition === 'fatal') throw error;
      const why = redactText(messageOf(error));
      const unreached = error.disposition === 'retry';
      for (const candidate of candidates) this.#setReason(candidate, why, unreached);
    }
  }

  #isLost({ lost }: Candidate): boolean {
    return this.reasons.has(lost.entry.path);
  }

  #setReason(candidate: Candidate, reason: string, unreached = false): void {
    if (this.#isLost(candidate)) this.reasons.set(candidate.lost.entry.path, { reason, unreached });
  }

  async #searchPage(
    candidate: Candidate,
    items: readonly PlacedRecord<JobRecord>[],
    reader: PageReader<JobRecord>,
  ): Promise<void> {
    const item = items.find(({ id }) => id === candidate.place.job);
    if (!item) return;
    for (const reference of referencesTo(candidate.place, item.record)) {
      if (!this.#isLost(candidate)) return;
      await this.#download(candidate, reference, item, reader);
    }
  }

  async #download(
    candidate: Candidate,
    reference: FileReference,
    { served, range }: PlacedRecord<JobRecord>,
    reader: PageReader<JobRecord>,
  ): Promise<void> {
    const { fetcher, clock, signal } = this.#access;
    const { entry } = candidate.lost;
    const locationOf = ({ url, expiresAt }: FileReference, at: ServedAt) =>
      fileLocation(url ?? '', expiresAt, at, clock);
    const outcome = await fetcher.fetch({
      kind: reference.kind,
      location: locationOf(reference, served),
      refresh: async () => {
        const again = await reader.read(range);
        const item = again.items.find(({ id }) => id === candidate.place.job);
        const fresh = item && sameFile(item.record, reference);
        return fresh && locationOf(fresh, item.served);
      },
      signal,
    });
    if (outcome.status !== 'stored') {
      this.#setReason(
        candidate,
        `${outcome.status}: ${outcome.reason}`,
        outcome.status === 'failed',
      );
      return;
    }
    try {
      if (outcome.sha256 !== entry.sha256) {
        this.#setReason(candidate, 'the service has another file there now');
        return;
      }
      await outcome.staged.publish(entry.path);
      this.reasons.delete(entry.path);
    } finally {
      await outcome.staged.discard();
    }
  }
}

/** The reference at the same place, then any other with the same address: an answer's blocks may have moved. */
function referencesTo(place: ArtifactPlace, record: Verbatim<JobRecord>): FileReference[] {
  const references = fileReferences(record).filter(({ url }) => url !== null);
  const isSamePlace = (reference: FileReference) => placeKey(reference) === place.place;
  const isSameUrl = ({ url }: FileReference) => url !== null && shownFileUrl(url) === place.url;
  return [
    ...references.filter(isSamePlace),
    ...references.filter((reference) => !isSamePlace(reference) && isSameUrl(reference)),
  ];
}
