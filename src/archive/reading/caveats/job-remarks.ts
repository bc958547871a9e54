/**
 * What is remarked on jobs: each kind says what it needs of a job's rows, and which places in it qualify an answer. Its words
 * are in `what-to-know.ts`. Whoever reads rows of jobs reads what `withRemarked` names, and tells its `Reading` what `remarksOn` finds.
 */
import { textIn } from '../../../model/mask-secrets.js';
import type { Row, TableSchema } from '../../../model/table-schema.js';
import { TABLES } from '../../../model/tables.js';
import { isLive, mayChange } from '../../state/archived-session.js';
import type { SessionSummary } from '../../state/session-summary.js';
import type { JobState, SessionState } from '../../state/user-state.js';
import type { JobRows, JobTable } from '../rows/session-rows.js';
import { filePlace, type NamedPlace } from './named-places.js';

/** Blocks and records are none of them: readers cut their long texts short, or leave them out. */
type RemarkTable = Exclude<JobTable, 'blocks' | 'raw_jobs'>;

/** By table: the columns that are read. */
type Needed = Readonly<Partial<Record<'jobs' | RemarkTable, readonly string[]>>>;

/** Whether the service still has the session. */
type OfSession = Pick<SessionState, 'deleted' | 'goneAt'>;

type Place = Pick<NamedPlace, 'file' | 'note'>;

interface RemarkOn<Needs extends Needed = Needed> {
  readonly needs: Needs;
  /** How many such places a job has, as the log counts them: of one that a search does not list, no rows are read. */
  readonly countIn: (state: JobState, session: OfSession) => number;
  /** The same of a whole session, as its summary counts them. */
  readonly countInSession: (summary: SessionSummary) => number;
  /** The places of the remark in the newest version of a job. */
  readonly placesIn: (job: RemarkedJob<keyof Needs & RemarkTable>) => readonly Place[];
}

type RemarkedJob<Table extends RemarkTable = RemarkTable> = Pick<JobRows, 'job' | Table> & {
  /** Whether its answer may still change: rows say what was known when they were written, the log what is known now. */
  readonly mayChange: boolean;
};

/** Lets `placesIn` see no table but those that it needs. */
function remark<const Needs extends Needed>(definition: RemarkOn<Needs>): RemarkOn {
  return definition;
}

const REMARKS = {
  unsettled: remark({
    needs: {},
    countIn: (job, session) => (mayChange(job, session) ? 1 : 0),
    countInSession: ({ jobs, ...state }) => (isLive(state) ? jobs.total - jobs.settled : 0),
    placesIn: ({ mayChange }) => (mayChange ? [{}] : []),
  }),
  suspicious_file: remark({
    needs: { artifacts: ['role', 'block_index', 'file_index', 'kind', 'name', 'suspicious'] },
    countIn: ({ suspicious }) => suspicious,
    countInSession: ({ jobs }) => jobs.suspicious,
    placesIn: ({ artifacts }) =>
      artifacts.flatMap((row) => {
        const why = textIn(row, 'suspicious');
        if (why === null) return [];
        return [{ file: textIn(row, 'name'), note: `${filePlace(placeOf(row))}: ${why}` }];
      }),
  }),
} satisfies Readonly<Record<string, RemarkOn>>;

export type RemarkKind = keyof typeof REMARKS;

export const REMARK_KINDS = Object.keys(REMARKS) as readonly RemarkKind[];

export interface Remark extends Place {
  readonly kind: RemarkKind;
  readonly job: string;
}

/**
 * @param jobs each in its newest version
 * @param mayChange whether the answer of this job may still change, as the log tells
 * @param tables those that were read: nothing is said that others would tell; default: all that remarks need
 */
export function remarksOn(
  jobs: readonly JobRows[],
  mayChange: (job: string) => boolean,
  tables: readonly TableSchema[] = TABLES,
): Remark[] {
  const read = new Set(tables.map(({ name }) => name));
  const kinds = REMARK_KINDS.filter((kind) =>
    Object.keys(REMARKS[kind].needs).every((table) => read.has(table)),
  );
  return jobs.flatMap((rows) => {
    const job = textIn(rows.job, 'job_id') ?? '';
    const remarked = { ...rows, mayChange: mayChange(job) };
    return kinds.flatMap((kind) =>
      REMARKS[kind].placesIn(remarked).map((place) => ({ kind, job, ...place })),
    );
  });
}

/** Whether rows of the job may tell something that the log does not. */
export function rowsMayTell(state: JobState, session: OfSession): boolean {
  return Object.values<RemarkOn>(REMARKS).some(
    ({ needs, countIn }) => Object.keys(needs).length > 0 && countIn(state, session) > 0,
  );
}

/** The same remarks as far as the log tells them: without names of files. */
export function remarksByLog(job: string, state: JobState, session: OfSession): Remark[] {
  return REMARK_KINDS.flatMap((kind) =>
    Array.from({ length: REMARKS[kind].countIn(state, session) }, () => ({ kind, job })),
  );
}

/** How many there are in a session: of one without any, no job need be read. */
export function remarksIn(summary: SessionSummary): readonly (readonly [RemarkKind, number])[] {
  return REMARK_KINDS.map((kind) => [kind, REMARKS[kind].countInSession(summary)] as const).filter(
    ([, count]) => count > 0,
  );
}

interface RowsToRead {
  readonly tables: readonly TableSchema[];
  /** By table: columns whose cells may be null. */
  readonly omitted: Readonly<Record<string, readonly string[]>>;
}

/** What somebody reads of jobs, and what remarks need of them. */
export function withRemarked({ tables, omitted }: RowsToRead): RowsToRead {
  const more = TABLES.filter((table) => !tables.includes(table) && neededOf(table).length > 0);
  const ofTables = tables.map(({ name }) => {
    const needed = neededOf({ name });
    return [name, (omitted[name] ?? []).filter((column) => !needed.includes(column))] as const;
  });
  const ofMore = more.map((table) => [table.name, notNeededOf(table)] as const);
  return { tables: [...tables, ...more], omitted: Object.fromEntries([...ofTables, ...ofMore]) };
}

function neededOf({ name }: Pick<TableSchema, 'name'>): readonly string[] {
  const all = Object.values<RemarkOn>(REMARKS);
  return all.flatMap(({ needs }) => (needs as Readonly<Record<string, string[]>>)[name] ?? []);
}

function notNeededOf(table: TableSchema): string[] {
  const needed = neededOf(table);
  const others = table.columns.filter(({ isKey, name }) => !isKey && !needed.includes(name));
  return others.map(({ name }) => name);
}

/** @param row of the table `artifacts` */
function placeOf(row: Row) {
  const [role, kind] = [textIn(row, 'role'), textIn(row, 'kind')];
  const [block, file] = [Number(row['block_index'] ?? 0), Number(row['file_index'] ?? 0)];
  return { role, kind, block_index: block, file_index: file };
}
