/** What the generator writes and the page reads: the shape of every data file. Lists, not objects, where keys are data. */
import type { Completeness } from '../archive/reading/caveats/completeness.js';
import type { HoldLine } from '../making/hold-line.js';
import type { MissingCounts } from '../model/gap-counts.js';
import type { SearchField } from '../search/search-fields.js';
import type { When } from '../model/times/when.js';

/** The key of each data file is its path below `data/`, without `.js`. */
export interface PeopleData {
  /** How many people have conversations here, as the first page counts them: two spellings of a user may be one. */
  readonly people: number;
  readonly users: readonly UserLine[];
}

export interface UserLine {
  /** The number of its own data file, `u/<number>`. */
  readonly number: number;
  readonly id: string;
  readonly sessions: number;
  readonly jobs: number;
  readonly gaps: MissingCounts;
  /** When its newest job was asked. */
  readonly newest: When;
  /** As a whole: a session may be on hold without its user. */
  readonly isHeld: boolean;
  /** How whole is what is shown of the user. */
  readonly completeness: Completeness;
  /** Whether the service lists nothing of the user, and nothing is archived: the id may be wrong. */
  readonly isNeverSeen: boolean;
}

export interface UserData {
  readonly id: string;
  /** What kept the last run from listing all sessions, if anything did. */
  readonly problem: string | null;
  /** As in `UserLine`. */
  readonly completeness: Completeness;
  readonly isNeverSeen: boolean;
  /** The holds on the user as a whole. */
  readonly holds: readonly HoldLine[];
  readonly sessions: readonly SessionLine[];
}

export interface SessionLine {
  /** The number of its own data file, `s/<number>`. */
  readonly number: number;
  readonly user: string;
  readonly id: string;
  readonly name: string | null;
  readonly language: string | null;
  readonly mode: string | null;
  /** The jobs in the report. */
  readonly jobs: number;
  /** The jobs that the archive has. */
  readonly archived: number;
  /** Jobs that are withheld by decision of what the report is made for. */
  readonly withheld: number;
  readonly gaps: MissingCounts;
  readonly newest: When;
  readonly marks: readonly string[];
  /** By itself or with its user. */
  readonly isHeld: boolean;
}

/** `latest`: the sessions with the newest jobs, `SESSIONS_PER_DIRECTORY` at most. */
export interface LatestData {
  readonly sessions: readonly SessionLine[];
  /** The sum of the whole report. */
  readonly total: number;
}

/** `l/<piece>`: the sessions whose number less 1, divided by `SESSIONS_PER_DIRECTORY`, is the piece. */
export interface SessionDirectory {
  readonly sessions: readonly SessionLine[];
}

export const SESSIONS_PER_DIRECTORY = 200;

export interface SessionData extends SessionLine {
  readonly context: number | null;
  readonly created: number | null;
  /** When its newest version was archived. */
  readonly exported: number | null;
  readonly outline: readonly OutlineLine[];
  /** How many jobs each piece `s/<number>-<piece>` has. */
  readonly pieces: readonly number[];
  readonly gapList: readonly GapLine[];
  /** Who has withheld some of its jobs, and why: a sentence for each decision. */
  readonly withheldBy: readonly string[];
  /** The holds on the session and on its user. */
  readonly holds: readonly HoldLine[];
  /** Where the session stands as a text beside the page; null where it does not. */
  readonly text: string | null;
}

export interface OutlineLine {
  readonly id: string;
  readonly question: string;
  /** Its place in the session, from 1; null where the order of its jobs is not known. */
  readonly number: number | null;
}

export interface GapLine {
  readonly user: string;
  /** Empty where the user as a whole is meant. */
  readonly session: string;
  readonly sessionName: string | null;
  /** Null where it concerns the session as a whole. */
  readonly job: string | null;
  /** When the job was asked. */
  readonly when: When;
  readonly kind: string | null;
  readonly status: string;
  readonly reason: string;
  /** Whether somebody has accepted it. */
  readonly isAccepted: boolean;
  /** What that means, and what ends it; or who has accepted it. */
  readonly meaning: string;
}

export interface PieceData {
  readonly jobs: readonly JobView[];
  /** Tables that its jobs show, each once. */
  readonly tables: readonly TableView[];
}

