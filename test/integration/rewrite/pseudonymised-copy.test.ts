/** A copy for people who may not know whose conversations it has: what is dropped is in none of its bytes. */
import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { ParquetReader } from 'parquetjs-lite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openArchive } from '../../../src/library/operations.js';
import type { Row } from '../../../src/model/table-schema.js';
import { TABLES } from '../../../src/model/tables.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { ExportRig } from '../../support/rigs/export-rig.js';
import { duckDbRows } from '../../support/tables/duckdb-rows.js';
import { png } from '../../support/tables/tiny-image.js';

/** Texts that nobody else writes: a place of the record in each. */
const CANARIES = [
  ...['user', 'session', 'sessionid', 'question', 'answer', 'code', 'language', 'group'],
  ...['table', 'tablecell', 'image', 'imagebytes', 'url', 'record', 'source', 'passage', 'entry'],
  ...['followup', 'type', 'stage', 'extra', 'agent', 'dataset', 'jobid', 'project', 'lost'],
].map((place) => `zq${place}canary`);
const canary = (place: string): string => `zq${place}canary`;

const KEY = randomBytes(32);

let rig: ExportRig;
let keyFile: string;
let copy: string;

beforeAll(async () => {
  rig = await ExportRig.start({ users: 1, sessions: 2, jobs: 3 });
  const { state } = rig;
  const block = (type: string, content: unknown, more: object = {}) => ({
    ...{ type, content, group_id: canary('group'), group_name: canary('group') },
    ...{ stage: 'Respond', [canary('extra')]: canary('extra'), ...more },
  });
  const file = (name: string, key: string) => ({
    name,
    url: `{{url:${key}}}`,
    expires_at: '{{expires_at}}',
  });
  state.putFile(`${canary('url')}.csv`, `${canary('tablecell')},value\nx,1\n`);
  state.putFile(
    'i.png',
    Buffer.concat([png({ width: 9, height: 9 }), Buffer.from(canary('imagebytes'))]),
    'image/png',
  );
  const job = (id: string) => ({
    job_id: id,
    [canary('record')]: canary('record'),
    question: { blocks: [{ type: 'MESSAGE', content: canary('question') }] },
    answer: {
      blocks: [
        block('CODE', `\`\`\`${canary('language')}\n${canary('code')}\n\`\`\``, {
          stage: canary('stage'),
        }),
        block('TABLE', file(canary('table'), `${canary('url')}.csv`)),
        block('IMAGE', file(canary('image'), 'i.png')),
        block('TABLE', file(canary('lost'), `${canary('lost')}.csv`)),
        block('MESSAGE', `${canary('answer')} https://example.com/${canary('url')}`),
        block('SOURCES', [
          {
            id: canary('entry'),
            source: canary('source'),
            content: canary('passage'),
            datasource_id: canary('source'),
            dataset_id: canary('dataset'),
            file_type: canary('source'),
            external_id: canary('source'),
          },
        ]),
        block('QUESTIONS', [canary('followup')]),
        block(canary('type'), { [canary('extra')]: canary('extra') }),
      ],
    },
  });
  state.importJson(
    JSON.stringify({
      users: [
        {
          user_id: canary('user'),
          sessions: [
            {
              id: canary('sessionid'),
              name: canary('session'),
              agent_id: canary('agent'),
              output_language: canary('language'),
              [canary('extra')]: canary('extra'),
              jobs: [job(canary('jobid')), job(state.newJobId(Date.UTC(2026, 1, 3)))],
            },
          ],
        },
      ],
    }),
  );
  await rig.export({
    formats: ['parquet', 'jsonl', 'xlsx'],
    withDatasets: true,
    project: canary('project'),
  });
  keyFile = join(rig.directory, 'key.bin');
  await writeFile(keyFile, KEY);
  copy = join(rig.directory, 'copy');
  const run = await cli(['copy', rig.out, copy, '--pseudonymise', keyFile]);
  expect(run, run.stderr).toMatchObject({ exitCode: 0, stderr: '' });
  expect(run.stdout).toContain('texts are left out');
});
afterAll(() => rig[Symbol.asyncDispose]());

