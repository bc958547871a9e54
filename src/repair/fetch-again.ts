/** Downloads lost artifacts from the service again; only bytes with the archived SHA-256 are accepted. */
import type { FileLocation } from '../artifacts/artifact-fetcher.js';
import { deadlineOf } from '../artifacts/deadline.js';
import { JobvaultError, messageOf } from '../base/error.js';
import { groupBy } from '../base/group-by.js';
import { redactText, redactUrl } from '../base/text/redact.js';
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

/** The last that went wrong with it, for people; the path of an artifact that is there again is absent. */
export type Reasons = Map<string, string>;

interface Wanted {
  readonly lost: LostArtifact;
  readonly place: ArtifactPlace;
}

/**
 * Goes from session to session until every artifact is found or no block is left to ask.
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
    const why = lost.places.length === 0 ? 'no row says where it came from' : 'not found again';
    search.reasons.set(lost.entry.path, why);
  }
  const wanted = artifacts.flatMap((lost) => lost.places.map((place) => ({ lost, place })));
  const bySession = groupBy(wanted, ({ place }) => sessionKey(place.user, place.session));
  for (const ofSession of bySession.values()) await search.lookIn(ofSession);
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

  /** @param wanted all of one session */
  async lookIn(wanted: readonly Wanted[]): Promise<void> {
    const [first] = wanted;
    if (!first || !wanted.some((one) => this.#isLost(one))) return;
    const reader = this.#listings.historyOf(first.place.user, first.place.session);
    try {
      for await (const page of readAll(reader)) {
        for (const one of wanted)
          if (this.#isLost(one)) await this.#lookAt(one, page.items, reader);
        if (!wanted.some((one) => this.#isLost(one))) return;
      }
    } catch (error) {
      if (!(error instanceof JobvaultError) || error.disposition === 'fatal') throw error;
      const why = redactText(messageOf(error));
      for (const one of wanted) this.#tell(one, why);
    }
  }

  #isLost({ lost }: Wanted): boolean {
    return this.reasons.has(lost.entry.path);
  }

  #tell(one: Wanted, why: string): void {
    if (this.#isLost(one)) this.reasons.set(one.lost.entry.path, why);
  }

  async #lookAt(
    one: Wanted,
    items: readonly PlacedRecord<JobRecord>[],
    reader: PageReader<JobRecord>,
  ): Promise<void> {
    const item = items.find(({ id }) => id === one.place.job);
    if (!item) return;
    for (const reference of candidates(item.record, one.place)) {
      if (!this.#isLost(one)) return;
      await this.#download(one, reference, item, reader);
    }
  }

  async #download(
    one: Wanted,
    reference: FileReference,
    { served, range }: PlacedRecord<JobRecord>,
    reader: PageReader<JobRecord>,
  ): Promise<void> {
    const { fetcher, signal } = this.#access;
    const { entry } = one.lost;
    const outcome = await fetcher.fetch({
      kind: reference.kind,
      location: this.#location(reference, served),
      refresh: async () => {
        const again = await reader.read(range);
        const item = again.items.find(({ id }) => id === one.place.job);
        const fresh = item && sameFile(item.record, reference);
        return fresh && this.#location(fresh, item.served);
      },
      signal,
    });
    if (outcome.status !== 'stored') {
      this.#tell(one, `${outcome.status}: ${outcome.reason}`);
      return;
    }
    try {
      if (outcome.sha256 !== entry.sha256) {
        this.#tell(one, 'the service has another file there now');
        return;
      }
      await outcome.staged.publish(entry.path);
      this.reasons.delete(entry.path);
    } finally {
      await outcome.staged.discard();
    }
  }

  #location({ url, expiresAt }: FileReference, served: ServedAt): FileLocation {
    const { clock } = this.#access;
    const sent = url ?? '';
    const deadlineMs = deadlineOf({
      url: sent,
      expiresAtMicros: expiresAt,
      served,
      nowMs: clock.now(),
      nowMonotonicMs: clock.monotonic(),
    });
    return { url: sent, deadlineMs };
  }
}

/** The place that it was, then any other with the same address: an answer's blocks may have moved. */
function candidates(record: Verbatim<JobRecord>, place: ArtifactPlace): FileReference[] {
  const references = fileReferences(record).filter(({ url }) => url !== null);
  const isSamePlace = (reference: FileReference) => placeKey(reference) === place.place;
  const isSameUrl = ({ url }: FileReference) => url !== null && redactUrl(url) === place.url;
  return [
    ...references.filter(isSamePlace),
    ...references.filter((reference) => !isSamePlace(reference) && isSameUrl(reference)),
  ];
}
