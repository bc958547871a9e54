/** Keeps changes in one JSON file: read at the start, replaced atomically after changes. */
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { codeOf, messageOf, fileErrorReason, UsageError, firstIssue } from '../../base/error.js';
import { type World, EmulatedUser } from './world.js';
import { z } from 'zod';
import { canonicalJson, parseJson } from '../../base/text/parse-json.js';
import type { DatasetState } from '../seed/seed-plan.js';
import { datasetShape } from './import-histories.js';
import { EmulatedSession } from './session-state.js';

export interface DataFile {
  /**
   * Writes the file now and after every change; changes during a write are written together.
   *
   * @throws {UsageError} it cannot be written
   */
  saveAfterEveryChange(): Promise<Saving>;
}

export interface Saving {
  /**
   * Resolves when the last change is on disk.
   *
   * @throws {UsageError} it could not be written
   */
  finish(): Promise<void>;
}

/**
 * Loads the file into the world, if it is there.
 *
 * @param path undefined: nothing is read and nothing is kept
 * @throws {UsageError} it cannot be read, is no data file, or was made with other seed settings
 */
export async function openDataFile(path: string | undefined, world: World): Promise<DataFile> {
  if (path === undefined) {
    return { saveAfterEveryChange: () => Promise.resolve({ finish: () => Promise.resolve() }) };
  }
  const text = await readIfThere(path);
  if (text !== undefined) readDataFile(text, path, world);
  return { saveAfterEveryChange: () => saveChanges(path, world) };
}

async function saveChanges(path: string, world: World): Promise<Saving> {
  let dirty = false;
  let failure: unknown;
  let writing: Promise<void> | undefined;
  const write = async (): Promise<void> => {
    while (dirty) {
      dirty = false;
      try {
        await replace(path, writeDataFile(world));
        failure = undefined;
      } catch (error) {
        failure = error;
      }
    }
    writing = undefined;
  };
  const start = (): void => {
    dirty = true;
    writing ??= write();
  };
  const finish = async (): Promise<void> => {
    start();
    await writing;
    if (failure === undefined) return;
    throw new UsageError(`emulator: cannot write the data file ${path}: ${messageOf(failure)}`, {
      cause: failure,
    });
  };
  await finish();
  world.onChange(start);
  return { finish };
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw new UsageError(`emulator: cannot read the data file ${path}: ${fileErrorReason(error)}`, {
      cause: error,
    });
  }
}

async function replace(path: string, text: string): Promise<void> {
  const temporary = `${path}.new`;
  try {
    await writeFile(temporary, text, { flush: true });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Writes the differences from the seed as JSON, and reads them. Unchanged users are left out: the seed makes them again. */

const FORMAT = 'jobvault emulator data 1';

const plan = z.record(z.string(), z.union([z.number(), z.boolean(), z.null()]));
const fields = z.looseObject({ id: z.string(), name: z.string() });
const storedJob = z.object({ id: z.string(), text: z.string() });
const session = z.object({
  id: z.string(),
  /** The number of the seeded session that this one was at first; null for others. */
  seeded: z.number().nullable(),
  fields: fields.optional(),
  jobs: z.array(z.union([z.number(), storedJob])).optional(),
});
const user = z.object({ project: z.string(), user_id: z.string(), sessions: z.array(session) });
const dataset = datasetShape.extend({ project: z.string() });
const file = z.object({ key: z.string(), mediaType: z.string(), base64: z.string().nullable() });
const snapshot = z.object({
  format: z.literal(FORMAT),
  seed_project: z.string(),
  plan,
  made: z.number(),
  users: z.array(user),
  datasets: z.array(dataset),
  files: z.array(file),
});
type Snapshot = z.infer<typeof snapshot>;

function writeDataFile(world: World): string {
  const content: Snapshot = {
    format: FORMAT,
    seed_project: world.seedProject,
    plan: planOf(world),
    made: world.madeCount,
    users: world.touchedUsers
      .filter((state) => differsFromSeed(state, world))
      .map(({ project, userId, sessions }) => ({
        project,
        user_id: userId,
        sessions: sessions.map(writeSession),
      })),
    datasets: world.allDatasets.map(mutable),
    files: [...world.files.changes].map(([key, value]) => ({
      key,
      mediaType: value?.mediaType ?? '',
      base64: value && Buffer.from(value.bytes).toString('base64'),
    })),
  };
  return JSON.stringify(content);
}

/** @throws {UsageError} the text is no data file, or belongs to other seed settings */
function readDataFile(text: string, path: string, world: World): void {
  const content = parse(text, path);
  const [came, wanted] = [canonicalJson(content.plan), canonicalJson(planOf(world))];
  if (came !== wanted || content.seed_project !== world.seedProject) {
    throw new UsageError(
      `emulator: the data file ${path} was made with other seed settings (${came}, project ${content.seed_project}); use the same or another file`,
    );
  }
  world.resumeNumbers(content.made);
  for (const { project, user_id, sessions } of content.users) {
    const origin = project === world.seedProject ? world.seeded.userIndex(user_id) : -1;
    const states = sessions.map(({ id, seeded, fields: own, jobs }) => {
      const place = seeded === null || origin < 0 ? undefined : { user: origin, session: seeded };
      return new EmulatedSession(id, world.seeded, place, own, jobs);
    });
    world.setUser(new EmulatedUser(project, user_id, states));
  }
  world.clearDatasets();
  for (const state of content.datasets) world.setDataset(state);
  for (const { key, mediaType, base64 } of content.files) {
    if (base64 === null) world.files.remove(key);
    else world.files.put(key, { bytes: Buffer.from(base64, 'base64'), mediaType });
  }
}

function parse(text: string, path: string): Snapshot {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    const sentence = `emulator: the data file ${path} is not JSON: ${messageOf(error)}`;
    throw new UsageError(sentence, { cause: error });
  }
  const result = snapshot.safeParse(value);
  if (result.success) return result.data;
  throw new UsageError(
    `emulator: ${path} is not a data file of the emulator: ${firstIssue(result.error)}`,
  );
}

function planOf({ seeded }: World): Record<string, number | boolean | null> {
  const { seed, users, sessions, jobs, exactJobs, odd, gaps } = seeded.plan;
  const { blocksPerJob = null, artifactsPerJob = null } = seeded.plan;
  return { seed, users, sessions, jobs, exactJobs, odd, gaps, blocksPerJob, artifactsPerJob };
}

function writeSession(state: EmulatedSession): z.infer<typeof session> {
  const { fields: own, jobs } = state.changes;
  return {
    id: state.id,
    seeded: state.origin?.session ?? null,
    ...(own ? { fields: own } : {}),
    ...(jobs ? { jobs: [...jobs] } : {}),
  };
}

function differsFromSeed({ project, userId, sessions }: EmulatedUser, world: World): boolean {
  const isSeeded = project === world.seedProject && world.seeded.userIndex(userId) >= 0;
  const expected = isSeeded ? world.seeded.sessionCount : 0;
  return (
    sessions.length !== expected ||
    sessions.some(({ origin, changes }) => !origin || changes.fields || changes.jobs)
  );
}

function mutable(state: DatasetState): z.infer<typeof dataset> {
  return {
    ...state,
    exploration_questions: [...state.exploration_questions],
    keywords: [...state.keywords],
  };
}
