/**
 * Takes over users, sessions and jobs from a JSON document. Job records are served verbatim, down to their
 * white space and digits; only `{{url:KEY}}` and `{{expires_at}}` inside them are filled in at every read.
 * `config/guide/commands.md` has the format, with an example.
 */
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { messageOf, fileErrorReason, UsageError, firstIssue } from '../../base/error.js';
import { parseJson } from '../../base/text/parse-json.js';
import { arrayElements } from '../../model/json-outline.js';
import { objectMembers, type Span } from '../../model/json-parts.js';
import type { StoredJob, World } from './world.js';

const job = z.looseObject({ job_id: z.string() });
const session = z.looseObject({
  id: z.string(),
  name: z.string().default(''),
  jobs: z.array(job).default([]),
});
const file = z.union([
  z.strictObject({ text: z.string(), media_type: z.string().default('text/csv') }),
  z.strictObject({ base64: z.base64(), media_type: z.string().default('image/png') }),
]);
const count = z.number().int().min(0).default(0);
const datasetShape = z.strictObject({
  id: z.string(),
  name: z.string(),
  creator: z.string(),
  description: z.string().default(''),
  summary: z.string().default(''),
  exploration_questions: z.array(z.string()).default([]),
  keywords: z.array(z.string()).default([]),
  synched_count: count,
  invalid_count: count,
  synching_count: count,
});
const document = z.strictObject({
  users: z
    .array(z.strictObject({ user_id: z.string().min(1), sessions: z.array(session) }))
    .default([]),
  files: z.record(z.string(), file).default({}),
  datasets: z.array(datasetShape).default([]),
});

/** @throws {UsageError} the file cannot be read or has another shape */
export async function importHistories(path: string, world: World, project: string): Promise<void> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    throw new UsageError(`emulator: cannot read ${path}: ${fileErrorReason(error)}`, {
      cause: error,
    });
  }
  importText(text, path, world, project);
}

/**
 * A session whose id the user already has is replaced.
 *
 * @param origin where the text is from, for error messages
 * @throws {UsageError} the text has another shape
 */
export function importText(text: string, origin: string, world: World, project: string): void {
  const content = parse(text, origin);
  const jobTexts = jobTextsOf(text);
  content.users.forEach(({ user_id, sessions }, userIndex) => {
    const user = world.user(project, user_id);
    sessions.forEach(({ jobs, ...fields }, sessionIndex) => {
      const texts = jobTexts[userIndex]?.[sessionIndex] ?? [];
      const stored = jobs.map(({ job_id }, index): StoredJob => ({
        id: job_id,
        text: texts[index] ?? '',
      }));
      user.add(world.newSession(fields.id, fields, stored));
    });
  });
  for (const [key, { media_type, ...body }] of Object.entries(content.files)) {
    const bytes = 'text' in body ? Buffer.from(body.text) : Buffer.from(body.base64, 'base64');
    world.files.put(key, { bytes, mediaType: media_type });
  }
  for (const imported of content.datasets) world.setDataset({ ...imported, project });
}

function parse(text: string, origin: string): z.infer<typeof document> {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    throw new UsageError(`emulator: ${origin} is not JSON: ${messageOf(error)}`, { cause: error });
  }
  const result = document.safeParse(value);
  if (result.success) return result.data;
  throw new UsageError(
    `emulator: ${origin} is not a file of histories: ${firstIssue(result.error)}`,
  );
}

/** The exact text of each job, by user, session and job. */
function jobTextsOf(text: string): string[][][] {
  return elementsOf(text, objectMembers(text).get('users')).map((user) =>
    elementsOf(text, objectMembers(text, user.start).get('sessions')).map((sessionNode) =>
      elementsOf(text, objectMembers(text, sessionNode.start).get('jobs')).map(({ start, end }) =>
        text.slice(start, end),
      ),
    ),
  );
}

function elementsOf(text: string, span: Span | undefined): readonly Span[] {
  return span ? [...arrayElements(text, span.start)] : [];
}
