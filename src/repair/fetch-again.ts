/** Downloads lost artifacts from the service again; only bytes with the archived SHA-256 are accepted. */

import { fileLocation } from '../artifacts/deadline.js';
import { JobvaultError, messageOf } from '../base/error.js';
import { groupBy } from '../base/group-by.js';
import { redactText } from '../base/text/redact.js';
import { shownFileUrl } from '../model/shown-url.js';
import { sameFile } from '../artifacts/live-history.js';
import { fileReferences, placeKey, type FileReference } from '../flatten/file-references.js';
import type { JobRecord, Verbatim } from '../model/records.js';
import type { PageReader, PlacedRecord } from '../service/page-reader.js';
import { readAll } from '../service/read-all.js';
import type { ServedAt } from '../service/service-client.js';
import { sessionKey } from '../model/ids.js';
import type { ArtifactPlace, LostArtifact } from './lost-artifact.js';
import { Listings } from '../service/listings.js';
import type { ServiceAccess } from './service-access.js';

/** By path of each artifact that is still lost: the last failure, for people. */
export type Reasons = Map<string, string>;

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
export async function fetchAgain(
  access: ServiceAccess,
  artifacts: readonly LostArtifact[],
): Promise<Reasons> {
  const search = new Search(access);
  for (const lost of artifacts) {
    const why =
      lost.places.length === 0
        ? 'no row names the job that it belongs to'
        : 'not found in the service';
    search.reasons.set(lost.entry.path, why);
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
    if (!first || !candidates.some((one) => this.#isLost(one))) return;
    const reader = this.#listings.historyOf(first.place.user, first.place.session);
    try {
      for await (const page of readAll(reader)) {
        for (const one of candidates)
          if (this.#isLost(one)) await this.#searchPage(one, page.items, reader);
        if (!candidates.some((one) => this.#isLost(one))) return;
      }
    } catch (error) {
      if (!(error instanceof JobvaultError) || error.disposition === 'fatal') throw error;
      const why = redactText(messageOf(error));
      for (const one of candidates) this.#setReason(one, why);
    }
  }

  #isLost({ lost }: Candidate): boolean {
    return this.reasons.has(lost.entry.path);
  }

  #setReason(one: Candidate, why: string): void {
    if (this.#isLost(one)) this.reasons.set(one.lost.entry.path, why);
  }

  async #searchPage(
    one: Candidate,
    items: readonly PlacedRecord<JobRecord>[],
    reader: PageReader<JobRecord>,
  ): Promise<void> {
    const item = items.find(({ id }) => id === one.place.job);
    if (!item) return;
    for (const reference of referencesTo(one.place, item.record)) {
      if (!this.#isLost(one)) return;
      await this.#download(one, reference, item, reader);
    }
  }

  async #download(
    one: Candidate,
    reference: FileReference,
    { served, range }: PlacedRecord<JobRecord>,
    reader: PageReader<JobRecord>,
  ): Promise<void> {
    const { fetcher, clock, signal } = this.#access;
    const { entry } = one.lost;
    const locationOf = ({ url, expiresAt }: FileReference, at: ServedAt) =>
      fileLocation(url ?? '', expiresAt, at, clock);
    const outcome = await fetcher.fetch({
      kind: reference.kind,
      location: locationOf(reference, served),
      refresh: async () => {
        const again = await reader.read(range);
        const item = again.items.find(({ id }) => id === one.place.job);
        const fresh = item && sameFile(item.record, reference);
        return fresh && locationOf(fresh, item.served);
      },
      signal,
    });
    if (outcome.status !== 'stored') {
      this.#setReason(one, `${outcome.status}: ${outcome.reason}`);
      return;
    }
    try {
      if (outcome.sha256 !== entry.sha256) {
        this.#setReason(one, 'the service has another file there now');
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