/** By path: every byte of each file, unpacked, and read by a library that did not write it. */
async function contents(folder: string): Promise<Map<string, Buffer>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const found = new Map<string, Buffer>();
  for (const entry of entries.filter((one) => one.isFile())) {
    const path = join(entry.parentPath, entry.name);
    const bytes = await readFile(path);
    const pieces = [bytes, Buffer.from(path.slice(folder.length))];
    if (path.endsWith('.gz')) pieces.push(gunzipSync(bytes));
    if (path.endsWith('.parquet')) {
      const rows = await duckDbRows(`SELECT * FROM read_parquet('${path}')`);
      pieces.push(Buffer.from(textOf(rows)));
      // another reader, and another decompression: zstd is not one of its own
      const footer = await ParquetReader.openBuffer(bytes).catch(() => undefined);
      if (footer) pieces.push(Buffer.from(JSON.stringify(footer, bigintText)));
    }
    found.set(path, Buffer.concat(pieces));
  }
  return found;
}

function textOf(rows: readonly Row[]): string {
  return JSON.stringify(rows, bigintText);
}

function bigintText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

/** A text as it is, without case, in UTF-16, in base64 and hexadecimal, and its hash without a key. */
function spellings(text: string): Buffer[] {
  const bytes = Buffer.from(text);
  const unaligned = [0, 1, 2].map((at) =>
    Buffer.concat([Buffer.alloc(at), bytes])
      .toString('base64')
      .slice(4, -4),
  );
  return [
    ...[text, text.toUpperCase(), bytes.toString('hex'), ...unaligned].map((one) =>
      Buffer.from(one),
    ),
    Buffer.from(text, 'utf16le'),
    Buffer.from(createHash('sha256').update(text).digest('hex')),
    createHash('sha256').update(text).digest(),
  ];
}

function foundIn(files: ReadonlyMap<string, Buffer>, texts: Iterable<string>): string[] {
  const found: string[] = [];
  for (const text of texts) {
    for (const [path, bytes] of files) {
      if (spellings(text).some((one) => bytes.includes(one))) found.push(`${text} in ${path}`);
    }
  }
  return found;
}

it('a copy has no canary in any byte, also unpacked; the archive has them all', async () => {
  const original = await contents(rig.out);
  const there = new Set(foundIn(original, CANARIES).map((one) => one.split(' ', 1)[0]));
  expect([...CANARIES].filter((one) => !there.has(one))).toEqual([]);
  expect(foundIn(await contents(copy), CANARIES)).toEqual([]);
});

it('a pseudonymised copy has no id, hash, text or path of any row, and not the key', async () => {
  const kept = new Set(['EN', 'AUTO']);
  const values = new Set<string>();
  for (const { name, columns } of TABLES) {
    for (const row of await rig.rows(name)) {
      for (const column of columns.filter(({ type }) => type === 'string')) {
        const cell = row[column.name];
        if (typeof cell === 'string' && cell.length >= 10 && !kept.has(cell)) values.add(cell);
      }
    }
  }
  expect(values.size).toBeGreaterThan(100);
  const words = ['DATA_ANALYSIS_AGENT', 'DATA_ANALYTICS', 'application/', 'image/', 'text/'];
  const secret = [...values].filter((one) => !words.some((word) => one.startsWith(word)));
  const files = await contents(copy);
  expect(foundIn(files, secret.slice(0, 1500))).toEqual([]);
  for (const bytes of files.values()) {
    const shown = [
      KEY,
      ...[KEY.toString('hex'), KEY.toString('base64')].map((one) => Buffer.from(one)),
    ];
    expect(shown.some((one) => bytes.includes(one))).toBe(false);
  }
  const paths = [...files.keys()].map((path) => path.slice(copy.length + 1));
  expect(
    paths.filter((path) =>
      /^artifacts|workbooks|raw_jobs\/(?!_delta_log)|_laps|_snapshots|_copy|deletions\/(?!_delta_log)/.test(
        path,
      ),
    ),
  ).toEqual([]);
});

