/**
 * Compares the files of a session by their bytes where their URLs differ from the archived ones: a parameter
 * that belongs to no presigning scheme may name the file, or may only authorize the request.
 */
import type { ArtifactFetcher } from '../artifacts/artifact-fetcher.js';
import { FileComparison } from '../artifacts/file-comparison.js';
import type { Runtime } from '../base/runtime.js';
import { contentHash } from '../flatten/content-hash.js';
import { differingParameters, urlTraces } from '../flatten/url-traces.js';
import { asJobId, sessionKey, type JobId } from '../model/ids.js';
import type { JobRecord, Verbatim } from '../model/records.js';
import { Listings } from '../service/page-reader.js';
import { readAll, type PlacedRecord } from '../service/read-all.js';
import type { ServiceClient } from '../service/service-client.js';
import type { ArchivedSession } from '../archive/state/archived-session.js';
import { counted } from '../base/text/counted.js';
import { refusal, type PruneRefusal } from './refusal.js';

export interface FileCheckOptions extends Pick<Runtime, 'clock' | 'signal'> {
  readonly service: ServiceClient;
  readonly fetcher: ArtifactFetcher;
  readonly pageSize: number;
}

export class FileCheck {
  readonly #listings: Listings;
  /** The parameters that had changed without the bytes of a job, of each whose bytes were compared in this run. */
  readonly #proven = new Map<string, ReadonlySet<string>>();

  constructor(readonly options: FileCheckOptions) {
    this.#listings = new Listings(options);
  }

  /** Whether the URLs of a job's files say what the archived ones say, but for what was proven in this run. */
  isAccountedFor(
    { user, session, state }: ArchivedSession,
    job: JobId,
    record: Verbatim<JobRecord>,
  ): boolean {
    const proven = this.#proven.get(keyOf(user, session, job));
    const differing = differingParameters(state.jobs.get(job)?.urls ?? null, urlTraces(record));
    return differing.every((parameter) => proven?.has(parameter) === true);
  }

  /**
   * Reads the history and fetches what is doubtful; undefined where all of it is what is archived.
   *
   * @throws {ServiceError}
   */
  async refusalOf(archived: ArchivedSession): Promise<PruneRefusal | undefined> {
    const { fetcher, clock, signal } = this.options;
    const reader = this.#listings.historyOf(archived.user, archived.session);
    const comparison = new FileComparison({ fetcher, reader, clock, signal });
    const changed = { jobs: 0 };
    const unknown: string[] = [];
    for await (const page of readAll(reader)) {
      await fetcher.ready(signal);
      const verdicts = page.items.map(async (item) => {
        const verdict = await this.#compare(archived, item, comparison);
        if (verdict?.kind === 'other') changed.jobs++;
        if (verdict?.kind === 'unknown') unknown.push(`job ${item.id}: ${verdict.reason}`);
      });
      await Promise.all(verdicts);
    }
    if (changed.jobs > 0) {
      const what = `the files of ${counted(changed.jobs, 'job')} changed since`;
      return refusal('changed', `${what}: to be archived by the next export --full`);
    }
    const [first] = unknown;
    if (first === undefined) return undefined;
    return refusal('files', `whether a file is still the archived one is not known; ${first}`);
  }

  async #compare(
    archived: ArchivedSession,
    item: PlacedRecord<JobRecord>,
    comparison: FileComparison,
  ) {
    const { user, session, state } = archived;
    const job = asJobId(item.id);
    const known = state.jobs.get(job);
    // the final check finds anything else that has changed
    if (known?.hash !== contentHash(item.record)) return undefined;
    if (this.isAccountedFor(archived, job, item.record)) return undefined;
    const differing = differingParameters(known.urls, urlTraces(item.record));
    const verdict = await comparison.compare(item, known.files);
    if (verdict.kind === 'same') {
      this.#proven.set(keyOf(user, session, job), new Set(differing));
    }
    return verdict;
  }
}

function keyOf(user: string, session: string, job: JobId): string {
  return `${sessionKey(user, session)}${job}`;
}
