/** The seed data: users, sessions, jobs, files, datasets. Nothing is stored; everything is computed from the plan. */
import type { JsonObject } from '../../model/records.js';
import { type SeededJobPlace, type SeedPlan, RandomStream } from './seed-plan.js';
import { type DatasetState, type FileContent, cuid, uuid4, uuid7 } from './seeded-ids.js';
import { type MadeJob } from './seeded-block.js';
import { filePlaceOf } from './seeded-files.js';
import { makeJob } from './job-maker.js';
import { languageOf, nameSession } from './session-maker.js';
import { seedDatasets } from './seeded-datasets.js';

/** Sessions begin between January and September 2026, whatever the wall clock says. */
const FIRST_DAY_MS = Date.UTC(2026, 0, 5);
const DAYS = 240;
const DAY_MS = 86_400_000;
/** See `BEYOND_DOUBLES` in oddities.ts. */
const QUOTED_DIGITS = /"\{\{digits:(\d+)\}\}"/g;
const JOB_ID_KINDS = ['job-cuid', 'job-cuid', 'job-cuid', 'job-cuid', 'job-cuid', 'cuid', 'uuid4'];

/** A session's fields as sent; `name` is kept whole and cut when shown. */
export interface SessionFields extends JsonObject {
  readonly id: string;
  readonly name: string;
}

export class SeededWorld {
  readonly userIds: readonly string[];
  readonly #indexByUser: ReadonlyMap<string, number>;

  constructor(readonly plan: SeedPlan) {
    this.userIds = Array.from({ length: plan.users }, (_, user) => userName(user));
    this.#indexByUser = new Map(this.userIds.map((userId, user) => [userId, user]));
  }

  get sessionCount(): number {
    return this.plan.sessions;
  }

  /** -1: not a seeded user. */
  userIndex(userId: string): number {
    return this.#indexByUser.get(userId) ?? -1;
  }

  sessionId(user: number, session: number): string {
    const random = this.#stream('session id', user, session);
    const kind = random.pick(['uuid4', 'uuid4', 'uuid4', 'uuid7', 'cuid']);
    const startMs = this.#startOf(user, session);
    if (kind === 'uuid7') return uuid7(random, startMs);
    return kind === 'cuid' ? cuid(random, startMs) : uuid4(random);
  }

  session(user: number, session: number): SessionFields {
    const random = this.#stream('session', user, session);
    const language = languageOf({ user, session });
    return {
      id: this.sessionId(user, session),
      name: nameSession({ user, session }, this.plan),
      ...(random.chance(0.9) ? { output_language: random.chance(0.4) ? 'AUTO' : language } : {}),
      job_mode: random.pick(['AUTO', 'AUTO', 'DATA_ANALYTICS']),
      // the documented maximum is 10; the service has sent 76
      max_contextual_job_history: random.pick([10, 10, 10, 5, 0, 76]),
      ...(random.chance(0.7) ? { agent_id: 'DATA_ANALYSIS_AGENT' } : {}),
      ...(random.chance(0.15) ? { pinned: random.chance(0.5), folder: null } : {}),
    };
  }

  /** From 1 to the plan's maximum; each user's sixth session is empty, the first is full. */
  jobCount(user: number, session: number): number {
    const { jobs, exactJobs } = this.plan;
    if (exactJobs || jobs === 0 || session === 0) return jobs;
    if (session % 12 === 5) return 0;
    return this.#stream('job count', user, session).integer(1, jobs);
  }

  jobId(place: SeededJobPlace): string {
    const random = this.#stream('job id', place.user, place.session, place.job);
    const madeMs = this.#startOf(place.user, place.session) + this.#jobOffsetMs(place.job, random);
    const kind = random.pick(JOB_ID_KINDS);
    if (kind === 'uuid4') return uuid4(random);
    return kind === 'cuid' ? cuid(random, madeMs) : `job-${cuid(random, madeMs)}`;
  }

  /** JSON text with placeholders for URLs. */
  job(place: SeededJobPlace): string {
    const { question, answer } = this.#madeJob(place);
    const record = { question: { blocks: question }, answer: { blocks: answer } };
    const text = JSON.stringify({ job_id: this.jobId(place), ...record });
    return text.replace(QUOTED_DIGITS, '$1');
  }

  file(key: string): FileContent | undefined {
    const place = filePlaceOf(key);
    if (!place) return undefined;
    const file = this.#madeJob(place).files[place.file];
    return file?.key === key ? file.make() : undefined;
  }

  datasets(): Omit<DatasetState, 'project'>[] {
    return seedDatasets(this.plan.seed, this.userIds);
  }

  #madeJob(place: SeededJobPlace): MadeJob {
    return makeJob(place, this.plan);
  }

  #startOf(user: number, session: number): number {
    const random = this.#stream('start', user, session);
    // later sessions begin later, so that the order of creation is the order of time
    const share = (session + random.fraction()) / Math.max(1, this.plan.sessions);
    return Math.floor(FIRST_DAY_MS + share * DAYS * DAY_MS);
  }

  /** In order, minutes apart, all within three weeks. */
  #jobOffsetMs(job: number, random: RandomStream): number {
    const stepMs = Math.min(7 * 60_000, (20 * DAY_MS) / Math.max(1, this.plan.jobs));
    return Math.floor((job + 0.8 * random.fraction()) * stepMs);
  }

  #stream(...key: readonly (string | number)[]): RandomStream {
    return RandomStream.of(this.plan.seed, ...key);
  }
}

/** Names of the first users; the others are numbered. */
const NAMES = [
  'ana.silva',
  'jonas.weber',
  'mei.tanaka',
  'amira.haddad',
  'olivier.martin',
  'priya.nair',
  'sofia.rossi',
  'ivan.petrov',
  'lena.fischer',
  'carlos.ortega',
  'grace.okafor',
  'wei.zhang',
  'nina.kowalska',
  'tom.bakker',
  'yuki.sato',
];

/** The same index gives the same id. */
function userName(index: number): string {
  return NAMES[index] ?? `user-${String(index + 1).padStart(5, '0')}`;
}
