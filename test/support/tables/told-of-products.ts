/** What is told by what is made of an archive: a report, a pack, a workbook. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Caveat } from '../../../src/archive/reading/caveats/caveat.js';
import { EvidencePack } from './evidence-pack.js';
import {
  erasedOf,
  isWhole,
  lineOf,
  linesOf,
  missing,
  numberIn,
  pictured,
  sheetsOf,
  sum,
  textOf,
  tileOf,
  toldIn,
  total,
  type BlockLine,
  type JobLine,
  type PeopleLine,
  type SessionLine,
  type Telling,
} from './told-lines.js';

/** What pages and tables say of a conversation that the service has no more. */
const ABSENT = /^(deleted from the service|not listed any more)/;
const DELETED = /^deleted/;

/** Of a file that is not there its type: a copy has none of the files that its archive has, and names the type first. */
function kindOf({ kind, type = '', name = '', file }: BlockLine): string {
  if (kind === 'lost') return type;
  return kind === 'file' && file === null ? (/^\w+/.exec(name)?.[0] ?? kind) : kind;
}

export async function ofReport(telling: Telling): Promise<void> {
  const { tell, whom } = telling;
  const place = telling.place('report');
  const facts = await make(telling, 'report', place, whom);
  const data = async (name: string) => {
    const script = await readFile(join(place, 'data', `${name}.js`), 'utf8');
    return JSON.parse(script.slice(script.indexOf(',') + 1, script.lastIndexOf(')'))) as unknown;
  };
  const { users } = (await data('people')) as { users: PeopleLine[] };
  tell('report: users', {
    ids: users.length,
    conversations: sum(users, 'sessions'),
    questions: sum(users, 'jobs'),
    ...missing(users.map(({ gaps }) => gaps)),
    'complete users': users.filter(({ completeness }) => isWhole(completeness)).length,
  });
  const { sessions } = (await data('latest')) as { sessions: SessionLine[] };
  const marked = (pattern: RegExp): number =>
    sessions.filter(({ marks }) => marks.some((mark) => pattern.test(mark))).length;
  tell('report: conversations', {
    conversations: sessions.length,
    questions: sum(sessions, 'archived'),
    'conversations without questions': sessions.filter(({ jobs }) => jobs === 0).length,
    absent: marked(ABSENT),
    'deleted by prune': marked(DELETED),
  });
  let [unanswered, unsettled, undated, sources] = [0, 0, 0, 0];
  const places: string[] = [];
  /** By the kind of a block, how many answers have one. */
  const answersWith = new Map<string, number>();
  for (const { number } of sessions) {
    const { pieces } = (await data(`s/${number}`)) as { pieces: number[] };
    for (const piece of pieces.keys()) {
      const { jobs } = (await data(`s/${number}-${piece}`)) as { jobs: JobLine[] };
      for (const job of jobs) {
        if (!job.isAnswered) unanswered++;
        if (!job.settled) unsettled++;
        if (typeof job.created !== 'number') undated++;
        const blocks = [...job.answer, ...job.steps.flatMap((step) => step.blocks)];
        const kinds = blocks.map(kindOf);
        places.push(...kinds);
        for (const kind of new Set(kinds.map((one) => one.toLowerCase()))) {
          answersWith.set(kind, (answersWith.get(kind) ?? 0) + 1);
        }
        const named = blocks.flatMap((block) => block.sources ?? []);
        sources += new Set(named.map(({ name }) => name)).size;
      }
    }
  }
  const count = (...kinds: readonly string[]): number =>
    places.filter((kind) => kinds.includes(kind)).length;
  tell('report: pages', {
    unsettled,
    unanswered,
    'questions without a time': undated,
    tables: count('table', 'TABLE'),
    images: count('image', 'IMAGE'),
    'answers with a table': answersWith.get('table') ?? 0,
    'answers with an image': answersWith.get('image') ?? 0,
    'answers with code': answersWith.get('code') ?? 0,
    'answers with sources': answersWith.get('sources') ?? 0,
    'uses of sources': sources,
  });
  const html = await readFile(join(place, 'index.html'), 'utf8');
  tellOfTiles(telling, 'report: first page', html);
  tell('report --json, caveats', { 'facts told with a report': facts.length });
  tell('report: first page', { 'facts told with a report': toldIn(textOf(html), facts) });
  tell('report: first page', {
    'questions in the picture': pictured(html),
    'questions without a time': numberIn(
      textOf(html),
      /([\d,]+) (?:of [\d,]+ questions? ha(?:s|ve) no time|questions?, without a time)/,
    ),
  });
}