it('a copy is an archive: it verifies, counts as the original does, joins in all tables', async () => {
  const { identity } = await openArchive(copy);
  expect(identity).toMatchObject({
    pseudonymised: { texts: 'dropped', times: 'days' as const },
    service: { project: null },
  });
  expect(await cliJson(['verify', copy])).toMatchObject({
    status: 'intact',
    foreign: [],
    orphans: [],
  });
  const [own, theirs] = [
    await cliJson<Counts>(['status', rig.out]),
    await cliJson<Counts>(['status', copy]),
  ];
  for (const key of ['users', 'sessions', 'jobs', 'gaps'] as const) {
    expect(theirs[key], key).toEqual(own[key]);
  }
  expect(theirs.pseudonymised).toEqual({ texts: 'dropped', times: 'days' as const });
  const sql = `SELECT count(DISTINCT s.user_id) AS users, count(DISTINCT j.job_id) AS jobs, count(*) AS blocks, sum(b.char_count) AS characters, min(j.created_at) AS first
      FROM current_sessions s JOIN current_jobs j USING (user_id, session_id) JOIN current_blocks b USING (user_id, session_id, job_id)`;
  const asked = await Promise.all(
    [rig.out, copy].map((place) => cliJson<{ rows: unknown }>(['query', place, sql])),
  );
  expect(asked[1]?.rows).toEqual(asked[0]?.rows);
  const ids = 'SELECT DISTINCT user_id, session_id FROM current_jobs ORDER BY ALL';
  const { rows } = await cliJson<{ rows: { user_id: string }[] }>(['query', copy, ids]);
  for (const row of rows) expect(row.user_id).toMatch(/^p-[0-9a-f]{32}$/);
  const report = join(rig.directory, 'report');
  const page = await cli(['report', copy, '--out', report]);
  expect(page.exitCode, page.stderr).toBe(3); // the lost file of each job
  expect(page.stdout).not.toMatch(/Next: |jobvault export/);
  const gaps = await readFile(join(report, 'data', 'gaps.js'), 'utf8');
  expect(gaps).toContain(
    '"meaning":"export to the archive that this copy was made of, then make a new copy: nothing is exported to a copy"',
  );
  expect(gaps).not.toContain('jobvault export');
  expect(foundIn(await contents(report), CANARIES)).toEqual([]);
  expect(await deltaTablesOf(copy)).toEqual(await deltaTablesOf(rig.out));
  expect((await cli(['status', copy])).stdout).toMatch(
    /a pseudonymised copy, which is not anonymous: who knows when/,
  );
});

it('a copy tells of a period what the archive tells of it: its ids say no time, its rows do', async () => {
  await using archive = await openArchive(rig.out);
  await using pseudonymised = await openArchive(copy);
  const sql =
    "SELECT DISTINCT date_trunc('day', created_at) AS created_at FROM current_jobs WHERE created_at IS NOT NULL ORDER BY 1";
  const { rows } = await cliJson<{ rows: { created_at: string }[] }>(['query', rig.out, sql]);
  expect(rows.length).toBeGreaterThan(0);
  // its times are days
  const { rows: days } = await cliJson<{ rows: { created_at: string }[] }>([
    ...[
      'query',
      copy,
      'SELECT DISTINCT created_at FROM current_jobs WHERE created_at IS NOT NULL ORDER BY 1',
    ],
  ]);
  expect(days).toEqual(rows);
  for (const { created_at: from } of rows) {
    const counted = async (one: typeof archive): Promise<number> => {
      const { sessions } = await one.sessions({ from, undated: 'exclude' });
      return sessions.length;
    };
    expect(await counted(pseudonymised)).toBe(await counted(archive));
  }
  expect(await cliJson(['query', copy, 'FROM v_follow_ups_taken'])).not.toMatchObject({
    rows: [{ proposals_taken: 0 }],
  });
});

it('a copy tells of a search that there are no texts, and finds nothing by what is not there', async () => {
  for (const words of [canary('question'), '-draft']) {
    const told = await cli(['search', copy, '--', words]);
    expect(told.stdout.split('\n').slice(0, 4)).toEqual([
      'Not complete: nothing was searched',
      '0 hits in 0 questions of commit 1',
      '',
      '  missing  nothing was searched: this pseudonymised copy holds no texts; search the archive that this copy was made of',
    ]);
  }
  const { exitCode, stdout } = await cli(['search', copy, 'falcon', '--from', '2020', '--json']);
  const { caveats, ...found } = JSON.parse(stdout) as Record<string, unknown>;
  expect(caveats).toMatchObject([{ kind: 'nothing_searched' }, { kind: 'pseudonymised' }]);
  expect(exitCode).toBe(3);
  expect(found).toEqual({
    commit: 1,
    exit_code: 3,
    error: 'something is missing',
    next: 'search the archive that this copy was made of.',
    total: 0,
    searched: 0,
    matches: 0,
    withheld: 0,
    time_unknown: 0,
    tables_not_searched: 0,
    tables_in_part: 0,
    undated: null,
    searched_in: [],
    not_searched: 'this pseudonymised copy holds no texts',
    left_out: [],
    unread_tables: [],
    hits: [],
  });
  expect((await cli(['search', copy, 'falcon', '--user', 'nobody'])).exitCode).toBe(2);
  const page = join(rig.directory, 'searched');
  await cli(['report', copy, '--out', page, '--match', 'falcon']);
  expect(await readFile(join(page, 'index.html'), 'utf8')).toContain(
    'only questions with “falcon”: 0 hits in 0 questions',
  );
  expect(await readFile(join(page, 'index.html'), 'utf8')).toContain(
    '<strong>nothing was searched</strong>: this pseudonymised copy holds no texts',
  );
});

