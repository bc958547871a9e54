/** What is told of work on an archive: of a request with words and a period, of a prune and of an erasure. */
import { readFile } from 'node:fs/promises';
import type { Caveat } from '../../../src/archive/reading/caveats/caveat.js';
import type { ArchiveStatus } from '../../../src/completeness/archive-status.js';
import type { PruneSummary } from '../../../src/prune/prune-summary.js';
import type { SavedPlan } from '../../../src/prune/plan/saved-plan.js';
import type { EraseSummary } from '../../../src/rewrite/erasure/erase-options.js';
import type { Change } from '../../../src/archive/changes.js';
import type { SearchFacts } from '../../../src/search/search-facts.js';
import { EvidencePack } from './evidence-pack.js';
import { gaugeOf, metricsIn } from '../base/metrics-folder.js';
import { ofTwo } from './told-of-two.js';
import { countsByName, coverOf, lineOf, numberIn, total, type Telling } from './told-lines.js';

const NAME = 'Falcons';
const BY = ['--by', 'Grace Hopper'];

/** Where the copy for the request is. */
export function copyOfRequest(archive: Telling['archive']): string {
  return archive.beside('falcons-copy');
}

/** The archive is not as it was afterwards. */
export async function tellOfWork(telling: Telling, seed: number): Promise<void> {
  await ofRequest(telling, seed);
  await ofTwo(telling, copyOfRequest(telling.archive));
  await ofPrune(telling, seed);
  await ofErasure(telling, seed);
}

type Counts = Pick<SearchFacts, 'total' | 'searched' | 'matches' | 'withheld'>;

/** A product of the request; numbers of the record of one are the same. */
interface Product {
  readonly sessions: number;
  readonly jobs: number;
  readonly caveats: readonly Caveat[];
  readonly search: SearchFacts;
}

async function ofRequest(telling: Telling, seed: number): Promise<void> {
  const { archive, out, json, tell } = telling;
  const words = ['--match', 'falcon', '--from', '2026-09-11', '--to', '2026-09-12'];
  await json('request', 'new', out, NAME, ...words, ...BY, '--reason', 'Art. 15');
  const undated = [[], ['--undated', 'include'], ['--undated', 'exclude']][seed % 3] ?? [];
  const isTakenIn = undated.includes('include');
  const counts = (output: string, { total, searched, matches, withheld }: Counts): void =>
    tell(output, {
      'questions that may be in the period': total,
      'questions searched for it': searched,
      'hits of it': matches,
      'hits withheld': withheld,
    });
  const facts = (output: string, search: SearchFacts, caveats: readonly Caveat[]): void => {
    counts(output, search);
    const { total, searched, time_unknown: unknown } = search;
    const of = (kind: string): number => caveats.find((one) => one.kind === kind)?.count ?? 0;
    const apart = undated.length === 0 ? of('left_out') : unknown;
    tell(output, {
      'questions of unknown date with its words': unknown,
      'searched, undated with the words, undated without them': total,
    });
    tell(`${output}, with its caveats`, {
      'searched, undated with the words, undated without them': isTakenIn
        ? total
        : searched + apart + of('undated'),
    });
  };
  const lacking = (output: string, caveats: readonly Caveat[]): void => {
    const of = (kind: string): number => caveats.find((one) => one.kind === kind)?.count ?? 0;
    tell(`caveats of ${output}`, {
      'questions left out of it': of('left_out'),
      'hits withheld': of('withheld'),
      'hits redacted': of('redacted'),
    });
  };
  const found = await json<
    SearchFacts & { hits: { session_id: string; job_id: string }[]; caveats: Caveat[] }
  >('search', out, '--request', NAME, ...BY, ...undated, '--limit', '500');
  const [first] = found.hits;
  const decision = [undefined, 'withhold', 'redact'][seed % 4];
  if (first && decision !== undefined) {
    const job = decision === 'redact' ? ['--job', first.job_id] : [];
    const decided = [decision, '--session', first.session_id, ...job, '--reason', 'privileged'];
    await json('request', 'decide', out, NAME, ...decided, ...BY);
  }
  const again = await json<typeof found>(
    ...['search', out, '--request', NAME, ...BY, ...undated, '--limit', '500'],
  );
  facts('search of a request', again, again.caveats);
  const making = ['--request', NAME, ...BY, ...undated, '--allow-lost-files'];
  const places = { report: 'falcons', evidence: 'falcons-pack', workbook: 'falcons.xlsx' };
  for (const [product, place] of Object.entries(places)) {
    const made = await json<Product>(product, out, ...making, '--out', archive.beside(place));
    facts(`${product} of a request`, made.search, made.caveats);
    lacking(`${product} of a request`, made.caveats);
    tell(`${product} of a request`, {
      'questions made of it': made.jobs,
      'conversations made of it': made.sessions,
    });
  }
  const key = archive.beside('key');
  const copied = await json<Product>(
    ...['copy', out, copyOfRequest(archive), '--pseudonymise', key, '--keep-text'],
    ...['--request', NAME, ...BY, ...undated],
  );
  facts('copy of a request', copied.search, copied.caveats);
  lacking('copy of a request', copied.caveats);
  tell('copy of a request', {
    'questions made of it': copied.jobs,
    'conversations made of it': copied.sessions,
  });
  const copy = await json<ArchiveStatus>('status', copyOfRequest(archive));
  lacking('status of a copy of a request', copy.caveats);
  tell('status of a copy of a request', {
    'questions made of it': copy.jobs.total,
    'conversations made of it': copy.sessions.total,
  });
  await ofRecord(telling, counts);
  await ofPages(telling, isTakenIn);
  const planned = await archive.run(
    ...['erase', out, '--request', NAME, '--except-held', '--dry-run', '--json', ...undated],
  );
  // nothing may be found, or all of it be on hold
  if (planned.exitCode !== 0 && planned.exitCode !== 3) return;
  const { in_scope: scope } = JSON.parse(planned.stdout) as EraseSummary;
  if (!scope) throw new Error('an erasure of a request with words has no scope');
  tell('erase --dry-run of a request', {
    'questions of unknown date with its words': scope.time_unknown,
    ...(isTakenIn ? {} : { 'hits of it': scope.jobs }),
  });
}