export interface JobView {
  readonly id: string;
  readonly version: number;
  readonly created: When;
  readonly exported: number | null;
  readonly settled: boolean;
  readonly question: readonly BlockView[];
  readonly steps: readonly StepView[];
  readonly answer: readonly BlockView[];
  /** Whether there is an answer, and not only steps, or blocks with nothing in them. */
  readonly isAnswered: boolean;
  /** Superseded versions, the newest first. */
  readonly earlier: readonly JobView[];
  /** By whose decision it is shown without its texts, and why; null of one that is shown whole. */
  readonly redaction: string | null;
  /** Where the words of the search stand that chose the jobs of the report; empty without one. */
  readonly found: readonly SearchField[];
  /** Whether nothing tells if it was asked within the period of that search. */
  readonly isUndated: boolean;
  /** As in `OutlineLine`; null of a superseded version, too. */
  readonly number: number | null;
}

/** Analyze blocks of one group, in a row. */
export interface StepView {
  readonly name: string;
  readonly blocks: readonly BlockView[];
}

export type BlockView =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'markdown'; readonly text: string }
  | { readonly kind: 'code'; readonly text: string; readonly language: string }
  | { readonly kind: 'table'; readonly name: string; readonly table: number; readonly file: string }
  | {
      readonly kind: 'image';
      readonly name: string;
      /** What the page shows: the file, or a `data:` URL of one that could run something on its own. */
      readonly source: string;
      readonly file: string;
      readonly width: number | null;
      readonly height: number | null;
    }
  | {
      readonly kind: 'file';
      readonly name: string;
      readonly file: string | null;
      readonly note: string;
    }
  | {
      readonly kind: 'lost';
      readonly type: string;
      /** Null where it has none. */
      readonly name: string | null;
      readonly status: string;
      readonly reason: string;
    }
  | { readonly kind: 'sources'; readonly sources: readonly SourceView[] }
  | { readonly kind: 'questions'; readonly questions: readonly string[] }
  | {
      readonly kind: 'json';
      readonly type: string;
      /** Null where a pseudonymised copy leaves it out. */
      readonly json: string | null;
    };

export interface SourceView {
  readonly name: string;
  readonly type: string;
  readonly dataset: string;
  readonly more: string;
  /** What the answer cites of it; empty where the service sent none. */
  readonly passage: string;
}

/** Shown of each table. */
export const MOST_COLUMNS = 50;

export interface TableView {
  /** Lines above the heading: titles and comments. */
  readonly above: readonly string[];
  readonly header: readonly string[];
  /** The first ones. */
  readonly rows: readonly (readonly string[])[];
  /** The rows of the whole table; null where nobody could count them. */
  readonly rowCount: number | null;
  /** The cells of its widest row. */
  readonly columnCount: number;
  /** Null where nothing tells it: then the characters are a guess, and no search finds them. */
  readonly encoding: string | null;
  /** Whether a comma stands before decimals where a number can be read in two ways. */
  readonly hasDecimalComma: boolean;
  /** What a search looks through, folded: its first 16 KB; null where that is what is shown, and nothing else. */
  readonly words: string | null;
}

/** `find`: how the search index is cut. */
export interface SearchPlan {
  /** The first word of each of the pieces `f/<partition>-<piece>`, for each partition. */
  readonly partitions: readonly (readonly string[])[];
  readonly jobs: number;
  /** The first job of each piece `c/<piece>`. */
  readonly times: readonly number[];
}

/**
 * `c/<piece>`: whose every job is and when it was asked, in the order of the jobs' numbers: a session may have several
 * runs of them. Session and user 0: numbers of jobs that have left.
 */
export interface TimesPiece {
  readonly sessions: readonly (readonly [session: number, user: number, asked: readonly When[]])[];
}

/** A word and the jobs that have it: the steps from one number to the next, in base 36, with a space between. */
export type IndexPiece = readonly (readonly [word: string, jobs: string])[];

/** `j/<piece>`: jobs by number, `JOBS_PER_DIRECTORY` a piece. */
export interface JobDirectory {
  /** Null: it has left. */
  readonly jobs: readonly (FoundJob | null)[];
}

export interface FoundJob {
  readonly user: string;
  /** Number of the session. */
  readonly session: number;
  readonly sessionId: string;
  readonly sessionName: string | null;
  /** Piece of the session, and place in it. */
  readonly piece: number;
  readonly id: string;
  readonly question: string;
  readonly created: When;
}

export const JOBS_PER_DIRECTORY = 200;

/** `gaps`. */
export interface GapsData {
  /** The number of gaps and of jobs that a search left out. */
  readonly total: number;
  /** Whether nothing is in doubt where no gap is known. */
  readonly isProven: boolean;
  /** The first ones. */
  readonly gaps: readonly GapLine[];
}