it('a copy lists its sessions with the times of their rows, in the order of the archive', async () => {
  const days = async (place: string): Promise<string[]> => {
    const { stdout } = await cli(['show', place]);
    return stdout
      .split('\n')
      .flatMap(
        (line) => /(?:(?:before|after) )?\d{4}-\d\d-\d\d|time unknown/.exec(line)?.[0] ?? [],
      );
  };
  const own = await days(rig.out);
  expect(own.some((day) => /^\d/.test(day))).toBe(true);
  expect(await days(copy)).toEqual(own);
});

it('a copy has a status that tells of itself, and proposes nothing that it refuses', async () => {
  const { stdout } = await cli(['status', copy]);
  const same = (text: string) =>
    text
      .replaceAll(/\b[0-9A-HJKMNP-TV-Z]{26}\b/g, 'RUN')
      .replaceAll(/[\d-]{10}T[\d:]{8}Z/g, 'TIME')
      .replaceAll(/\b[0-9a-f]{64}\b/g, 'DIGEST')
      .replace(/[\d.]+ KB/, 'SIZE')
      .replaceAll(copy, 'COPY')
      .replace(rig.emulator.baseUrl, 'SERVICE');
  const [head = '', about = ''] = same(stdout).split(/^(?= {2}service )/m);
  expect(head.replaceAll(/^ +- .*\n/gm, '').replaceAll(/^( {2}\w+(?: doubt)?) {2,}/gm, '$1  '))
    .toBe(`COPY: not complete
  missing  2 gaps: what could not be archived
  note  1 answer may still come or change: nothing showed yet that it was final when it was read last; what is made after a later export can tell
  note  1 file has doubtful content: stored as the service sent it: empty, an error message, not what the type says, or a picture that had the same bytes as others when it was fetched, also where these were erased since; the archive that this copy was made of has them, and says of each why
  note  a pseudonymised copy, which is not anonymous: who knows when somebody asked how much can tell whose conversations these are, and whoever has the key can tell it of all; ids and hashes are keyed digests; texts are left out; times are days; session names, unknown words of the service (such as a new job_mode), raw records, content_json, extra_json, URLs, files, deletions, holds, requests, who accepted gaps and why, and what was erased are left out
`);
  expect(about).toBe(`  service        SERVICE
  formats        parquet, jsonl
  rows           run_id is that of the making of this copy, the same in every row; exported_at is the end of the day (UTC) of the export that wrote the row; created_at is the beginning of the day of the question
  newest commit  1:DIGEST
  size           SIZE in 14 files and 0 artifacts
  users          2: 1 complete, 1 not complete (something is missing)
  conversations  3: 2 complete, 1 incomplete
  questions      7: 6 settled, 1 not settled when it was made
  gaps           2 missing

Last runs
  RUN  TIME, commit 1: 2 users, 7 versions of questions archived

What this does not prove
  The files, and the snapshot that these counts come from: verify compares both with the log.
  That the archive it was made of has nothing newer: make a new copy to have that, too.
`);
  const ids = 'SELECT DISTINCT user_id FROM jobs';
  const { rows } = await cliJson<{ rows: { user_id: string }[] }>(['query', copy, ids]);
  for (const { user_id: user } of rows) {
    const one = await cli(['status', copy, '--user', user]);
    expect(one.stdout).toMatch(/^ {2}questions +\d: \d settled, \d not settled when it was made$/m);
    expect(one.stdout).not.toMatch(/may still change|jobvault export/);
  }
});

