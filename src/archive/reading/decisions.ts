/**
 * What somebody has decided for a request: which conversations and questions are withheld from what is made for it, or
 * shown without their texts and files. A question's own decision counts before that of its conversation, the newest last.
 */
import { shapeOf } from '../../model/block-types.js';
import { rowId, type JobId, type SessionId } from '../../model/ids.js';
import { textIn } from '../../model/mask-secrets.js';
import type { Row, TableSchema } from '../../model/table-schema.js';
import {
  artifactsTable,
  blocksTable,
  jobsTable,
  proposedQuestionsTable,
  rawJobsTable,
  sessionsTable,
  sourcesTable,
} from '../../model/tables.js';
import type { RequestDecision, RequestRecord } from '../log/request-history.js';
import type { SessionState } from '../state/user-state.js';

/** Stands for a text that is redacted. */
const REDACTED = '[redacted]';

/** A conversation or a question in scope that is withheld or redacted. */
export interface Decided {
  readonly session: SessionId;
  /** Null of a whole conversation. */
  readonly job: JobId | null;
  /** How many questions that are. */
  readonly jobs: number;
  readonly decision: RequestDecision;
}

export class Decisions {
  static readonly NONE = new Decisions([]);
  readonly #sessions = new Map<string, RequestDecision>();
  readonly #jobs = new Map<string, ReadonlyMap<string, RequestDecision>>();

  private constructor(decisions: readonly RequestDecision[]) {
    for (const decision of decisions) {
      const session = rowId(decision.session);
      if (decision.job === null) this.#sessions.set(session, decision);
      else {
        const known = this.#jobs.get(session) ?? [];
        this.#jobs.set(session, new Map([...known, [rowId(decision.job), decision]]));
      }
    }
  }

  /** @param request for which something is made; undefined of none */
  static of(request: Pick<RequestRecord, 'decisions'> | undefined): Decisions {
    const { decisions = [] } = request ?? {};
    return decisions.length === 0 ? Decisions.NONE : new Decisions(decisions);
  }

  get isEmpty(): boolean {
    return this.#sessions.size + this.#jobs.size === 0;
  }

  /** Undefined where the question is shown as it is. */
  ofJob(session: string, job: string): RequestDecision | undefined {
    if (this.isEmpty) return undefined;
    const id = rowId(session);
    const found = this.#jobs.get(id)?.get(rowId(job)) ?? this.#sessions.get(id);
    return found?.decision === 'include' ? undefined : found;
  }

  withholds(session: string, job: string): boolean {
    return this.ofJob(session, job)?.decision === 'withhold';
  }

  /** Whether nothing of the conversation is shown. */
  withholdsSession(session: string): boolean {
    const id = rowId(session);
    if (this.#sessions.get(id)?.decision !== 'withhold') return false;
    const own = [...(this.#jobs.get(id)?.values() ?? [])];
    return own.every(({ decision }) => decision === 'withhold');
  }

  /** Whether the conversation is shown without its name. */
  hidesName(session: string): boolean {
    const { decision = 'include' } = this.#sessions.get(rowId(session)) ?? {};
    return decision !== 'include';
  }

  /** What is withheld or redacted of a conversation. @param jobs those in scope */
  decidedIn(session: SessionId, jobs: Iterable<JobId>): Decided[] {
    if (this.isEmpty) return [];
    const whole = new Map<RequestDecision, number>();
    const single: Decided[] = [];
    for (const job of jobs) {
      const decision = this.ofJob(session, job);
      if (decision?.job === null) whole.set(decision, (whole.get(decision) ?? 0) + 1);
      else if (decision) single.push({ session, job, jobs: 1, decision });
    }
    const ofWhole = [...whole].map(([decision, count]) => {
      return { session, job: null, jobs: count, decision };
    });
    return [...ofWhole, ...single];
  }

  /** Without the questions that are withheld. */
  stateOf(session: SessionId, state: SessionState): SessionState {
    const jobs = [...state.jobs].filter(([job]) => !this.withholds(session, job));
    if (jobs.length === state.jobs.size) return state;
    return { ...state, jobs: new Map(jobs) };
  }

  /** A row as what is made shows it; undefined of one that is not shown. */
  shown(table: TableSchema, row: Row): Row | undefined {
    if (this.isEmpty) return row;
    const session = textIn(row, 'session_id') ?? '';
    const job = textIn(row, 'job_id');
    if (table === sessionsTable) {
      return this.hidesName(session) ? { ...row, name: REDACTED, extra_json: null } : row;
    }
    if (job === null || this.ofJob(session, job)?.decision !== 'redact') return row;
    return redactedRow(table, row, job);
  }
}

const NOT_SHOWN: ReadonlySet<string> = new Set(
  [artifactsTable, sourcesTable, proposedQuestionsTable].map(({ name }) => name),
);

/** Files, sources and proposed questions are not shown; of blocks only messages are, without their texts. */
function redactedRow(table: TableSchema, row: Row, job: string): Row | undefined {
  if (table === rawJobsTable) {
    return { ...row, record: JSON.stringify({ id: job, redacted: true }) };
  }
  if (table === jobsTable) {
    const { question_text: question, answer_text: answer } = row;
    return {
      ...row,
      question_text: question === null ? null : REDACTED,
      answer_text: answer === null ? null : REDACTED,
    };
  }
  if (table === blocksTable) {
    if (shapeOf(textIn(row, 'type') ?? null) !== 'prose') return undefined;
    const text = { content_text: REDACTED, content_json: null, search_text: null };
    return { ...row, ...text, group_id: null, group_name: null };
  }
  return NOT_SHOWN.has(table.name) ? undefined : row;
}
