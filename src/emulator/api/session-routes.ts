/** The six session operations. */
import { AGENT_IDS, JOB_MODES, LIMITS, OUTPUT_LANGUAGES } from '../../model/records.js';
import type { JsonObject } from '../../model/records.js';
import { RandomStream } from '../seed/random-stream.js';
import { uuid4 } from '../seed/seed-plan.js';
import type { SessionFields } from '../seed/seeded-world.js';
import type { JobEntry, EmulatedSession } from '../world/session-state.js';
import type { EmulatedUser } from '../world/world.js';
import { emptyData, type ApiCall, type ApiContext, type Handlers, refusals } from './api-call.js';
import {
  pageText,
  pageRequestOf,
  cutToCharacters,
  optionalChoice,
  optionalInteger,
  optionalText,
  requiredText,
} from './page.js';

export const sessionHandlers = {
  listSessions({ project, userId, input }, context) {
    const page = pageRequestOf(input, context);
    const search = searchWord(input);
    const all = context.world.user(project, userId).sessions;
    const found = search ? all.filter((session) => session.fields.name.includes(search)) : all;
    return pageText(found, page, context, (session) => shownSession(session.fields));
  },
  createSession(call, context) {
    const settings = sessionSettings(call.input, context);
    const agentId = optionalChoice(call.input, 'agent_id', AGENT_IDS);
    const user = context.world.user(call.project, call.userId);
    if (user.sessionCount >= LIMITS.sessionsPerUser) {
      throw refusals.sessionCap(LIMITS.sessionsPerUser);
    }
    const id = newId(context, 'session');
    const fields: SessionFields = {
      id,
      output_language: 'AUTO',
      job_mode: 'AUTO',
      max_contextual_job_history: LIMITS.maxContextualJobHistory,
      ...settings,
      ...(agentId ? { agent_id: agentId } : {}),
    };
    user.add(context.world.newSession(id, fields));
    context.world.changed();
    return JSON.stringify({ id });
  },
  getSession(call, context) {
    return shownSession(ownSession(call, context).session.fields);
  },
  modifySession(call, context) {
    const settings = sessionSettings(call.input, context);
    const { session } = ownSession(call, context);
    session.setFields({ ...session.fields, ...settings });
    context.world.changed();
    return emptyData(context);
  },
  deleteSession(call, context) {
    const { user, session } = ownSession(call, context);
    user.delete(session.id);
    context.world.changed();
    if (context.faults.deleteAnswers500AfterDeleting) throw refusals.internal();
    return emptyData(context);
  },
  getHistory(call, context) {
    const page = pageRequestOf(call.input, context);
    const { session } = ownSession(call, context);
    const signed = context.signer.signerOfOnePage();
    const write = (entry: JobEntry): string => signed.fill(session.jobText(entry));
    return pageText(session.jobs, page, context, write);
  },
} satisfies Partial<Handlers>;

export function searchWord(input: JsonObject): string | undefined {
  return optionalText(input, 'search', { max: LIMITS.searchLength, allowEmpty: true });
}

/** A random-looking id, determined by the seed and the number of ids made so far. */
export function newId({ world }: ApiContext, kind: string): string {
  return uuid4(RandomStream.of(world.seeded.plan.seed, 'made', kind, world.nextNumber()));
}

/** A longer name is kept whole and cut to 128 characters when shown. */
export function nameRule({ faults }: ApiContext): { max?: number } {
  return faults.refuseLongNames ? { max: LIMITS.nameLength } : {};
}

type SessionSettings = Omit<SessionFields, 'id'> & { readonly name: string };

function sessionSettings(input: JsonObject, context: ApiContext): SessionSettings {
  const name = requiredText(input, 'name', nameRule(context));
  const language = optionalChoice(input, 'output_language', OUTPUT_LANGUAGES);
  const mode = optionalChoice(input, 'job_mode', JOB_MODES);
  const history = optionalInteger(input, 'max_contextual_job_history', {
    min: LIMITS.minContextualJobHistory,
    max: LIMITS.maxContextualJobHistory,
  });
  return {
    name,
    ...(language === undefined ? {} : { output_language: language }),
    ...(mode === undefined ? {} : { job_mode: mode }),
    ...(history === undefined ? {} : { max_contextual_job_history: history }),
  };
}

/** The session of another user in the same project is forbidden; any other is not found. */
function ownSession(
  { project, userId, pathId }: ApiCall,
  { world }: ApiContext,
): { user: EmulatedUser; session: EmulatedSession } {
  const user = world.user(project, userId);
  const session = user.session(pathId);
  if (session) return { user, session };
  // Clients request a session again after its deletion: that must not search all users.
  if (!user.hadSession(pathId) && world.isSessionOfAnother(project, userId, pathId)) {
    throw refusals.noPermission('the session belongs to another user');
  }
  throw refusals.notFound('the session');
}

function shownSession(fields: SessionFields): string {
  return JSON.stringify({ ...fields, name: cutToCharacters(fields.name, LIMITS.nameLength) });
}
