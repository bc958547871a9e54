/** What the first page counts, while sessions pass by. */
import type { Row } from '../../model/table-schema.js';
import { textIn } from '../../model/mask-secrets.js';
import type { JobRows } from '../../archive/reading/rows/session-rows.js';
import type { GapLine } from '../page-data.js';
import { type KeptSources, SourceTally } from './source-tally.js';
import { Tally } from './tally.js';
import { msIn, whenOf } from '../../model/times/asked-times.js';
import { daysOf } from '../../model/times/when.js';

/** What a report keeps of the counts of a session: plain JSON. */
export interface KeptCounts {
  readonly tallies: readonly (readonly (readonly [string, number])[])[];
  readonly sources: KeptSources;
  readonly numbers: readonly number[];
}

export class Tallies {
  readonly users = new Tally();
  readonly languages = new Tally();
  readonly modes = new Tally();
  readonly blockTypes = new Tally();
  readonly artifacts = new Tally();
  readonly sources = new SourceTally();
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
      sources: this.sources.kept,
      numbers: [this.sessions, this.jobs, this.timeless, this.earlierVersions],
    };
  }

  merge({ tallies, sources, numbers }: KeptCounts): void {
    this.#tallies.forEach((tally, index) => {
      tally.merge(tallies[index] ?? []);
    });
    this.sources.merge(sources);
    const [sessions = 0, jobs = 0, timeless = 0, earlierVersions = 0] = numbers;
    this.sessions += sessions;
    this.jobs += jobs;
    this.timeless += timeless;
    this.earlierVersions += earlierVersions;
  }

  get #tallies(): readonly Tally[] {
    const { users, languages, modes, blockTypes, artifacts, gaps, days } = this;
    return [users, languages, modes, blockTypes, artifacts, gaps, days];
  }

  gap({ status, isAccepted }: Pick<GapLine, 'status' | 'isAccepted'>): void {
    this.gaps.add(isAccepted ? `${status}, accepted` : status);
  }

  session(row: Row | undefined): void {
    this.sessions++;
    this.languages.add(textIn(row, 'output_language') ?? 'unknown');
    this.modes.add(textIn(row, 'job_mode') ?? 'unknown');
  }

  job(user: string, { job, blocks, artifacts, sources }: JobRows): void {
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
    this.sources.addOfJob(sources, msIn(job, 'created_at'));
  }
}
