/** An archive that somebody has prepared: whatever a command does with it, nothing outside it changes, and nothing of the outside comes along. */
import {
  mkdir,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { BegunErasure } from '../../../src/archive/log/commit.js';
import type { ErasurePlan } from '../../../src/archive/erasing/write-plan.js';
import { commitPath, manifestPath, partPath } from '../../../src/archive/paths.js';
import { sha256Hex } from '../../../src/base/digest.js';
import { ulid } from '../../../src/base/ulid.js';
import { systemClock, systemRandom } from '../../../src/base/runtime.js';
import { asRunId } from '../../../src/model/ids.js';
import { putFormat2 } from '../../support/store/begun-erasure.js';
import { begunReceipt, draft } from '../../support/store/archive-samples.js';
import { cli } from '../../support/programs/cli-in-process.js';
import { EraseRig } from '../../support/rigs/erase-rig.js';
import type { ExportRig } from '../../support/rigs/export-rig.js';
import { fault } from '../../support/base/fault.js';
import { artifactsIn } from '../../support/store/artifacts-in.js';

const SAME_USERS = { users: null, oldUsers: null };
let people: EraseRig;
let rig: ExportRig;
/** What belongs to whoever opens the archive. */
let home: string;

beforeEach(async () => {
  people = await EraseRig.start();
  rig = people.rig;
  for (const user of ['ann', 'ben']) people.talk(user, `${user}-first`, [`${user}.csv`]);
  await rig.archived();
  home = join(rig.directory, 'home');
  await mkdir(home);
  await writeFile(join(home, 'diary'), 'a secret of the house');
});
afterEach(() => people[Symbol.asyncDispose]());

/** Every file and link below, with what it holds. */
async function contentOf(directory: string): Promise<Record<string, string>> {
  const content: Record<string, string> = {};
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const name = relative(directory, path);
    if (entry.isSymbolicLink()) content[name] = `-> ${await readlink(path)}`;
    else if (entry.isFile()) content[name] = sha256Hex(await readFile(path));
  }
  return content;
}

const service = () => ['--base-url', rig.emulator.baseUrl];
const everybody = ['--user', 'ann', '--user', 'ben'];

/** Every command that opens an archive, and writes into it or beside it. */
const commands: Record<string, () => string[]> = {
  export: () => ['export', '--out', rig.out, ...everybody, ...service(), '--full'],
  prune: () => ['prune', rig.out, '--all', '--yes', ...service()],
  compact: () => ['compact', rig.out, '--grace', '0s'],
  'hold add': () => ['hold', 'add', rig.out, '--user', 'ben', '--reason', 'x'],
  expire: () => ['expire', rig.out, '--older-than', '1s', '--yes', '--user', 'ben'],
  erase: () => ['erase', rig.out, '--user', 'ann', '--yes'],
  'verify --repair': () => ['verify', rig.out, '--repair', '--orphan-age', '1h'],
  copy: () => ['copy', rig.out, join(rig.directory, 'copy')],
  evidence: () => ['evidence', rig.out, '--out', join(rig.directory, 'pack'), ...everybody],
  report: () => ['report', rig.out, '--out', join(rig.directory, 'page')],
  workbook: () => ['workbook', rig.out, '--user', 'ann', '--out', join(rig.directory, 'a.xlsx')],
  search: () => ['search', rig.out, 'diary OR ann'],
  query: () => ['query', rig.out, 'SELECT * FROM blocks'],
  show: () => ['show', rig.out, 'ann-first'],
  status: () => ['status', rig.out],
};

/** They write nothing into an archive: tried where they read most. */
const READING = ['evidence', 'report', 'workbook', 'search', 'query', 'show', 'status'];
const READ_FOLDERS = ['_commits', '_laps', 'tables', 'artifacts'];

describe.each([
  '_commits',
  '_laps',
  '_leases',
  '_intents',
  '_quarantine',
  '_erasures',
  '_staging',
  'tables',
  'tables/jobs',
  'artifacts',
  'workbooks',
])('with a link in place of %s', (folder) => {
  // I-3 in FORMAT.md
  it('changes nothing where the link leads', fault('F-62'), async () => {
    const inside = join(rig.out, folder);
    await mkdir(inside, { recursive: true });
    await rename(inside, join(home, 'taken'));
    for (const name of ['precious', `${ulid(systemClock, systemRandom)}.json`]) {
      await writeFile(join(home, 'taken', name), '{}');
    }
    await mkdir(dirname(inside), { recursive: true });
    await symlink(join(home, 'taken'), inside);
    const before = await contentOf(home);
    for (const [name, words] of Object.entries(commands)) {
      if (READING.includes(name) && !READ_FOLDERS.includes(folder)) continue;
      const { exitCode, stderr } = await cli(words());
      expect([0, 3, 4, 7, 8, 9], `${name}: ${stderr}`).toContain(exitCode);
      if (exitCode === 9) expect(stderr).toContain(`${folder} in ${rig.out} is a symbolic link`);
      expect(await contentOf(home), name).toEqual(before);
    }
  });
});

it(
  'carries no file of the house out through a link in place of an artifact or a part file',
  fault('F-62'),
  async () => {
    const archive = await rig.open();
    await archive.index.refresh();
    const { files } = archive.index.contents;
    const artifacts = await artifactsIn(archive);
    const secret = await readFile(join(home, 'diary'));
    for (const path of [...files.keys(), ...artifacts.keys()]) {
      await rm(join(rig.out, path));
      await symlink(join(home, 'diary'), join(rig.out, path));
    }
    for (const name of ['copy', 'evidence', 'report', 'workbook', 'search', 'query', 'show']) {
      const { exitCode, stdout } = await cli(commands[name]?.() ?? []);
      expect(exitCode, name).toBeGreaterThan(3);
      expect(stdout).not.toContain(secret.toString());
    }
    for (const made of ['copy', 'pack', 'page']) {
      const found = await contentOf(join(rig.directory, made)).catch(() => ({}));
      expect(Object.values(found)).not.toContain(sha256Hex(secret));
    }
  },
);

