/** What the first page counts, while sessions pass by. */
import type { Row } from '../model/table-schema.js';
import { textIn } from '../model/mask-secrets.js';
import type { JobRows } from '../archive/reading/session-rows.js';
import type { GapLine, SourceView } from './page-data.js';
import { daysOf } from './when.js';
import { whenOf } from './row-cells.js';

export class Tally {
  readonly #counts = new Map<string, number>();

  add(name: string, count = 1): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + count);
  }

  /** The most frequent first; equal ones by name. */
  entries(): [string, number][] {
    return [...this.#counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  }

  get(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  /** Adds what another has counted. */
  merge(entries: Iterable<readonly [string, number]>): void {
    for (const [name, count] of entries) this.add(name, count);
  }

  get sum(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }
}

/** What a report keeps of the counts of a session: plain JSON. */
export interface KeptCounts {
  readonly tallies: readonly (readonly (readonly [string, number])[])[];
  readonly numbers: readonly number[];
}

export class Tallies {
  readonly users = new Tally();
  readonly languages = new Tally();
  readonly modes = new Tally();
  readonly blockTypes = new Tally();
  readonly artifacts = new Tally();
  readonly sources = new Tally();
  /** Gaps and doubts, by status; of the accepted ones, it says so. */
  readonly gaps = new Tally();
  /** Jobs by UTC day. One without a time is in it by the days between which it was asked, such as `2026-11-05/2026-11-07`, if both are known. */
  readonly days = new Tally();
  sessions = 0;
  jobs = 0;
  /** Jobs whose ids have no timestamp. */
  timeless = 0;
  earlierVersions = 0;

  /** In the same order as they are merged. */
  get counts(): KeptCounts {
    return {
      tallies: this.#tallies.map((tally) => tally.entries()),
      numbers: [this.sessions, this.jobs, this.timeless, this.earlierVersions],
    };
  }

  merge({ tallies, numbers }: KeptCounts): void {
    this.#tallies.forEach((tally, index) => {
      tally.merge(tallies[index] ?? []);
    });
    const [sessions = 0, jobs = 0, timeless = 0, earlierVersions = 0] = numbers;
    this.sessions += sessions;
    this.jobs += jobs;
    this.timeless += timeless;
    this.earlierVersions += earlierVersions;
  }

  get #tallies(): readonly Tally[] {
    const { users, languages, modes, blockTypes, artifacts, sources, gaps, days } = this;
    return [users, languages, modes, blockTypes, artifacts, sources, gaps, days];
  }

  gap({ status, isAccepted }: Pick<GapLine, 'status' | 'isAccepted'>): void {
    this.gaps.add(isAccepted ? `${status}, accepted` : status);
  }

  session(row: Row | undefined): void {
    this.sessions++;
    this.languages.add(textIn(row, 'output_language') ?? 'unknown');
    this.modes.add(textIn(row, 'job_mode') ?? 'unknown');
  }

  job(user: string, { job, blocks, artifacts }: JobRows): void {
    this.jobs++;
    this.users.add(user);
    const asked = whenOf(job);
    if (typeof asked !== 'number') this.timeless++;
    const span = daysOf(asked);
    if (span !== null) this.days.add(span);
    for (const block of blocks) {
      if (textIn(block, 'role') === 'answer')
        this.blockTypes.add(textIn(block, 'type') ?? 'no type');
    }
    for (const artifact of artifacts) this.artifacts.add(textIn(artifact, 'status') ?? 'no status');
  }

  /** @param sources of one job: each counts once */
  sourcesOfJob(sources: readonly SourceView[]): void {
    for (const name of new Set(sources.map((source) => source.name))) this.sources.add(name);
  }
}
