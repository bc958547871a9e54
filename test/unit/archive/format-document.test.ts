/** FORMAT.md says what the code does: keys, paths, and invariants that are cited where they are held. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { encodeIdentity } from '../../../src/archive/identity.js';
import { commitSchema, jobLineSchema, userLineSchema } from '../../../src/archive/log/commit.js';
import * as paths from '../../../src/archive/paths.js';
import { leaveUsers } from '../../../src/archive/runs/queued-runs.js';
import { stateLine } from '../../../src/archive/state/state-line.js';
import { firstLap, writeLap } from '../../../src/archive/laps.js';
import { emptyState } from '../../../src/archive/state/user-state.js';
import { FORMATS, ROW_FORMATS } from '../../../src/formats/formats.js';
import { asUserId } from '../../../src/model/ids.js';
import { writePlan } from '../../../src/archive/erasing/write-plan.js';
import { draft, makeArchive, runOf, session } from '../../support/store/archive-samples.js';
import { snapshotOf, snapshotParts } from '../../support/store/snapshots.js';
import { createMemoryStorage } from '../../support/store/memory-storage.js';
import { repositoryFiles, ROOT } from '../../support/base/repository-files.js';

const FORMAT = 'src/archive/FORMAT.md';
const document = await readFile(join(ROOT, FORMAT), 'utf8');
const tables = tablesOf(document);

const RUN = runOf('R');
const SHA = 'ab'.repeat(32);
const USER = asUserId('ana');

describe('format document', () => {
  const commit = commitSchema.shape;
  const [begun, finished] = commit.erasure.unwrap().options;
  const [asked, search, pack, decide, close] = commit.requests.unwrap().element.options;
  const [suppressed, lifted] = commit.suppressions.unwrap().element.options;
  const [set, released] = commit.holds.unwrap().element.options;

  it.each([
    ['key', 1, commit],
    ['files[]', 0, commit.files.element.shape],
    ['artifacts', 0, commit.artifacts.unwrap().shape],
    ['sessions[]', 0, commit.sessions.element.shape],
    ['gaps[]', 0, commit.sessions.element.shape.gaps.element.shape],
    ['jobs', 0, commit.jobs.unwrap().shape],
    ['line', 0, jobLineSchema.shape],
    ['deletions[]', 0, commit.deletions.element.shape],
    ['users', 0, commit.users.unwrap().shape],
    ['line', 1, userLineSchema.shape],
    ['erasure, begun', 0, begun.shape],
    ['erasure, finished', 0, finished.shape],
    ['holds[], set', 0, set.shape],
    ['holds[], released', 0, released.shape],
    ['accepted[]', 0, commit.accepted.unwrap().element.shape],
    ['requests[], new', 0, asked.shape],
    ['requests[], search', 0, search.shape],
    ['requests[], pack', 0, pack.shape],
    ['requests[], decide', 0, decide.shape],
    ['requests[], close', 0, close.shape],
    ['drill', 0, commit.drill.unwrap().shape],
    ['retention', 0, commit.retention.unwrap().shape],
    ['suppressions[], set', 0, suppressed.shape],
    ['suppressions[], ended', 0, lifted.shape],
    ['snapshot', 0, commit.snapshot.unwrap().shape],
  ])(
    'the keys in FORMAT.md of "%s" (table %i of this name) are those of the code, in order',
    (head, nth, shape) => {
      expect(keysIn(head, nth)).toEqual(Object.keys(shape));
    },
  );

  it('the keys in FORMAT.md of jobvault.json are those of the code, in order', () => {
    const service = { base_url: 'https://api.example.com', project: null };
    const identity = { id: RUN, made_by: 'jobvault', created_at: '2026-11-05T12:00:00.000Z' };
    const pseudonymised = { texts: 'dropped', times: 'days' as const } as const;
    const bytes = encodeIdentity({
      ...identity,
      format: 1,
      service,
      formats: ['parquet'],
      pseudonymised,
      copy: RUN,
    });
    expect(keysIn('key', 0)).toEqual(keysOfJson(bytes));
  });

  it('the keys in FORMAT.md of a state are those of the code, in order', () => {
    expect(keysIn('state', 0)).toEqual(keysOfJson(Buffer.from(stateLine(emptyState(USER)))));
  });

  it('the keys in FORMAT.md of a lap are those of the code, in order', async () => {
    const storage = createMemoryStorage();
    await writeLap(storage, 'all', { ...firstLap(0), head: { number: 0, digest: null } });
    expect(keysIn('lap', 0)).toEqual(keysOfJson(await storage.get(paths.lapPath('all'))));
  });

  it('the keys in FORMAT.md of the users of a queued run are those of the code, in order', async () => {
    const storage = createMemoryStorage();
    const head = {
      run: 'night',
      queue: 'q',
      enqueued_at: '2026-11-05T12:00:00.000Z',
      expected: false,
      since: 0,
      doubtful_list: false,
    };
    const path = await leaveUsers(storage, RUN, { ...head, users: ['ana'] });
    const [first = ''] = gunzipSync(await storage.get(path))
      .toString()
      .split('\n');
    expect(keysIn('first line', 0)).toEqual(keysOfJson(Buffer.from(first)));
  });

  it('the keys in FORMAT.md of a snapshot are those of the code, in order', async () => {
    const storage = createMemoryStorage();
    const archive = await makeArchive(storage);
    await archive.log.append(draft({ sessions: [session('ana', 's')] }));
    await snapshotOf(archive);
    const parts = await snapshotParts(archive);
    const [first = '', user = '', last = ''] = parts.text.split('\n');
    expect(keysIn('snapshot', 1)).toEqual(keysOfJson(Buffer.from(first)));
    expect(keysIn('user line', 0)).toEqual(keysOfJson(Buffer.from(user)));
    expect(keysIn('last line', 0)).toEqual(keysOfJson(Buffer.from(last)));
    const { states, sessions } = JSON.parse(last) as { states: object[]; sessions: object[] };
    expect(keysIn('states', 0)).toEqual(Object.keys(states[0] ?? {}));
    expect(keysIn('sessions', 0)).toEqual(Object.keys(sessions[0] ?? {}));
    const [fields = []] = JSON.parse(gunzipSync(parts.sessions).toString()) as unknown[][];
    expect(keysIn("user's session", 0)).toHaveLength(fields.length);
  });

  it('the keys in FORMAT.md of the plan of an erasure are those of the code, in order', async () => {
    const storage = createMemoryStorage();
    const nothing = { commits: [], replaced: [], doomed: [], leases: [], unnamed: [] };
    await writePlan(storage, RUN, { ...nothing, format: 1 });
    expect(keysIn('plan', 0)).toEqual(keysOfJson(await storage.get(paths.planPath(RUN))));
  });
});

it('the formats in FORMAT.md are those of the code, in order', () => {
  expect(tables.get('format')?.[0]?.map((cells) => cells.map(bare))).toEqual(
    FORMATS.map(({ name, extension, meaning }) => [name, `.${extension}`, meaning]),
  );
});

it('the formats in FORMAT.md are all that part files may be in', () => {
  const rows = tables.get('placeholder')?.[0]?.find(([name = '']) => bare(name) === '<rows>');
  const extensions = ROW_FORMATS.map(({ extension }) => extension.replaceAll('.', '\\.'));
  expect(bare(rows?.[2] ?? '')).toBe(`(?:${extensions.join('\\|')})`);
});

describe('format document', () => {
  const templates = keysIn('path', 0);
  const placeholders = new Map(
    (tables.get('placeholder')?.[0] ?? []).map(([name = '', , pattern = '']) => [
      bare(name),
      bare(pattern).replaceAll('\\|', '|'),
    ]),
  );
  const made = [
    paths.IDENTITY_PATH,
    paths.COPY_MARKER_PATH,
    paths.SLICES_PATH,
    paths.timestampPath(42, SHA),
    paths.REWRITE_LEASE_PATH,
    paths.partPath('raw_jobs', '2026-11-05', RUN, 1, 'parquet'),
    paths.partPath('jobs', '2026-11-05', RUN, 12_345, 'jsonl.gz'),
    paths.deltaVersionPath('jobs', 12),
    paths.deltaCheckpointPath('jobs', 10),
    paths.deltaPointerPath('jobs'),
    paths.deltaVersionPath('jobs', 12),
    paths.deltaCheckpointPath('jobs', 10),
    paths.deltaPointerPath('jobs'),
    paths.workbookPath(RUN),
    paths.artifactPath(SHA, 'csv', 0),
    paths.artifactPath(SHA, 'csv', 17),
    paths.commitPath(42),
    paths.manifestPath('jobs', 42, SHA),
    paths.manifestPath('users', 42, SHA),
    paths.lapPath('all'),
    paths.lapPath('queue'),
    paths.lapPath('3-of-16'),
    paths.userLeasePath(USER),
    paths.runLeasePath(RUN),
    paths.intentPath(RUN),
    paths.queuedUsersPath(RUN),
    paths.snapshotPath(42, RUN),
    paths.statesPath(42, RUN, 1),
    paths.planPath(RUN),
    paths.redactedPath(RUN, 42),
    paths.redactedManifestPath('jobs', RUN, 42),
    paths.redactedManifestPath('users', RUN, 42),
    `${paths.QUARANTINE_PREFIX}${RUN}/${paths.artifactPath(SHA, 'csv', 0)}`,
  ];

  it('the paths in FORMAT.md are all that the code makes and takes for its own, each of one kind', () => {
    const kinds = templates.map((template) => ({ template, pattern: patternOf(template) }));
    const found = made.map((path) => ({
      path,
      kinds: kinds.filter(({ pattern }) => pattern.test(path)).map(({ template }) => template),
    }));
    expect(found.filter(({ kinds: own }) => own.length !== 1)).toEqual([]);
    expect(new Set(found.flatMap(({ kinds: own }) => own))).toEqual(new Set(templates));
    expect(made.filter((path) => !paths.isOwnPath(path))).toEqual([]);
  });

  /** Literal text, and what the second table says of each placeholder. */
  function patternOf(template: string): RegExp {
    const parts = template.split(/(<\w+>)/).map((part) => {
      if (!part.startsWith('<')) return part.replace(/[.$]/g, '\\$&');
      return placeholders.get(part) ?? `(no placeholder ${part})`;
    });
    return new RegExp(`^${parts.join('')}$`);
  }
});

