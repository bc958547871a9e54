/**
 * What is remarked on jobs: each kind says what it needs of a job's rows, and which places in it qualify an answer. Its words
 * are in `what-to-know.ts`. The log counts them, and rows name them. Whoever reads rows of jobs reads what `withRemarked` names, and
 * tells its `Reading` what `remarksOn` finds.
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
  /** How many such places a job has, as the log counts them: rows may not be read, or not name them, as in a pseudonymised copy. */
  readonly countIn: (state: JobState, session: OfSession) => number;
  /** The same of a whole session, as its summary counts them. */
  readonly countInSession: (summary: SessionSummary) => number;
  /** The places of the remark that the newest version of a job names; absent where only the log tells it. */
  readonly placesIn?: (job: Pick<JobRows, 'job' | (keyof Needs & RemarkTable)>) => readonly Place[];
}

/** Lets `placesIn` see no table but those that it needs. */
function remark<const Needs extends Needed>(definition: RemarkOn<Needs>): RemarkOn {
  return definition;
}

const REMARKS = {
  // rows say what was known when they were written, the log what is known now
  unsettled: remark({
    needs: {},
    countIn: (job, session) => (mayChange(job, session) ? 1 : 0),
    countInSession: ({ jobs, ...state }) => (isLive(state) ? jobs.total - jobs.settled : 0),
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
 * @param byLog what the log tells of a job beyond the rows that the tables have
 * @param tables those that were read: nothing is said that others would tell; default: all that remarks need
 */
export function remarksOn(
  jobs: readonly JobRows[],
  byLog: (job: string) => readonly Remark[],
  tables: readonly TableSchema[] = TABLES,
): Remark[] {
  const read = new Set(tables.map(({ name }) => name));
  const kinds = REMARK_KINDS.filter((kind) =>
    Object.keys(REMARKS[kind].needs).every((table) => read.has(table)),
  );
  return jobs.flatMap((rows) => {
    const job = textIn(rows.job, 'job_id') ?? '';
    const counted = byLog(job);
    return kinds.flatMap((kind) => {
      const { placesIn }: RemarkOn = REMARKS[kind];
      const named = (placesIn?.(rows) ?? []).map((place): Remark => ({ kind, job, ...place }));
      return [...named, ...counted.filter((one) => one.kind === kind).slice(named.length)];
    });
  });
}

/** Whether rows of the job may tell something that the log does not. */
export function rowsMayTell(state: JobState, session: OfSession): boolean {
  return Object.values<RemarkOn>(REMARKS).some(
    ({ needs, countIn }) => Object.keys(needs).length > 0 && countIn(state, session) > 0,
  );
}

/** Those that rows do not name: only the log tells whether an answer may change, and rows of a pseudonymised copy have no reasons. */
export function kindsBeyondRows({ isOfCopy }: { readonly isOfCopy: boolean }): RemarkKind[] {
  const isNamed = (kind: RemarkKind): boolean => (REMARKS[kind] as RemarkOn).placesIn !== undefined;
  return REMARK_KINDS.filter((kind) => isOfCopy || !isNamed(kind));
}

/** The same remarks as far as the log tells them: without names of files. */
export function remarksByLog(
  job: string,
  state: JobState,
  session: OfSession,
  kinds: readonly RemarkKind[] = REMARK_KINDS,
): Remark[] {
  return kinds.flatMap((kind) =>
    Array.from({ length: REMARKS[kind].countIn(state, session) }, () => ({ kind, job })),
  );
}

/** How many there are in a session: of one without any, no job need be read. */
export function remarksIn(
  summary: SessionSummary,
  kinds: readonly RemarkKind[] = REMARK_KINDS,
): readonly (readonly [RemarkKind, number])[] {
  return kinds
    .map((kind) => [kind, REMARKS[kind].countInSession(summary)] as const)
    .filter(([, count]) => count > 0);
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