async function ofRecord(
  { archive, json, tell }: Telling,
  counts: (output: string, found: Counts) => void,
): Promise<void> {
  const shown = await json<{
    searches: Counts[];
    packs: (Counts & Pick<Product, 'sessions' | 'jobs'> & { form: string })[];
  }>('request', 'show', archive.out, NAME);
  const last = shown.searches.at(-1);
  if (last) counts('request show, search', last);
  for (const pack of shown.packs) {
    counts(`request show, ${pack.form}`, pack);
    tell(`request show, ${pack.form}`, {
      'questions made of it': pack.jobs,
      'conversations made of it': pack.sessions,
    });
  }
}

async function ofPages({ archive, tell }: Telling, isTakenIn: boolean): Promise<void> {
  const pack = new EvidencePack(archive.beside('falcons-pack'));
  const [summary, index] = [await pack.rawPage('summary'), await pack.rawPage('index')];
  tell('summary.csv of a request', {
    'questions made of it': total(summary, 'jobs'),
    'conversations made of it': total(summary, 'sessions'),
    'hits withheld': total(summary, 'jobs_withheld'),
    ...(isTakenIn
      ? {}
      : { 'questions of unknown date with its words': total(summary, 'jobs_left_out') }),
  });
  tell('index.csv of a request', {
    'questions made of it': total(index, 'jobs'),
    'conversations made of it': index.length,
  });
  const readme = await pack.text('data/README.txt');
  const search = readme.slice(readme.indexOf('THE SEARCH'));
  tell('README.txt of a request', {
    'questions that may be in the period': lineOf(search, 'questions'),
    'questions searched for it': lineOf(search, 'searched'),
    'hits of it': lineOf(search, 'found'),
  });
  const cover = await coverOf(archive.beside('falcons.xlsx'));
  tell('cover of a workbook of a request', {
    'questions made of it': Number(cover.get('Questions')),
    'conversations made of it': Number(cover.get('Conversations')),
  });
}

