/** What is told by the words that commands print for people. */
import type { ArchiveStatus } from '../../../src/completeness/archive-status.js';
import { byName, numberIn, type Telling, toldIn } from './told-lines.js';

/** The time is empty of one without questions. */
const SESSION_ROW =
  /^\S+ +(?:(?:[a-z ]*\d{4}-\d\d-\d\d(?: and \d{4}-\d\d-\d\d)?|time unknown) +)?(\d+)(?: |$)/gm;

export async function ofTerminal(telling: Telling): Promise<void> {
  const { archive, out, whom, tell } = telling;
  const print = async (...words: string[]): Promise<string> => {
    const [first = '', ...others] = words;
    const command = first === 'gap' ? ['gap', 'list', out] : [first, out, ...others];
    const { stdout, stderr } = await archive.run(...command, ...whom);
    if (stdout === '') throw new Error(`${words.join(' ')}: ${stderr}`);
    return stdout + stderr;
  };
  const sessions = await print('show', '--max-rows', '0');
  const questions = [...sessions.matchAll(SESSION_ROW)].map(([, count]) => Number(count));
  tell('show', {
    conversations: questions.length,
    questions: questions.reduce((all, count) => all + count, 0),
    'conversations without questions': questions.filter((count) => count === 0).length,
  });
  tell('last line of show', {
    conversations: numberIn(sessions, /^([\d,]+) conversations?\. To read one/m),
  });
  tellOfGaps(telling, await print('gap'));
  const found = await print('search', 'question');
  tell('search, as text', {
    questions: numberIn(found, / in ([\d,]+) questions? of /),
    'questions searched': numberIn(found, / in ([\d,]+) questions? of /),
  });
}

function tellOfGaps({ tell }: Telling, text: string): void {
  const [headline = ''] = text.split('\n');
  const count = (what: string): number =>
    numberIn(headline, new RegExp(`(?:^|, )([\\d,]+) ${what}s?(?:,|$)`));
  const reasons = [...text.matchAll(/^ {2}(\w+) +(\d+)(?::|$)/gm)]
    .map(([, reason = '', some]) => [reason, Number(some)] as const)
    .filter(([reason]) => !['accepted', 'doubtful', 'of'].includes(reason));
  tell('gap list, as text', {
    gaps: count('gap'),
    doubts: count('doubt'),
    'accepted gaps': count('accepted gap'),
    'accepted doubts': count('accepted doubt'),
    'gaps by reason': byName(Object.fromEntries(reasons)),
  });
}

/** @param status the same as JSON */
export async function ofStatusText(telling: Telling, { caveats }: ArchiveStatus): Promise<void> {
  const { archive, out, tell } = telling;
  const { stdout: text } = await archive.run('status', out);
  tell('status --json, caveats', { 'facts told with a status': caveats.length });
  tell('status', { 'facts told with a status': toldIn(text, caveats) });
  const number = (pattern: RegExp): number => numberIn(text, pattern);
  const reasons = /^ {2}gaps +(.*)$/m.exec(text)?.[1] ?? '';
  tell('status', {
    ids: number(/^ {2}users +(\d+)/m),
    'complete users':
      number(/^ {2}users .* (\d+) complete/m) +
      number(/^ {2}users .* (\d+) not complete, by decision/m),
    conversations: number(/^ {2}conversations +(\d+)/m),
    questions: number(/^ {2}questions +(\d+)/m),
    unsettled: number(
      /^ {2}questions .* (\d+) (?:that may still change|not settled when it was made)/m,
    ),
    'conversations without questions': number(
      /^ +note +(\d+) conversations? ha(?:s|ve) no question/m,
    ),
    'deleted by prune': number(/, (\d+) deleted by prune/),
    absent: number(/, (\d+) deleted by prune/) + number(/, (\d+) found gone/),
    'gaps by reason': byName(
      Object.fromEntries(
        [...reasons.matchAll(/(\d+) (\w+)/g)].map(([, count, reason]) => [reason, Number(count)]),
      ),
    ),
  });
}