it('a copy has users, sessions and times in an order of its own: not that of the export', async () => {
  await using many = await ExportRig.start({ users: 0 });
  const names = Array.from({ length: 12 }, (_, at) => `employee-${String(at).padStart(2, '0')}`);
  const users = names.map((name) => ({
    user_id: name,
    sessions: [
      {
        id: `${name}-s`,
        name,
        jobs: [{ job_id: `${name}-j`, question: { blocks: [] }, answer: { blocks: [] } }],
      },
    ],
  }));
  many.state.importJson(JSON.stringify({ users }));
  await many.export({ concurrency: 1 });
  const target = join(many.directory, 'copy');
  await using archive = await openArchive(many.out);
  await archive.pseudonymiseTo(target, { key: KEY });
  const [commit = ''] = (await readdir(join(target, '_commits'))).filter((name) =>
    name.endsWith('1.json'),
  );
  const { sessions } = JSON.parse(await readFile(join(target, '_commits', commit), 'utf8')) as {
    sessions: { user: string }[];
  };
  const order = sessions.map(({ user }) => user);
  expect(order).toHaveLength(12);
  expect(order).toEqual(order.toSorted());
  const rows = await duckDbRows(
    `SELECT DISTINCT exported_at, run_id FROM read_parquet('${target}/tables/*/*/*.parquet', union_by_name = true, hive_partitioning = false)`,
  );
  expect(rows).toHaveLength(1);
  for (const [path, bytes] of await contents(target)) {
    if (!path.endsWith('.jobs.jsonl.gz')) continue;
    const times = [...bytes.toString().matchAll(/"seen_at":"([^"]+)"/g)].map(([, at]) => at);
    expect(times.every((at) => at?.endsWith('T00:00:00.000Z'))).toBe(true);
  }
});

it('a copy that fails leaves nothing, nor takes what was made there meanwhile', async () => {
  await using damaged = await ExportRig.start({ users: 1, sessions: 2, jobs: 2 });
  await damaged.export();
  const [part = ''] = (await damaged.files('tables/blocks')).filter((path) =>
    path.endsWith('.parquet'),
  );
  await damaged.place.write(part, 'no parquet');
  const key = join(damaged.directory, 'key');
  await writeFile(key, KEY);
  const target = join(damaged.directory, 'copy');
  const run = await cli(['copy', damaged.out, target, '--pseudonymise', key]);
  expect(run.exitCode, run.stderr).toBe(4);
  const left = await readdir(target, { recursive: true, withFileTypes: true }).catch(() => []);
  expect(left.filter((entry) => entry.isFile())).toEqual([]);
});

it('a pseudonymised copy has the same digests with the same key, and others with another', async () => {
  const ids = async (key: Uint8Array, name: string): Promise<string[]> => {
    await using archive = await openArchive(rig.out);
    const target = join(rig.directory, name);
    await archive.pseudonymiseTo(target, { key });
    await using made = await openArchive(target);
    return (await made.sessions()).sessions
      .map(({ user_id, session_id }) => `${user_id} ${session_id}`)
      .toSorted();
  };
  const [first, again, other] = [
    await ids(KEY, 'again'),
    await ids(KEY, 'and-again'),
    await ids(randomBytes(32), 'other'),
  ];
  expect(again).toEqual(first);
  expect(other.filter((one) => first.includes(one))).toEqual([]);
});

it('a copy keeps texts only when asked, with a warning, and still no name and no id', async () => {
  const target = join(rig.directory, 'with-texts');
  const words = ['copy', rig.out, target, '--pseudonymise', keyFile, '--keep-text'];
  const run = await cli(words);
  expect(run.exitCode, run.stderr).toBe(0);
  expect(run.stderr).toMatch(/texts are kept as people wrote them/);
  const there = new Set(
    foundIn(await contents(target), CANARIES).map((one) => one.split(' ', 1)[0]),
  );
  expect(there).toContain(canary('question'));
  expect(there).toContain(canary('answer'));
  for (const place of [
    'user',
    'session',
    'sessionid',
    'jobid',
    'record',
    'extra',
    'tablecell',
    'imagebytes',
    'agent',
    'project',
  ]) {
    expect(there).not.toContain(canary(place));
  }
  expect((await cliJson<Counts>(['status', target])).pseudonymised).toEqual({
    texts: 'kept',
    times: 'days' as const,
  });
  const found = await cli(['search', target, canary('question')]);
  expect(found.stdout).toMatch(/^2 hits in \d+ questions of commit 1$/m);
  expect(found.stdout).toMatch(
    /^ +note +not searched: the first rows of tables \(not in this pseudonymised copy\), names of conversations \(not in this pseudonymised copy\), what is in images /m,
  );
  const named = await cli(['search', target, canary('session'), '--in', 'name']);
  expect(named.stdout.split('\n')[0]).toBe('Not complete: nothing was searched');
  expect(named.stdout).toMatch(/this pseudonymised copy does not hold names of conversations/);
});

