/** The six operations on sessions, and the six on datasets. */
import type { InputOf } from '../../model/operations.js';
import { LIMITS } from '../../model/records.js';
import { RandomStream } from '../seed/seed-plan.js';
import { uuid4 } from '../seed/seeded-ids.js';
import type { SessionFields } from '../seed/seeded-world.js';
import type { JobEntry, EmulatedSession, EmulatedUser } from '../world/world.js';
import { emptyData, type ApiCall, type ApiContext, type Handlers, refusals } from './api-call.js';
import { cutToCharacters, grantedPage, inputOf, pageText } from './page.js';

export const sessionHandlers = {
  listSessions({ project, userId, input }, context) {
    const { search, ...asked } = inputOf('listSessions', input, context);
    const page = grantedPage(asked, context);
    const all = context.world.user(project, userId).sessions;
    const found = search ? all.filter((session) => session.fields.name.includes(search)) : all;
    return pageText(found, page, context, (session) => shownSession(session.fields));
  },
  createSession(call, context) {
    const { agentId, ...settings } = inputOf('createSession', call.input, context);
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
      ...sessionFields(settings),
      ...(agentId ? { agent_id: agentId } : {}),
    };
    user.add(context.world.newSession(id, fields));
    return JSON.stringify({ id });
  },
  getSession(call, context) {
    return shownSession(ownSession(call, context).session.fields);
  },
  modifySession(call, context) {
    const settings = sessionFields(inputOf('modifySession', call.input, context));
    const { session } = ownSession(call, context);
    session.setFields({ ...session.fields, ...settings });
    return emptyData(context);
  },
  deleteSession(call, context) {
    const { user, session } = ownSession(call, context);
    user.delete(session.id);
    if (context.faults.deleteAnswers500AfterDeleting) throw refusals.internal();
    return emptyData(context);
  },
  getHistory(call, context) {
    const page = grantedPage(inputOf('getHistory', call.input, context), context);
    const { session } = ownSession(call, context);
    const shown = sentInstead(session, call, context);
    const signed = context.signer.signerOfOnePage();
    const write = (entry: JobEntry): string => signed.fill(shown?.jobText(entry) ?? '');
    return pageText(shown?.jobs ?? [], page, context, write);
  },
} satisfies Partial<Handlers>;

/** A random-looking id, determined by the seed and the number of ids made so far. */
export function newId({ world }: ApiContext, kind: string): string {
  return uuid4(RandomStream.of(world.seeded.plan.seed, 'made', kind, world.nextNumber()));
}

type SessionSettings = Omit<SessionFields, 'id'> & { readonly name: string };

/** As the service names them; those that are not given are left out. */
function sessionFields({
  name,
  outputLanguage: language,
  jobMode: mode,
  maxContextualJobHistory: history,
}: InputOf<'modifySession'>): SessionSettings {
  return {
    name,
    ...(language === undefined ? {} : { output_language: language }),
    ...(mode === undefined ? {} : { job_mode: mode }),
    ...(history === undefined ? {} : { max_contextual_job_history: history }),
  };
}

/** The session whose history is sent: as a rule its own. Undefined: an empty one. */
function sentInstead(
  session: EmulatedSession,
  { project }: ApiCall,
  { world, faults, occasions }: ApiContext,
): EmulatedSession | undefined {
  const rule = occasions.strike(faults.histories, (fault) => fault.session === session.id);
  if (!rule) return session;
  return rule.sent ? world.user(project, rule.sent.userId).session(rule.sent.session) : undefined;
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
