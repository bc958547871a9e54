/** Makes one job: a question, the steps of its analysis, and the answer. */
import { chartPicture } from '../chart-picture.js';
import { languageOf, topicOf } from './session-maker.js';
import { datasetIdOf } from './seeded-datasets.js';
import { detailTable, seededTable } from './tables.js';
import { changeOf, makeFigures, type Figures } from './figures.js';
import { TOPICS } from './topics.js';
import { fillPhrase, formatNumber, PHRASES } from './phrases.js';
import { DIMENSIONS, MEASURES, type SeedLanguage, capitalised } from './measures.js';
import { type SeededJobPlace, type SeedPlan, RandomStream } from './seed-plan.js';
import { cuid } from './seeded-ids.js';
import { JobDraft } from './job-draft.js';
import { type MadeJob } from './seeded-block.js';
import { sourcesOf } from './source-entries.js';
import { addOddity, addGap } from './oddities.js';
import { fillLoadJob } from './load-job.js';

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
