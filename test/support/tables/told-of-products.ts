/** What is told by what is made of an archive: a report, a pack, a workbook. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Caveat } from '../../../src/archive/reading/caveats/caveat.js';
import { EvidencePack } from './evidence-pack.js';
import {
  coverOf,
  erasedOf,
  isWhole,
  lineOf,
  missing,
  numberIn,
  pictured,
  sum,
  textOf,
  tileOf,
  total,
  type JobLine,
  type PeopleLine,
  type SessionLine,
  type Telling,
} from './told-lines.js';

/** What pages and tables say of a conversation that the service has no more. */
const ABSENT = /^(deleted from the service|not listed any more)/;
const DELETED = /^deleted/;

export async function ofReport(telling: Telling): Promise<void> {
  const { tell, whom } = telling;
  const place = telling.place('report');
  await make(telling, 'report', place, whom);
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
  let [unanswered, unsettled, undated] = [0, 0, 0];
  const places: string[] = [];
  for (const { number } of sessions) {
    const { pieces } = (await data(`s/${number}`)) as { pieces: number[] };
    for (const piece of pieces.keys()) {
      const { jobs } = (await data(`s/${number}-${piece}`)) as { jobs: JobLine[] };
      for (const job of jobs) {
        if (!job.isAnswered) unanswered++;
        if (!job.settled) unsettled++;
        if (typeof job.created !== 'number') undated++;
        const blocks = [...job.answer, ...job.steps.flatMap((step) => step.blocks)];
        places.push(...blocks.map((one) => (one.kind === 'lost' ? `lost ${one.type}` : one.kind)));
      }
    }
  }
  const count = (...kinds: readonly string[]): number =>
    places.filter((kind) => kinds.includes(kind)).length;
  tell('report: pages', {
    unsettled,
    unanswered,
    'questions without a time': undated,
    tables: count('table', 'lost TABLE'),
    images: count('image', 'lost IMAGE'),
  });
  const html = await readFile(join(place, 'index.html'), 'utf8');
  tellOfTiles(telling, 'report: first page', html);
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
  await make(telling, 'evidence', pack.directory, named(telling));
  const summary = await pack.rawPage('summary');
  tell('summary.csv', {
    ids: summary.length,
    conversations: total(summary, 'sessions'),
    questions: total(summary, 'jobs'),
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
  tell('index.csv', {
    conversations: index.length,
    absent: index.length - at(/^yes$/),
    'deleted by prune': at(DELETED),
  });
  const items = await pack.rawPage('items');
  const ofStatus = (status: string): number =>
    items.filter((row) => row['status'] === status).length;
  tell('items.csv', {
    unsettled: ofStatus('may_still_change'),
    'not settled by the log': ofStatus('may_still_change') + ofStatus('not_settled'),
    'places stored in all versions': ofStatus('stored'),
  });
  const readme = await pack.text('data/README.txt');
  tell('README.txt', {
    people: lineOf(readme, 'users'),
    conversations: lineOf(readme, 'conversations'),
    questions: lineOf(readme, 'questions'),
    'different files': lineOf(readme, 'tables, images'),
  });
  tellOfTiles(telling, 'page of the pack', await pack.text('data/index.html'));
}

export async function ofWorkbook(telling: Telling): Promise<void> {
  const { tell } = telling;
  const place = telling.place('book.xlsx');
  await make(telling, 'workbook', place, named(telling));
  const cover = await coverOf(place);
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
): Promise<void> {
  const words = [product, out, ...users, '--allow-lost-files', '--out', place];
  const made = await json<Made>(...words);
  tell(`${product} --json`, {
    people: made.users,
    conversations: made.sessions,
    questions: made.jobs,
    'different files': made.artifacts,
  });
  caveats(product, made.caveats);
}

function tellOfTiles({ tell }: Telling, output: string, html: string): void {
  const text = textOf(html);
  tell(output, {
    people: tileOf(text, 'Users'),
    conversations: tileOf(text, 'Conversations'),
    questions: tileOf(text, 'Questions'),
    'different files': tileOf(text, 'Tables and images'),
  });
}