async function ofPrune({ archive, json, tell }: Telling, seed: number): Promise<void> {
  const { out, emulator } = archive;
  const service = ['--base-url', emulator.baseUrl, '--rate', '1000'];
  const file = archive.beside('plan.json');
  const planned = async (output: string, ...words: string[]): Promise<void> => {
    const { sessions, planned: count } = await json<PruneSummary>(
      'prune',
      out,
      ...service,
      ...words,
    );
    const going = sessions.filter(({ outcome }) => outcome === 'planned');
    // a plan names none of them
    if (!words.includes('--plan')) {
      tell(`${output}, sessions`, { 'what a prune keeps': keptBy(sessions) });
    }
    tell(`${output}, sessions`, { 'conversations to prune': going.length });
    tell(output, {
      'conversations to prune': count ?? 'none told',
      'questions to prune': going.reduce((all, { jobs }) => all + jobs, 0),
    });
  };
  await planned('prune --dry-run', '--all', '--dry-run');
  const { stdout: text } = await archive.run('prune', out, ...service, '--all', '--dry-run');
  tell('plan of prune, as text', {
    'conversations to prune': numberIn(text, /^ {2}to delete +(\d+)/m),
  });
  await planned('prune --save-plan', '--all', '--save-plan', file);
  const saved = JSON.parse(await readFile(file, 'utf8')) as SavedPlan;
  tell('saved plan of prune', { 'conversations to prune': saved.sessions.length });
  await planned('prune --plan --dry-run', '--plan', file, '--dry-run');
  const before = await json<ArchiveStatus>('status', out);
  const isOfPlan = seed % 2 === 0;
  const which = isOfPlan ? ['--plan', file] : ['--all'];
  const metrics = ['--metrics-dir', archive.directory];
  const { stdout } = await archive.run(
    ...['prune', out, ...service, ...which, '--yes', '--json', ...metrics],
  );
  const { deletions, gone, sessions, ...done } = JSON.parse(stdout) as PruneSummary;
  if (done.status === 'failed') throw new Error(stdout);
  const named = new Set(saved.sessions.map(({ session }) => session));
  // what has happened at the service since shows only now
  const tried = sessions.filter(({ session }) => named.has(session));
  const others = sessions.filter(({ session }) => !named.has(session));
  // a plan names none of them
  if (!isOfPlan) tell('prune --all, sessions', { 'what a prune keeps': keptBy(others) });
  else if (others.length > 0) throw new Error(stdout);
  const ended = deletions.deleted + deletions.refused + deletions.left + gone;
  tell(isOfPlan ? 'prune --plan' : 'prune --all', {
    'conversations to prune': isOfPlan ? ended : tried.length,
    'questions to prune': tried.reduce((all, { jobs }) => all + jobs, 0),
    'deleted by this prune': deletions.deleted,
  });
  const monitored = await metricsIn(archive.directory);
  tell('metrics of prune', {
    'deleted by this prune': gaugeOf(monitored, 'prune', 'run_deletions', 'outcome="deleted"'),
  });
  const deleted = `SELECT count(DISTINCT session_id)::INTEGER AS deleted FROM deletions
    WHERE run_id = '${done.run ?? ''}' AND outcome LIKE 'confirmed%'`;
  const { rows } = await json<{ rows: { deleted: number }[] }>(
    ...(['query', out, deleted] as const),
  );
  tell('deletions', { 'deleted by this prune': rows[0]?.deleted ?? 0 });
  const { stdout: changes } = await archive.run(
    'changes',
    out,
    '--since',
    String(before.head?.number),
  );
  const lines = changes.split('\n').filter((line) => line !== '');
  const left = lines
    .map((line) => JSON.parse(line) as Change)
    .filter(({ change }) => change === 'deleted');
  tell('changes of this prune', {
    'deleted by this prune': new Set(left.map(({ session_id: id }) => id)).size,
  });
  const after = await json<ArchiveStatus>('status', out);
  tell('status before and after prune', {
    'deleted by this prune': after.sessions.deleted - before.sessions.deleted,
  });
  const [last] = after.runs;
  tell('newest run of status', {
    'deleted by this prune': last?.run === done.run ? last.deletions : 0,
  });
}

/** Why each stays that is not deleted, by how many there are. */
function keptBy(sessions: PruneSummary['sessions']): string {
  const kept = sessions.filter(({ outcome }) =>
    ['kept', 'held', 'refused', 'left'].includes(outcome),
  );
  return countsByName(kept.map(({ outcome, reason }) => ({ status: reason ?? outcome })));
}

/** Each conversation with the spelling of its user for which it counts. */
function once<T extends { readonly counts_for: string | null }>(sessions: readonly T[]): T[] {
  return sessions.filter(({ counts_for: other }) => other === null);
}

