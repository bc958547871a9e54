/**
 * What somebody has decided for a request: which conversations and questions are withheld from what is made for it, or
 * shown without their texts and files. A question's own decision counts before that of its conversation, the newest last.
 * An erasure takes the ids out of a decision and leaves their digests: it counts again for a conversation that comes back.
 */
import { agreeing, counted } from '../../../base/text/counted.js';
import { shapeOf } from '../../../model/blocks/block-types.js';
import { ANALYZE } from '../../../model/blocks/stages.js';
import type { JobId, SessionId } from '../../../model/ids.js';
import { textIn } from '../../../model/mask-secrets.js';
import type { Row, TableSchema } from '../../../model/table-schema.js';
import { blocksTable, jobsTable, rawJobsTable, sessionsTable } from '../../../model/tables.js';
import { keyedDigest } from '../../log/keyed-digest.js';
import type { RequestDecision, RequestRecord } from '../../log/request-history.js';
import type { SessionState } from '../../state/user-state.js';

/** Stands for a text that is redacted. */
const REDACTED = '[redacted]';
/** Stands for the name of a conversation, of which questions may be included all the same. */
const NAMES = { withhold: '[withheld]', redact: REDACTED } as const;
const PROVENANCE = ['run_id', 'exported_at'];
const TIMES = [
  ...['created_at', 'created_at_source', 'created_after', 'created_before'],
  ...PROVENANCE,
];

/** A conversation or a question in scope that is withheld or redacted. */
export interface Decided {
  readonly session: SessionId;
  /** Null of a whole conversation. */
  readonly job: JobId | null;
  /** How many questions that are. */
  readonly jobs: number;
  readonly decision: RequestDecision;
}

/** Why questions are withheld, and by whom, as a sentence; nothing of redacted ones. */
export function withheldText({ jobs, decision: { decision, reason, by, at } }: Decided): string[] {
  if (decision !== 'withhold') return [];
  const are = agreeing(jobs, 'is', 'are');
  return [`${counted(jobs, 'question')} ${are} withheld: ${reason} (by ${by}, ${at.slice(0, 10)})`];
}

export class Decisions {
  static readonly NONE = new Decisions([]);
  readonly #sessions = new Map<string, RequestDecision>();
  /** By the digest of the question. */
  readonly #jobs = new Map<string, ReadonlyMap<string, RequestDecision>>();
  /** Digests of the conversations that were asked for. */
  readonly #digests = new Map<string, string>();
  readonly #key: string;

  private constructor(decisions: readonly RequestDecision[]) {
    this.#key = decisions[0]?.key ?? '';
    for (const decision of decisions) {
      const { session_digest: session, job_digest: job } = decision;
      if (job === null) this.#sessions.set(session, decision);
      else this.#jobs.set(session, new Map([...(this.#jobs.get(session) ?? []), [job, decision]]));
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
    const id = this.#digestOf(session);
    const jobs = this.#jobs.get(id);
    const own = jobs?.get(keyedDigest(this.#key, 'job', job));
    const found = own ?? this.#sessions.get(id);
    return found?.decision === 'include' ? undefined : found;
  }

  withholds(session: string, job: string): boolean {
    return this.ofJob(session, job)?.decision === 'withhold';
  }

  /** Why a question is redacted, by whom and since when, in a sentence; null of one that is not redacted. */
  redactionOf(session: string, job: string): string | null {
    const found = this.ofJob(session, job);
    if (found?.decision !== 'redact') return null;
    return `Redacted: ${found.reason} (by ${found.by}, ${found.at.slice(0, 10)})`;
  }

  /** Whether nothing of the conversation is shown. */
  withholdsSession(session: string): boolean {
    if (this.isEmpty) return false;
    const id = this.#digestOf(session);
    if (this.#sessions.get(id)?.decision !== 'withhold') return false;
    const own = [...(this.#jobs.get(id)?.values() ?? [])];
    return own.every(({ decision }) => decision === 'withhold');
  }

  /** Whether the conversation is shown without its name. */
  hidesName(session: string): boolean {
    return this.#nameInstead(session) !== undefined;
  }

  #nameInstead(session: string): string | undefined {
    if (this.isEmpty) return undefined;
    const { decision = 'include' } = this.#sessions.get(this.#digestOf(session)) ?? {};
    return decision === 'include' ? undefined : NAMES[decision];
  }

  /** It is asked for each row. */
  #digestOf(session: string): string {
    const known = this.#digests.get(session);
    if (known !== undefined) return known;
    const digest = keyedDigest(this.#key, 'session', session);
    this.#digests.set(session, digest);
    return digest;
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
      const name = this.#nameInstead(session);
      return name === undefined ? row : { ...row, name, extra_json: null };
    }
    if (job === null || this.ofJob(session, job)?.decision !== 'redact') return row;
    return redactedRow(table, row, job);
  }
}

/**
 * Beside the key, the columns of a redacted row that are as in the archive: when it was asked and exported, its place,
 * whether it is settled, and what makes a block a message. Everything else tells of the text, the answer or the files,
 * as hashes, lengths and counts do, and is null. Rows of the tables that are not here are not shown.
 */
const SHOWN_OF_REDACTED: Readonly<Record<string, readonly string[]>> = {
  [jobsTable.name]: [...TIMES, 'job_index', 'is_settled', 'is_withdrawn'],
  [blocksTable.name]: [...PROVENANCE, 'type', 'type_raw', 'stage'],
  [rawJobsTable.name]: PROVENANCE,
};

function redactedRow(table: TableSchema, row: Row, job: string): Row | undefined {
  const kept = SHOWN_OF_REDACTED[table.name];
  if (!kept || (table === blocksTable && !isMessage(row))) return undefined;
  const blank = table.columns
    .filter(({ name, isKey }) => name in row && !isKey && !kept.includes(name))
    .map(({ name }) => [name, null] as const);
  return { ...row, ...Object.fromEntries(blank), ...standIns(table, row, job) };
}

/** What stands for the texts of a redacted row. */
function standIns(table: TableSchema, row: Row, job: string): Row {
  if (table === rawJobsTable) return { record: JSON.stringify({ id: job, redacted: true }) };
  if (table === blocksTable) return { content_text: REDACTED, char_count: REDACTED.length };
  const { question_text: question, answer_text: answer } = row;
  return {
    question_text: question === null ? null : REDACTED,
    answer_text: answer === null ? null : REDACTED,
  };
}

/** Steps of the analysis are none: how many there were would tell of the answer. */
function isMessage(block: Row): boolean {
  return block['stage'] !== ANALYZE && shapeOf(textIn(block, 'type') ?? null) === 'prose';
}