describe('format document', async () => {
  const defined = [...document.matchAll(/^- \*\*(I-\d+)\*\* /gm)].map(([, name = '']) => name);
  const cited = new Map<string, string[]>();
  for (const file of [...(await repositoryFiles('src')), ...(await repositoryFiles('test'))]) {
    const text = await readFile(join(ROOT, file), 'utf8');
    for (const [name] of text.matchAll(/\bI-\d+\b/g)) {
      if (file !== FORMAT) cited.set(name, [...(cited.get(name) ?? []), file]);
    }
  }

  it('invariants in FORMAT.md have a number each, from 1 on; a new one stands in its section', () => {
    const numbers = defined.map((_, index) => `I-${index + 1}`);
    expect(defined.toSorted()).toEqual(numbers.toSorted());
    expect(document).toContain(`**I-1** to **${numbers.at(-1)}**`);
  });

  it('the invariants in FORMAT.md are cited by at least one test each', () => {
    const isTest = (file: string) => file.endsWith('.test.ts');
    expect(defined.filter((name) => !cited.get(name)?.some(isTest))).toEqual([]);
  });

  it('the invariants in FORMAT.md are all that is cited anywhere', () => {
    const unknown = [...cited].filter(([name]) => !defined.includes(name));
    expect(unknown).toEqual([]);
    const within = [...document.matchAll(/\bI-\d+\b/g)].map(([name]) => name);
    expect(within.filter((name) => !defined.includes(name))).toEqual([]);
  });
});

/** The rows of every table, by the text of its first heading. */
function tablesOf(markdown: string): Map<string, string[][][]> {
  const found = new Map<string, string[][][]>();
  let rows: string[][] | undefined;
  for (const line of markdown.split('\n')) {
    if (!line.startsWith('|')) {
      rows = undefined;
      continue;
    }
    const cells = line.split(/(?<!\\)\|/).slice(1, -1);
    if (rows) rows.push(cells.map((cell) => cell.trim()));
    else {
      rows = [];
      const head = (cells[0] ?? '').replaceAll('`', '').trim();
      found.set(head, [...(found.get(head) ?? []), rows]);
    }
  }
  for (const ofHead of found.values()) for (const table of ofHead) table.shift(); // the rule
  return found;
}

function keysIn(head: string, nth: number): string[] {
  return (tables.get(head)?.[nth] ?? []).map(([first = '']) => bare(first));
}

function bare(cell: string): string {
  return cell.replaceAll('`', '');
}

function keysOfJson(bytes: Uint8Array): string[] {
  return Object.keys(JSON.parse(Buffer.from(bytes).toString()) as object);
}
