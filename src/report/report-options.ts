/** What a report is made of: what its caller chooses, what was surveyed, and what its files are written with. */
import type { NamedObject } from '../archive/objects/checked-objects.js';
import type { Elsewhere } from '../archive/reading/caveats/caveat-text.js';
import type { Made } from '../making/made.js';
import type { ProductOptions } from '../making/making.js';
import type { EarlierDirectory } from '../storage/local/whole-directory.js';
import type { Storage } from '../storage/storage.js';
import type { EarlierReport } from './earlier-report.js';
import type { PageNote } from './first-page/index-html.js';
import type { People } from './people.js';
import type { Publisher, PublishTarget } from './publisher.js';
import type { SearchIndex } from './full-text/search-index.js';
import type { Survey } from '../making/survey.js';

/** Something larger, such as an evidence pack, whose page the report is: of its jobs, with its files, also for paper. */
export interface Whole {
  /** Takes the files of the page. */
  readonly files: PublishTarget;
  readonly survey: Survey;
  /** Where it has a file of the archive, seen from the page. */
  readonly placeOf: (file: NamedObject) => string;
  /** Where it has a session as a text, by its number. */
  readonly textOf: (session: number) => string | undefined;
  /** See `SessionWriterOptions`. */
  readonly placesOf: (session: number) => Promise<ReadonlyMap<string, number | null> | undefined>;
  readonly notes: readonly PageNote[];
  /** What names the others where a caveat names many. */
  readonly elsewhere: Elsewhere;
}

/** That it has only the jobs that a search finds, stands on every page. */
export interface ReportOptions extends ProductOptions {
  /** Empty. Nothing in it counts before this resolves. */
  readonly target: Storage;
  /**
   * The report that stands in its place so far: of sessions that have not changed since, the files are kept. It is left
   * aside if it is of another version of jobvault, archive or setting, or of a search.
   */
  readonly earlier?: EarlierDirectory | undefined;
  /** Default: `Archive of <the project, or the service's host>`, or of which request it is. */
  readonly title?: string | undefined;
}

export interface ReportSummary extends Made {
  readonly title: string;
  /** SHA-256 of `data/jobvault-files.sha256`; null of a search, or of a report without lost files, that is for no request: its files are not listed. */
  readonly digest: string | null;
  /** The files of the report. */
  readonly files: number;
  /** The sessions and files that an earlier report had in the same place and that were left as they are. */
  readonly unchanged: { readonly sessions: number; readonly files: number };
}

export interface OpenReport {
  readonly options: ReportOptions;
  readonly survey: Survey;
  readonly datasets: ReadonlyMap<string, string>;
  /** Null: no later report may keep anything of this one. */
  readonly settings: string | null;
  readonly earlier: EarlierReport | undefined;
  /** Default: the report stands for itself. */
  readonly whole?: Whole | undefined;
}

export interface Written {
  readonly publisher: Publisher;
  readonly index: SearchIndex;
  readonly people: People;
}
