/** Which sessions of an earlier report are shown as they were: their files are kept. */
import type { Archive } from '../archive/archive.js';
import type { SessionState } from '../archive/state/user-state.js';
import { rowId } from '../model/ids.js';
import {
  contentPrint,
  type EarlierReport,
  type KeptSession,
  type PrintedJob,
} from './earlier-report.js';
import type { ArtifactFiles } from './artifact-files.js';
import type { Publisher } from './publisher.js';
import type { Survey, SurveyedSession } from '../making/survey.js';

interface EarlierSessions {
  /** The sessions that are shown as the earlier report shows them, and whose files are all there. */
  readonly kept: readonly KeptSession[];
  /** Others that are still there. */
  readonly changed: readonly KeptSession[];
}

export async function keepUnchanged(
  earlier: EarlierReport | undefined,
  archive: Archive,
  survey: Survey,
  { publisher, files }: { readonly publisher: Publisher; readonly files: ArtifactFiles },
): Promise<EarlierSessions> {
  const kept: KeptSession[] = [];
  const changed: KeptSession[] = [];
  for await (const { session, isSame } of comparedSessions(earlier, archive, survey)) {
    const { line, pieces, texts, shown } = session;
    const data = [`s/${line.number}`];
    for (let piece = 0; piece < pieces; piece++) data.push(`s/${line.number}-${piece}`);
    const paths = [...data.map((key) => `data/${key}.js`), ...texts];
    const isKept = isSame && (await files.keep(shown)) && (await publisher.keepAll(paths));
    (isKept ? kept : changed).push(session);
  }
  return { kept, changed };
}

/** The sessions of an earlier report that are still there, with their prints of now, and whether they are shown the same. */
async function* comparedSessions(
  earlier: EarlierReport | undefined,
  archive: Archive,
  survey: Survey,
): AsyncGenerator<{ readonly session: KeptSession; readonly isSame: boolean }> {
  if (!earlier) return;
  const touched = new Map<string, (readonly [KeptSession, SurveyedSession])[]>();
  const find = survey.finder();
  for (const session of earlier.sessions()) {
    const { line, print } = session;
    const now = find(line.user, line.id);
    if (!now) continue;
    if (now.print === print) yield { session, isSame: true };
    else touched.set(line.user, [...(touched.get(line.user) ?? []), [session, now]]);
  }
  const isErased = archive.index.lastErasure > earlier.head;
  const owners = new Map(Array.from(survey.making.selection.users, (id) => [rowId(id), id]));
  for (const [user, sessions] of touched) {
    const owner = isErased ? undefined : owners.get(user);
    const state =
      owner && (await archive.states.loadAsOf(owner, survey.making.view.head?.number ?? 0));
    const states = new Map(
      [...(state?.sessions ?? [])].map(([id, sessionState]) => [rowId(id), sessionState]),
    );
    for (const [session, now] of sessions) {
      const sessionState = states.get(now.session);
      const content = sessionState && contentPrint(now, sessionState.version, jobsIn(sessionState));
      yield { session: { ...session, print: now.print }, isSame: content === session.content };
    }
  }
}

function jobsIn({ jobs }: SessionState): PrintedJob[] {
  return Array.from(jobs, ([id, { version, hash }]): PrintedJob => [rowId(id), version, hash]);
}
