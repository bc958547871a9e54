/** What the generator writes and the page reads: the shape of every data file. Lists, not objects, where keys are data. */

/** The key of each data file is its path below `data/`, without `.js`. */
export interface PeopleData {
  readonly users: readonly UserLine[];
}

export interface UserLine {
  /** Of its own data file, `u/<number>`. */
  readonly number: number;
  readonly id: string;
  readonly sessions: number;
  readonly jobs: number;
  readonly gaps: number;
  /** Milliseconds since 1970, of the newest job whose id tells; null where none does. */
  readonly newest: number | null;
}

export interface UserData {
  readonly id: string;
  /** What kept the last run from listing all sessions, if anything did. */
  readonly problem: string | null;
  readonly sessions: readonly SessionLine[];
}

export interface SessionLine {
  /** Of its own data file, `s/<number>`. */
  readonly number: number;
  readonly id: string;
  readonly name: string | null;
  readonly language: string | null;
  readonly mode: string | null;
  readonly jobs: number;
  readonly gaps: number;
  readonly newest: number | null;
  readonly marks: readonly string[];
}

export interface SessionData extends SessionLine {
  readonly user: string;
  readonly context: number | null;
  readonly created: number | null;
  readonly outline: readonly OutlineLine[];
  /** How many jobs each piece `s/<number>-<piece>` has. */
  readonly pieces: readonly number[];
  readonly gapList: readonly GapLine[];
}

export interface OutlineLine {
  readonly id: string;
  readonly question: string;
}

export interface GapLine {
  readonly user: string;
  readonly session: string;
  /** Null where it concerns the session as a whole. */
  readonly job: string | null;
  readonly kind: string | null;
  readonly status: string;
  readonly reason: string;
}

export interface PieceData {
  readonly jobs: readonly JobView[];
  /** Tables that its jobs show, each once. */
  readonly tables: readonly TableView[];
}

export interface JobView {
  readonly id: string;
  readonly version: number;
  readonly created: number | null;
  readonly exported: number | null;
  readonly settled: boolean;
  readonly question: readonly BlockView[];
  readonly steps: readonly StepView[];
  readonly answer: readonly BlockView[];
  /** Superseded versions, the newest first. */
  readonly earlier: readonly JobView[];
}

/** Analyze blocks of one group, in a row. */
export interface StepView {
  readonly name: string;
  readonly blocks: readonly BlockView[];
}

export type BlockView =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'markdown'; readonly html: string }
  | { readonly kind: 'code'; readonly html: string; readonly language: string }
  | { readonly kind: 'table'; readonly name: string; readonly table: number; readonly file: string }
  | {
      readonly kind: 'image';
      readonly name: string;
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
      readonly name: string;
      readonly status: string;
      readonly reason: string;
    }
  | { readonly kind: 'sources'; readonly sources: readonly SourceView[] }
  | { readonly kind: 'questions'; readonly questions: readonly string[] }
  | { readonly kind: 'json'; readonly type: string; readonly json: string };

export interface SourceView {
  readonly name: string;
  readonly type: string;
  readonly dataset: string;
  readonly more: string;
}

export interface TableView {
  readonly header: readonly string[];
  /** The first ones. */
  readonly rows: readonly (readonly string[])[];
  /** Of the whole table; null where nobody could count them. */
  readonly rowCount: number | null;
  readonly columnCount: number;
}

/** `find`: how the search index is cut. */
export interface SearchPlan {
  /** Of each partition, the first word of each of its pieces `f/<partition>-<piece>`. */
  readonly partitions: readonly (readonly string[])[];
  readonly jobs: number;
}

/** A word and the jobs that have it: the steps from one number to the next, in base 36, with a space between. */
export type IndexPiece = readonly (readonly [word: string, jobs: string])[];

/** `j/<piece>`: jobs by number, `JOBS_PER_DIRECTORY` a piece. */
export interface JobDirectory {
  readonly jobs: readonly FoundJob[];
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
  readonly created: number | null;
}

export const JOBS_PER_DIRECTORY = 200;

/** `gaps`. */
export interface GapsData {
  readonly total: number;
  /** The first ones. */
  readonly gaps: readonly GapLine[];
}
