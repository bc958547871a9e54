import { expect, it } from 'vitest';
import { canonicalJson, type Json } from '../../../../src/base/text/canonical-json.js';
import { sha256Hex } from '../../../../src/base/digest.js';
import {
  decodeCommit,
  encodeCommit,
  sealCommit,
} from '../../../../src/archive/log/commit-reader.js';
import { assertFollows } from '../../../../src/archive/log/commit-chain.js';
import type { Commit, Unsealed } from '../../../../src/archive/log/commit.js';
import { IntegrityError } from '../../../../src/archive/archive-errors.js';
import { manifestPath, partPath } from '../../../../src/archive/paths.js';
import { NO_JOB, runOf, seededRandom, session } from '../../../support/store/archive-samples.js';
import { fault } from '../../../support/base/fault.js';

const full: Unsealed = {
  archive: {
    id: '01K00000000000000000000000',
    made_by: 'jobvault 0.1.0',
    created_at: '2026-11-05T12:00:00.000Z',
    service: { base_url: 'https://api.example.com', project: null },
    formats: ['parquet'],
  },
  number: 7,
  kind: 'export',
  run: runOf('R'),
  checkpoint: 2,
  nonce: '0123456789abcdef'.repeat(2),
  base: 5,
  previous: 'a'.repeat(64),
  created_at: '2026-11-05T12:00:00.000Z',
  tool: 'jobvault 0.1.0',
  scope: { users: ['ä', '\u2028', '\ud800'], nested: { b: 1, a: [null, true, 1.5e300] } },
  files: [
    {
      path: partPath('jobs', '2026-11-05', runOf('R'), 1, 'parquet'),
      table: 'jobs',
      rows: 3,
      bytes: 9,
      sha256: 'b'.repeat(64),
      schema: 'f',
    },
  ],
  removed: [],
  artifacts: { count: 1, bytes: 0 },
  sessions: [
    session('u', 's', {
      growth: 'front',
      gaps: [{ ...NO_JOB, status: 'failed', reason: 'no answer' }],
    }),
  ],
  jobs: {
    path: manifestPath('jobs', 7, 'e'.repeat(64)),
    rows: 1,
    bytes: 2,
    sha256: 'e'.repeat(64),
  },
  deletions: [],
  abandoned: [],
  users: {
    path: manifestPath('users', 7, 'f'.repeat(64)),
    rows: 1,
    bytes: 2,
    sha256: 'f'.repeat(64),
    complete: 1,
  },
};

function thrownBy(act: () => unknown): IntegrityError {
  try {
    act();
  } catch (error) {
    if (error instanceof IntegrityError) return error;
    throw error;
  }
  throw new Error('nothing is wrong');
}

const problemOf = (number: number, bytes: Uint8Array) =>
  thrownBy(() => decodeCommit(number, bytes));

it('a commit as bytes comes back as it was, in the documented order of keys, the digest last', () => {
  const { commit, bytes } = sealCommit(full);
  expect(decodeCommit(7, bytes)).toEqual(commit);
  const text = Buffer.from(bytes).toString();
  expect(Object.keys(JSON.parse(text) as object)).toEqual([
    ...Object.keys(full),
    'signed_by',
    'signature',
    'digest',
  ]);
  const unsigned = { signed_by: null, signature: null, digest: commit.digest };
  expect(text).toBe(`${JSON.stringify({ ...full, ...unsigned }, null, 1)}\n`);
});

// I-12 in FORMAT.md
it('a commit as bytes has a digest that can be computed from its content alone', () => {
  const { bytes } = sealCommit(full);
  const { digest, ...rest } = JSON.parse(Buffer.from(bytes).toString()) as Record<string, Json>;
  expect(digest).toBe(sha256Hex(canonicalJson(rest)));
});

it('a commit as bytes is encoded the same whatever the order of its keys was', () => {
  const shuffled = Object.fromEntries(Object.entries(full).reverse()) as unknown as Unsealed;
  const place = { file_index: null, block_index: null, role: null };
  const gap = { reason: 'r', status: 's', kind: null, ...place, job: null };
  const one = sealCommit({ ...full, sessions: [session('u', 's', { gaps: [gap] })] });
  expect(Buffer.from(sealCommit(shuffled).bytes).equals(sealCommit(full).bytes)).toBe(true);
  expect(Buffer.from(one.bytes).toString()).toContain(
    '"job": null,\n     "role": null,\n     "block_index": null',
  );
});

