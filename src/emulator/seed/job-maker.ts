/** Makes one job from the fixtures: a question, the steps of its analysis, and the answer. */
import { answersIn, topics, type Answer, type Topic } from '../fixtures.js';
import { seededChart, seededTable } from './fixture-files.js';
import { answerOf, languageOf } from './session-maker.js';
import { datasetIdOf } from './seeded-datasets.js';
import { type SeededJobPlace, type SeedPlan, RandomStream } from './seed-plan.js';
import { JobDraft } from './job-draft.js';
import { type MadeJob } from './seeded-block.js';
import { sourcesOf } from './source-entries.js';
import { addOddity, addGap } from './oddities.js';
import { fillLoadJob } from './load-job.js';

/** The same place and plan give the same job. */
export function makeJob(place: SeededJobPlace, plan: SeedPlan): MadeJob {
  const random = RandomStream.of(plan.seed, 'job', place.user, place.session, place.job);
  const answer = random.chance(0.6)
    ? answerOf(place, plan)
    : random.pick(answersIn(languageOf(place)));
  const topic = topicOf(answer);
  const draft = new JobDraft(place, random);

  draft.question.push({ type: 'MESSAGE', content: random.pick(answer.questions) });
  if (plan.blocksPerJob !== undefined || plan.artifactsPerJob !== undefined) {
    fillLoadJob(draft, { topic, answer }, plan);
    return draft;
  }
  if (random.chance(0.2)) recall(draft, topic, answer);
  else analyse(draft, topic, answer);
  const datasetId = datasetIdOf(topic, plan.seed);
  draft.respond('SOURCES', sourcesOf(topic, datasetId, random));
  draft.respond('QUESTIONS', answer.follow_ups);
  if (plan.odd) addOddity(draft, { topic, answer, datasetId });
  if (plan.gaps) addGap(draft, { topic, answer, datasetId });
  return draft;
}

function topicOf(answer: Answer): Topic {
  const topic = topics().find(({ id }) => id === answer.topic);
  if (!topic) throw new RangeError(`no topic ${answer.topic}`);
  return topic;
}

/** Steps with code, a table and a chart, then the reply; the reply's files are those of the steps. */
function analyse(draft: JobDraft, topic: Topic, answer: Answer): void {
  const { random } = draft;
  draft.group('Plan')('MESSAGE', answer.plan);
  draft.group(`Load ${topic.sources[0] ?? 'data'}`)('CODE', topic.loading);

  const compute = draft.group('Group and compare');
  compute('CODE', topic.grouping);
  const table = draft.file(`${topic.id}.csv`, (key) => seededTable(topic, key));
  compute('TABLE', random.chance(0.25) ? table.url : table);

  const image = draft.file(answer.image, (key) => seededChart(topic, key), `${topic.id}.png`);
  draft.group('')('IMAGE', image);

  draft.respond('MESSAGE', answer.reply);
  draft.respond('TABLE', random.chance(0.2) ? table.url : table);
  draft.respond('IMAGE', image);
}

/** An information-retrieval job: an answer from documents, without a table. */
function recall(draft: JobDraft, topic: Topic, answer: Answer): void {
  draft.group('Search')('MESSAGE', answer.plan);
  draft.respond('MESSAGE', `${answer.recalled} [1]`);
  draft.respond('MESSAGE', `> ${answer.quoted}\n\n— ${topic.sources.join(', ')}`);
}
