/**
 * The conversations of a product: each with its jobs, and what was found and decided of these. Part files are read once, and
 * rows set aside by session, so that memory holds a few.
 */
import { type Remark, remarksOn, withRemarked } from '../archive/reading/caveats/job-remarks.js';
import { GatheredRows, type RowsByTable } from '../archive/reading/rows/selected-rows.js';
import {
  type JobRows,
  jobsInOrder,
  sessionVersions,
} from '../archive/reading/rows/session-rows.js';
import { textIn, textOrEmpty } from '../model/mask-secrets.js';
import type { Row, TableSchema } from '../model/table-schema.js';
import type { SearchField } from '../search/search-fields.js';
import type { Making } from './making.js';
import type { SurveyedSession } from './survey.js';

type OfLog = Pick<SurveyedSession, 'user' | 'session' | 'jobs' | 'unsettled'>;

/** What is known of a job beside its rows. */
export interface JobNotes {
  /** As rows have it. */
  readonly id: string;
  /** Whether its answer may still change, as the log tells. */
  readonly mayChange: boolean;
  /** Where the words of a search stand in it; nowhere of a redacted one. */
  readonly matchedIn: readonly SearchField[];
  /** Whether nothing tells if it is in the period of a search. */
  readonly isUndated: boolean;
  /** The decision that redacts it; null of one that is shown as it is. */
  readonly redaction: string | null;
}

/** A job in its newest version. */
export interface MadeJob extends JobRows, JobNotes {
  /** Newest first. */
  readonly earlier: readonly JobRows[];
}

export interface MadeConversation<Session> {
  readonly session: Session;
  readonly rows: RowsByTable;
  /** Rows of the table `sessions`, newest first; none where its history was never read to the end. */
  readonly versions: readonly Row[];
  /** Null of one without a name. */
  readonly name: string | null;
  /** In the order in which they were asked. */
  readonly jobs: readonly MadeJob[];
  readonly remarks: readonly Remark[];
}

type Gathering = Parameters<typeof GatheredRows.of>[2];

interface ConversationsOptions extends Omit<Gathering, 'signal'> {
  /** Where rows come from. Default: the part files of what is in scope. */
  readonly rows?: Parameters<typeof GatheredRows.of>[0] | undefined;
  /** Only the tables are read, and nothing is remarked that others would tell. Default: what remarks need is read, too. */
  readonly readsNoOthers?: boolean | undefined;
}

export class Conversations<Session extends OfLog> {
  readonly #making: Making;
  readonly #gathered: GatheredRows<Session>;
  readonly #tables: readonly TableSchema[];

  private constructor(
    making: Making,
    gathered: GatheredRows<Session>,
    tables: readonly TableSchema[],
  ) {
    this.#making = making;
    this.#gathered = gathered;
    this.#tables = tables;
  }

  /**
   * @param sessions in the order in which they come
   * @throws {IntegrityError | FormatError} the archive is damaged
   */
  static async of<Session extends OfLog>(
    making: Making,
    sessions: readonly Session[],
    { rows = making.rows, readsNoOthers, target, shown, strange, ...wanted }: ConversationsOptions,
  ): Promise<Conversations<Session>> {
    const { tables, omitted = {} } = wanted;
    const read = readsNoOthers === true ? { tables, omitted } : withRemarked({ tables, omitted });
    const given = { ...read, target, shown, strange, signal: making.view.signal };
    const gathered = await GatheredRows.of(rows, sessions, given);
    return new Conversations(making, gathered, read.tables);
  }

  /** Each of the sessions once, also those that have no rows; it can be read again. */
  async *read(): AsyncGenerator<MadeConversation<Session>> {
    const { found, selection, archive } = this.#making;
    const known = {
      isWhole: found === undefined && selection.decisions.isEmpty,
      isOfCopy: archive.identity.pseudonymised !== undefined,
    };
    for await (const { session, rows } of this.#gathered.sessions()) {
      this.#making.view.signal?.throwIfAborted();
      const versions = sessionVersions(rows);
      const jobs = jobsInOrder(rows, known).map((job) => this.#made(session, job));
      const mayChange = (job: string): boolean => session.unsettled.includes(job);
      const remarks = remarksOn(jobs, mayChange, this.#tables);
      yield { session, rows, versions, name: textIn(versions[0], 'name'), jobs, remarks };
    }
  }

  async discard(): Promise<void> {
    await this.#gathered.discard();
  }

  #made(session: OfLog, job: ReturnType<typeof jobsInOrder>[number]): MadeJob {
    const id = textOrEmpty(job.job, 'job_id');
    const mayChange = session.unsettled.includes(id);
    return { ...job, earlier: job.earlier ?? [], mayChange, ...notesOn(this.#making, session, id) };
  }
}

/** What was found and decided of a job. @param job its id */
function notesOn(
  { found, selection }: Making,
  { user, session }: OfLog,
  job: string,
): Omit<JobNotes, 'mayChange'> {
  return {
    id: job,
    matchedIn: found?.matchedIn(user, session, job) ?? [],
    isUndated: found?.isUndated(user, session, job) === true,
    redaction: selection.decisions.redactionOf(session, job),
  };
}