it('a commit as bytes is refused when any single bit of it is flipped', () => {
  const { bytes } = sealCommit(full);
  const accepted: number[] = [];
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const damaged = Uint8Array.from(bytes);
    damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    try {
      decodeCommit(7, damaged);
      accepted.push(bit);
    } catch (error) {
      if (!(error instanceof IntegrityError)) throw error;
    }
  }
  expect(accepted).toEqual([]);
});

// I-11 in FORMAT.md
it('a commit as bytes is refused when it is cut short, longer, or reformatted', () => {
  const { bytes } = sealCommit(full);
  const text = Buffer.from(bytes).toString();
  const value: unknown = JSON.parse(text);
  for (const other of [
    '',
    text.slice(0, -1),
    `${text}\n`,
    `\ufeff${text}`,
    JSON.stringify(value),
    `${JSON.stringify(value, null, 2)}\n`,
    text.replace('"rows": 3', '"rows": 3.0'),
  ]) {
    expect(() => decodeCommit(7, Buffer.from(other))).toThrow(
      /^_commits\/000000000007\.json is damaged/,
    );
  }
});

// I-11 in FORMAT.md
it('a commit as bytes is refused with an unknown key, even where the digest fits', () => {
  const body = { ...full, extra: 1, signed_by: null, signature: null };
  const digest = sha256Hex(canonicalJson(body));
  const bytes = Buffer.from(`${JSON.stringify({ ...body, digest }, null, 1)}\n`);
  expect(() => decodeCommit(7, bytes)).toThrow('it is not a valid commit');
});

it('a commit as bytes is refused under another number', () => {
  const { bytes } = sealCommit(full);
  expect(() => decodeCommit(8, bytes)).toThrow('_commits/000000000008.json contains commit 7');
});

// I-19 in FORMAT.md
it(
  'a commit cannot name a path outside the archive, nor one that jobvault would not write',
  fault('F-22'),
  () => {
    const strange = ['../x', '/etc/passwd', 'a//b', '', 'jobvault.json', 'tables/jobs/x.parquet'];
    const [file] = full.files;
    for (const path of [...strange, full.jobs?.path ?? '', '_quarantine/x', 'tables/../x']) {
      for (const named of [{ removed: [path] }, { files: [{ ...file!, path }] }]) {
        expect(() => sealCommit({ ...full, ...named })).toThrow(
          'not a path that a commit may name',
        );
      }
    }
    const manifests = [
      manifestPath('jobs', 8, 'e'.repeat(64)),
      manifestPath('users', 7, 'e'.repeat(64)),
      manifestPath('jobs', 7, 'f'.repeat(64)),
    ];
    for (const path of [...strange, ...manifests]) {
      for (const named of [
        { jobs: { ...full.jobs!, path } },
        { users: { ...full.users!, path } },
      ]) {
        const { bytes } = sealCommit({ ...full, ...named });
        expect(() => decodeCommit(7, bytes)).toThrow('it is not a valid commit');
      }
    }
  },
);

it('a commit as bytes is not encoded if it could not be read back', () => {
  expect(() => sealCommit({ ...full, number: 0 })).toThrow();
  expect(() => sealCommit({ ...full, run: 'no ulid' as never })).toThrow();
  expect(() => sealCommit({ ...full, created_at: 'today' })).toThrow();
  expect(() =>
    sealCommit({ ...full, files: full.files.map((file) => ({ ...file, rows: 0.5 })) }),
  ).toThrow();
});