const erasure = asRunId('0'.repeat(26));
const NOTHING: ErasurePlan = {
  format: 1,
  commits: [],
  replaced: [],
  doomed: [],
  leases: [],
  unnamed: [],
};

async function begin(
  plan: Partial<Record<keyof ErasurePlan, unknown>>,
  commits: BegunErasure['commits'] = [],
): Promise<void> {
  const archive = await rig.open();
  await putFormat2(archive);
  await archive.log.append({
    ...draft({ kind: 'erase', base: 1, run: erasure }),
    erasure: () => Promise.resolve(begunReceipt({ id: erasure, commits })),
  });
  const text = JSON.stringify({ ...NOTHING, ...plan });
  await archive.storage.put(`_erasures/${erasure}/plan.json`, Buffer.from(text));
}

async function refused(told: string): Promise<void> {
  const before = await contentOf(rig.out);
  for (const name of ['compact', 'export']) {
    const { exitCode, stderr } = await cli(commands[name]?.() ?? []);
    expect([exitCode, stderr]).toEqual([4, expect.stringContaining(told)]);
  }
  expect(await contentOf(rig.out)).toEqual(before);
}

const part = partPath('jobs', '2026-11-05', erasure, 1, 'parquet');

it.each([
  ['states', ['jobvault.json']],
  ['states', [commitPath(1)]],
  ['states', ['_leases/rewrite.json']],
  ['replaced', ['_quarantine/diary']],
  ['replaced', [`artifacts/../${part}`]],
  ['doomed', ['tables/diary']],
  ['doomed', [`_quarantine/../${part}`]],
  ['doomed', ['_quarantine/x/y']],
  ['leases', ['_commits/x.json']],
  ['unnamed', ['artifacts/diary']],
  ['commits', [{ number: 1, jobs: 'jobvault.json', oldJobs: null, ...SAME_USERS }]],
  [
    'commits',
    [{ number: 1, jobs: null, oldJobs: manifestPath('jobs', 2, 'a'.repeat(64)), ...SAME_USERS }],
  ],
])(
  'with an unfinished erasure that somebody has made up refuses a plan whose %s are %j',
  fault('F-62'),
  async (key, value) => {
    await begin({ [key]: value });
    await refused(
      `_erasures/${erasure}/plan.json is damaged: it is not a valid plan of an erasure`,
    );
  },
);

// I-43 in FORMAT.md
it(
  'a made-up erasure is refused whose plan replaces or removes what its receipt does not name',
  fault('F-62'),
  async () => {
    const { jobs } = await (await rig.open()).log.read(1);
    const own = (await (await rig.open()).log.read(1)).files[0]?.path ?? '';
    await begin({ replaced: [own] });
    const told = `its receipt, commit 2, does not vouch for what it says of ${own}`;
    await refused(told);
    const path = join(rig.out, `_erasures/${erasure}/plan.json`);
    await writeFile(path, JSON.stringify({ ...NOTHING, doomed: [own] }));
    await refused(told);
    const plan = {
      ...NOTHING,
      commits: [{ number: 1, jobs: null, oldJobs: jobs?.path, ...SAME_USERS }],
    };
    await writeFile(path, JSON.stringify(plan));
    await refused('its receipt, commit 2, does not vouch for what it says of commit 1');
  },
);

// I-43 in FORMAT.md
it(
  'a made-up erasure publishes nothing with another digest than the receipt vouches for',
  fault('F-62'),
  async () => {
    const { jobs, users } = await (await rig.open()).log.read(1);
    const vouched = {
      number: 1,
      sha256: 'a'.repeat(64),
      jobs_sha256: jobs?.sha256 ?? null,
      users_sha256: users?.sha256 ?? null,
    };
    await begin({ commits: [{ number: 1, jobs: null, oldJobs: null, ...SAME_USERS }] }, [vouched]);
    await writeFile(join(rig.out, `_erasures/${erasure}/1.json`), '{"forged":true}');
    await refused('differs from the receipt');
    const list = manifestPath('jobs', 1, 'b'.repeat(64));
    const plan = { ...NOTHING, commits: [{ number: 1, jobs: list, oldJobs: null, ...SAME_USERS }] };
    await rm(join(rig.out, `_erasures/${erasure}`), { recursive: true });
    await rm(join(rig.out, commitPath(2)));
    await begin(plan, [{ ...vouched, jobs_sha256: 'b'.repeat(64) }]);
    await writeFile(join(rig.out, `_erasures/${erasure}/1.jobs.jsonl.gz`), 'forged');
    await refused('differs from the receipt');
  },
);

// I-44 in FORMAT.md
it('a made-up erasure keeps every file that a commit names, whatever the plan says', async () => {
  const archive = await rig.open();
  await archive.index.refresh();
  const artifacts = await artifactsIn(archive);
  const unnamed = [...archive.index.contents.files.keys()];
  await begin({ unnamed });
  expect((await cli(commands['compact']?.() ?? [])).exitCode).toBe(0);
  expect((await rig.verify()).problems).toEqual([]);
  expect((await rig.files('artifacts')).toSorted()).toEqual([...artifacts.keys()].toSorted());
});

// I-3 in FORMAT.md
it('is opened in a directory that is itself a link', async () => {
  const alias = join(rig.directory, 'alias');
  await symlink(rig.out, alias);
  expect((await cli(['verify', alias])).exitCode).toBe(0);
  expect(alias.startsWith(tmpdir())).toBe(true);
});