it('a pseudonymised copy justifies no deletion, takes no export, and restores nothing (I-54)', async () => {
  const service = ['--base-url', rig.emulator.baseUrl];
  const before = await readdir(copy, { recursive: true });
  const refused = [
    ['prune', copy, '--all', '--dry-run'],
    ['prune', copy, '--all', '--yes', ...service],
    ['export', '--out', copy, '--user', canary('user'), ...service],
    [
      'export',
      '--out',
      copy,
      '--user',
      canary('user'),
      '--delete-archived',
      '--all',
      '--yes',
      ...service,
    ],
    [
      'sessions',
      'delete',
      canary('sessionid'),
      '--user',
      canary('user'),
      '--out',
      copy,
      '--yes',
      ...service,
    ],
    ['verify', copy, '--against-service', ...service],
    ['serve', '--from', copy],
    ['drill', copy],
    ['evidence', copy, '--out', join(rig.directory, 'pack'), '--organization', 'x'],
    ['copy', copy, join(rig.directory, 'twice'), '--pseudonymise', keyFile],
  ];
  for (const words of refused) {
    const { exitCode, stderr } = await cli(words);
    expect([words[0], exitCode, stderr]).toEqual([
      words[0],
      2,
      expect.stringContaining('is a pseudonymised copy'),
    ]);
  }
  expect(await readdir(copy, { recursive: true })).toEqual(before);
  expect(rig.state.sessionIds(canary('user'))).toEqual([canary('sessionid')]);
  // a plain copy of it is one, too; without the key in jobvault.json it is damaged
  const plain = join(rig.directory, 'plain');
  expect((await cli(['copy', copy, plain])).exitCode).toBe(0);
  expect((await cli(['prune', plain, '--all', '--dry-run'])).stderr).toContain(
    'is a pseudonymised copy',
  );
  const identity = JSON.parse(await readFile(join(plain, 'jobvault.json'), 'utf8')) as Record<
    string,
    unknown
  >;
  delete identity['pseudonymised'];
  await writeFile(join(plain, 'jobvault.json'), `${JSON.stringify(identity, null, 2)}\n`);
  expect((await cli(['prune', plain, '--all', '--dry-run'])).exitCode).toBe(4);
  expect((await cli(['verify', plain])).exitCode).toBe(4);
});

it('a copy refuses a short key, a place that is not empty and flags without each other', async () => {
  const short = join(rig.directory, 'short');
  await writeFile(short, 'too short');
  const target = join(rig.directory, 'refused');
  const cases: [string[], RegExp][] = [
    [
      [target, '--pseudonymise', short],
      /^jobvault copy: the key has 9 bytes; allowed are 32 or more|the key has 9 bytes; allowed are 32 or more/,
    ],
    [
      [target, '--pseudonymise', join(rig.directory, 'none')],
      /--pseudonymise .*none cannot be read/,
    ],
    [[copy, '--pseudonymise', keyFile], /is not empty \(it holds/],
    [[target, '--keep-text'], /--keep-text goes with --pseudonymise/],
  ];
  for (const [words, sentence] of cases) {
    const { exitCode, stderr } = await cli(['copy', rig.out, ...words]);
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(sentence)]);
  }
  expect(await readdir(target).catch(() => [])).toEqual([]);
});

/** Which tables have a Delta log. */
async function deltaTablesOf(archive: string): Promise<string[]> {
  const tables = await readdir(join(archive, 'tables'));
  const logs = await Promise.all(
    tables.map(async (table) =>
      (await readdir(join(archive, 'tables', table))).includes('_delta_log') ? [table] : [],
    ),
  );
  return logs.flat().toSorted();
}

interface Counts {
  readonly users: unknown;
  readonly sessions: unknown;
  readonly jobs: unknown;
  readonly gaps: unknown;
  readonly pseudonymised: unknown;
}