export async function ofPack(telling: Telling): Promise<void> {
  const { tell, people } = telling;
  const pack = new EvidencePack(telling.place('pack'));
  const facts = await make(telling, 'evidence', pack.directory, named(telling));
  const summary = await pack.rawPage('summary');
  tell('summary.csv', {
    ids: summary.length,
    conversations: total(summary, 'sessions'),
    questions: total(summary, 'jobs'),
    'versions of questions': total(summary, 'records'),
    'places of files in all versions': total(summary, 'file_places'),
    'places stored in all versions': total(summary, 'file_places_stored'),
    gaps: total(summary, 'gaps'),
    doubts: total(summary, 'doubts'),
    'accepted gaps': total(summary, 'accepted_gaps'),
    'accepted doubts': total(summary, 'accepted_doubts'),
    erased: erasedOf(summary, people),
    'complete users': summary.filter((row) => isWhole(row['complete'] ?? '')).length,
  });
  const index = await pack.rawPage('index');
  const at = (pattern: RegExp): number =>
    index.filter((row) => pattern.test(row['at_the_service'] ?? '')).length;
  tell('index.csv, in each conversation', { questions: total(index, 'jobs_in_session') });
  tell('index.csv', {
    conversations: index.length,
    questions: total(index, 'jobs'),
    absent: index.length - at(/^yes$/),
    'deleted by prune': at(DELETED),
  });
  const items = await pack.rawPage('items');
  const ofStatus = (status: string): number =>
    items.filter((row) => row['status'] === status).length;
  const newest = (item: string): number =>
    items.filter((row) => row['item'] === item && row['is_newest'] === 'yes').length;
  const versions = (item: string): number => items.filter((row) => row['item'] === item).length;
  tell('items.csv', {
    conversations: newest('session'),
    questions: newest('job'),
    'versions of questions': versions('job'),
    'places of files': newest('artifact'),
    'places of files in all versions': versions('artifact'),
    unsettled: ofStatus('may_still_change'),
    'not settled by the log': ofStatus('may_still_change') + ofStatus('not_settled'),
    'places stored in all versions': ofStatus('stored'),
  });
  const lacking = await pack.rawPage('gaps');
  const lacks = (isDoubt: boolean, isAccepted: boolean): number =>
    lacking.filter(
      (row) =>
        (row['status'] === 'doubtful') === isDoubt && (row['accepted_at'] !== '') === isAccepted,
    ).length;
  tell('gaps.csv', {
    gaps: lacks(false, false),
    doubts: lacks(true, false),
    'accepted gaps': lacks(false, true),
    'accepted doubts': lacks(true, true),
  });
  const transcripts = join(pack.directory, 'data', 'transcripts');
  const files = index.length === 0 ? [] : await readdir(transcripts);
  tell('transcripts', { conversations: files.length });
  const readme = await pack.text('data/README.txt');
  tell('README.txt', {
    'versions of questions': lineOf(readme, 'records'),
    people: lineOf(readme, 'users'),
    conversations: lineOf(readme, 'conversations'),
    questions: lineOf(readme, 'questions'),
    'different files': lineOf(readme, 'tables, images'),
  });
  const html = await pack.text('data/index.html');
  tellOfTiles(telling, 'page of the pack', html);
  tell('evidence --json, caveats', { 'facts told with a pack': facts.length });
  tell('README.txt', { 'facts told with a pack': toldIn(readme, facts) });
  tell('page of the pack', { 'facts told with a pack': toldIn(textOf(html), facts) });
}

export async function ofWorkbook(telling: Telling): Promise<void> {
  const { tell } = telling;
  const place = telling.place('book.xlsx');
  const facts = await make(telling, 'workbook', place, named(telling));
  const sheets = await sheetsOf(place);
  const cover = linesOf(sheets[0]);
  const onCover = sheets[0]?.rows.flat().join('\n') ?? '';
  tell('workbook --json, caveats', { 'facts told with a workbook': facts.length });
  tell('cover of the workbook', { 'facts told with a workbook': toldIn(onCover, facts) });
  const rowsOf = (name: string): readonly (readonly unknown[])[] =>
    sheets.find((sheet) => sheet.name === name)?.rows.slice(1) ?? [];
  tell('sheets of the workbook', {
    questions: rowsOf('Conversations').filter(([, , , question]) => question !== null).length,
    'records of conversations': rowsOf('raw_jobs').length,
    'places of files of all records': rowsOf('artifacts').length,
  });
  const line = (name: string): number => Number(cover.get(name) ?? 0);
  // one who is named is not counted
  if (cover.has('Users')) tell('cover of the workbook', { people: line('Users') });
  tell('cover of the workbook', {
    conversations: line('Conversations'),
    questions: line('Questions'),
    'different files': line('Files'),
  });
}

/** Each of whom is told, as words of a command line. */
export function named({ people }: Pick<Telling, 'people'>): string[] {
  return [...people.keys()].flatMap((user) => ['--user', user]);
}

interface Made {
  readonly status: string;
  readonly users: number;
  readonly sessions: number;
  readonly jobs: number;
  readonly artifacts: number;
  readonly caveats: readonly Caveat[];
}

async function make(
  { out, json, tell, caveats }: Telling,
  product: 'report' | 'evidence' | 'workbook',
  place: string,
  users: readonly string[],
): Promise<readonly Caveat[]> {
  const words = [product, out, ...users, '--allow-lost-files', '--out', place];
  const made = await json<Made>(...words);
  tell(`${product} --json`, {
    'how whole it is': made.status,
    people: made.users,
    conversations: made.sessions,
    questions: made.jobs,
    'different files': made.artifacts,
  });
  caveats(product, made.caveats);
  return made.caveats;
}

function tellOfTiles({ tell }: Telling, output: string, html: string): void {
  const text = textOf(html);
  tell(output, {
    people: tileOf(text, 'Users'),
    conversations: tileOf(text, 'Conversations'),
    questions: tileOf(text, 'Questions'),
    'different files': tileOf(text, 'Tables and images'),
    'places not stored': numberIn(text, /([\d,]+) places? in answers ha(?:s|ve) none/),
  });
}