interface Left {
  readonly conversations: number;
  readonly questions: number;
  readonly rows: number;
}

async function ofErasure({ archive, json, tell }: Telling, seed: number): Promise<void> {
  const { out } = archive;
  const left = async (): Promise<Left> => {
    const tables = [
      'sessions',
      'jobs',
      'blocks',
      'sources',
      'proposed_questions',
      'artifacts',
      'raw_jobs',
      'deletions',
    ];
    const rows = tables.map((table) => `(SELECT count(*) FROM ${table})`).join(' + ');
    const sql = `SELECT (SELECT count(*) FROM current_sessions) AS conversations,
      (SELECT count(*) FROM current_jobs) AS questions, ${rows} AS rows`;
    const { rows: found } = await json<{ rows: Left[] }>('query', out, sql);
    return found[0]!;
  };
  const { rows: listed } = await json<{ rows: { user_id: string }[] }>(
    ...(['query', out, 'SELECT DISTINCT user_id FROM sessions ORDER BY user_id'] as const),
  );
  const user = listed[seed % Math.max(1, listed.length)]?.user_id;
  const isOfRequest = user === undefined || seed % 2 === 0;
  const whom = isOfRequest ? ['--request', NAME, '--undated', 'exclude'] : ['--user', user];
  const words = ['erase', out, ...whom, '--except-held', ...BY];
  const numbers = ({ erased }: Pick<EraseSummary, 'erased'>) => ({
    'conversations to erase': erased.sessions,
    'questions to erase': erased.jobs,
    'rows to erase': Object.values(erased.rows).reduce((all, rows) => all + rows, 0),
    'files to erase': erased.artifacts,
  });
  const planned = await archive.run(...words, '--dry-run', '--json');
  // all that is meant may be on hold
  if (planned.exitCode !== 0 && planned.exitCode !== 3) return;
  const plan = JSON.parse(planned.stdout) as EraseSummary;
  tell('erase --dry-run', numbers(plan));
  const counting = once(plan.sessions);
  tell('erase --dry-run, sessions', {
    'conversations to erase': counting.length,
    'questions to erase': counting.reduce((all, { jobs }) => all + jobs, 0),
  });
  const before = await left();
  const { rows: counted } = await json<{ rows: { user_id: string; session_id: string }[] }>(
    ...(['query', out, 'SELECT user_id, session_id FROM current_sessions'] as const),
  );
  const summary = await json<EraseSummary>(...words, '--yes');
  const done = numbers(summary);
  tell('erase', done);
  if (summary.receipt === null) return;
  const after = await left();
  tell('query after an erasure', {
    'conversations left by an erasure': after.conversations,
    'questions left by an erasure': after.questions,
    'rows left by an erasure': after.rows,
  });
  // a conversation that another spelling of its user lists, too, is there as that has it
  const spelt = summary.still_there.filter(({ session, erased_session: erased }) => {
    return session === erased;
  });
  const speltQuestions = spelt.reduce((all, { user, session, jobs }) => {
    const countedHere = counted.some((one) => one.user_id === user && one.session_id === session);
    const erased = summary.sessions.find((one) => one.session === session);
    return all + (countedHere ? (erased?.jobs ?? 0) : jobs);
  }, 0);
  tell('query before it, less what went, and with what another spelling keeps of it', {
    'conversations left by an erasure':
      before.conversations - done['conversations to erase'] + spelt.length,
    'questions left by an erasure': before.questions - done['questions to erase'] + speltQuestions,
    'rows left by an erasure': before.rows - done['rows to erase'],
  });
  const { erasures } = await json<{
    erasures: { receipt: string; erased: EraseSummary['erased'] }[];
  }>(...['erase', out, '--list']);
  const receipt = erasures.find((one) => one.receipt === summary.receipt);
  if (!receipt) throw new Error('the receipt is not listed');
  tell('erase --list', numbers(receipt));
  if (!isOfRequest) return;
  const shown = await json<{
    erasures: { receipt: string; sessions: number; jobs: number; artifacts: number }[];
  }>('request', 'show', out, NAME);
  const recorded = shown.erasures.find((one) => one.receipt === summary.receipt);
  tell('request show, erasure', {
    'conversations to erase': recorded?.sessions ?? 0,
    'questions to erase': recorded?.jobs ?? 0,
    'files to erase': recorded?.artifacts ?? 0,
  });
}
