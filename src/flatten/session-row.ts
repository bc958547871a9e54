import { createdAtOf } from '../model/created-at.js';
import type { RunId, UserId } from '../model/ids.js';
import type { SessionRecord, Verbatim } from '../model/records.js';
import type { RowOf } from '../model/table-schema.js';
import type { sessionsTable } from '../model/tables.js';
import { extraJson, fitsInt32, fitsText } from './extra-json.js';

export interface SessionContext {
  readonly userId: UserId;
  /** From 1; grows whenever the session is written again. */
  readonly sessionVersion: number;
  /** Jobs of the session in the archive, this run's included. */
  readonly jobCount: number;
  readonly isComplete: boolean;
  /** The earliest known time by which one of its jobs had been asked. */
  readonly firstJobBefore: bigint | null;
  readonly runId: RunId;
  readonly exportedAt: bigint;
}

const SESSION_FIELDS = {
  id: fitsText,
  name: fitsText,
  output_language: fitsText,
  job_mode: fitsText,
  max_contextual_job_history: fitsInt32,
  agent_id: fitsText,
};

export function sessionRow(
  context: SessionContext,
  session: Verbatim<SessionRecord>,
): RowOf<typeof sessionsTable> {
  const { value } = session;
  const createdAt = createdAtOf(value.id);
  const text = (field: unknown): string | null => (typeof field === 'string' ? field : null);
  const history = value.max_contextual_job_history;
  return {
    user_id: context.userId,
    session_id: value.id,
    session_version: context.sessionVersion,
    name: text(value.name),
    output_language: text(value.output_language),
    job_mode: text(value.job_mode),
    max_contextual_job_history: typeof history === 'number' && fitsInt32(history) ? history : null,
    agent_id: text(value.agent_id),
    job_count: context.jobCount,
    is_complete: context.isComplete,
    extra_json: extraJson(session, SESSION_FIELDS),
    created_at: createdAt?.micros ?? null,
    created_at_source: createdAt?.source ?? null,
    created_after: createdAt?.micros ?? null,
    created_before: createdAt?.micros ?? context.firstJobBefore,
    run_id: context.runId,
    exported_at: context.exportedAt,
  };
}