it('a commit as bytes holds what goes with its kind, and nothing else', () => {
  const parts = {
    files: full.files,
    removed: [partPath('jobs', '2026-11-05', runOf('Q'), 1, 'parquet')],
    artifacts: full.artifacts,
    sessions: full.sessions,
    jobs: full.jobs,
    deletions: [
      {
        user: session('u', 's').user,
        session: session('u', 's').session,
        deleted_at: '2026-11-05T12:00:00.000Z',
        commit: 1,
        job_count: 1,
        outcome: 'confirmed',
      },
    ],
    abandoned: [runOf('B')],
    users: full.users,
    erasure: { stage: 'finished' as const, id: '01K00000000000000000000000', begun: 3 },
  };
  const held = {
    export: ['files', 'artifacts', 'sessions', 'jobs', 'users'],
    prune: ['files', 'deletions'],
    compact: ['files', 'removed'],
    erase: ['files', 'removed', 'sessions', 'erasure'],
    abandon: ['abandoned'],
  } as const;
  const none = { ...full, files: [], sessions: [], jobs: null, users: null };
  delete (none as { artifacts?: object }).artifacts;
  for (const [kind, names] of Object.entries(held)) {
    const of = { ...none, ...(kind === 'erase' && { erasure: parts.erasure }) };
    for (const [name, part] of Object.entries(parts)) {
      const commit = { ...of, kind, [name]: part } as Unsealed;
      if ((names as readonly string[]).includes(name)) {
        const { bytes } = sealCommit(commit);
        expect(decodeCommit(7, bytes)).toMatchObject({ kind, [name]: part });
      } else {
        expect(() => sealCommit(commit)).toThrow(`of kind ${kind} may not hold ${name}`);
        const body = { ...commit, signed_by: null, signature: null } as unknown as Json;
        const digest = sha256Hex(canonicalJson(body));
        const bytes = Buffer.from(`${JSON.stringify({ ...(body as object), digest }, null, 1)}\n`);
        expect(() => decodeCommit(7, bytes)).toThrow('it is not a valid commit');
      }
    }
  }
  expect(() => sealCommit({ ...none, kind: 'erase' })).toThrow('it has no erasure');
  const closed = {
    action: 'close',
    id: '01K00000000000000000000000',
    by: 'b',
    reason: 'r',
  } as const;
  const ended = (kind: 'request' | 'work') => sealCommit({ ...none, kind, requests: [closed] });
  expect(ended('request').bytes.length).toBeGreaterThan(0);
  expect(() => ended('work')).toThrow('entries of requests are not those of its kind, work');
});

it('a commit says what is wrong with it: unreadable, its digest, or its place in the log', () => {
  const { commit, bytes } = sealCommit(full);
  const other = `${JSON.stringify({ ...commit, nonce: 'f'.repeat(32) }, null, 1)}\n`;
  expect(problemOf(7, Buffer.from('{}'))).toMatchObject({ problem: 'unreadable' });
  expect(problemOf(7, Buffer.from('{}')).cause).toBeDefined();
  expect(problemOf(7, Buffer.concat([bytes, Buffer.from(' ')]))).toMatchObject({
    problem: 'unreadable',
    detail: 'is damaged: its bytes are not as they were written',
  });
  expect(problemOf(7, Buffer.from(other))).toMatchObject({
    problem: 'digest',
    detail: 'is damaged: its digest does not match its content',
  });
  expect(problemOf(8, bytes)).toMatchObject({ problem: 'chain' });
});

it('a commit as bytes keeps its digest where an erasure has redacted it', () => {
  const { commit } = sealCommit(full);
  const redacted = { ...commit, sessions: [], redacted_by: 9 };
  expect(decodeCommit(7, encodeCommit(redacted))).toEqual(redacted);
});

it('a commit as bytes follows the commit whose digest it names, and the first follows none', () => {
  const previous = 'a'.repeat(64);
  const { commit } = sealCommit({ ...full, previous });
  const first = sealCommit({
    ...full,
    number: 1,
    previous: null,
    jobs: null,
    users: null,
  }).commit;
  const follow = (one: Commit, before?: { digest: string }) => () => assertFollows(one, before);
  expect(follow(commit, { digest: previous })).not.toThrow();
  expect(follow(commit)).not.toThrow();
  expect(follow(first)).not.toThrow();
  expect(follow({ ...first, previous })).toThrow('commit 0');
  expect(follow(commit, { digest: 'b'.repeat(64) })).toThrow(
    '_commits/000000000007.json does not follow commit 6: one of the two was rewritten',
  );
  expect(thrownBy(follow(commit, { digest: 'b'.repeat(64) }))).toMatchObject({
    problem: 'chain',
  });
});

it('a commit as bytes has another digest for every other nonce', () => {
  const random = seededRandom(3);
  const digests = Array.from({ length: 50 }, () => {
    const nonce = Buffer.from(random.bytes(16)).toString('hex');
    return sealCommit({ ...full, nonce }).commit.digest;
  });
  expect(new Set(digests).size).toBe(50);
});
