import { expect, it } from 'vitest';
import { archiveOf, type Archive } from '../../../src/archive/archive.js';
import { ed25519Verifier } from '../../../src/archive/log/commit-verifier.js';
import { encodeIdentity, type ArchiveIdentity } from '../../../src/archive/identity.js';
import { openArchiveIn } from '../../../src/archive/open-archive.js';
import { commitPath, planPath } from '../../../src/archive/paths.js';
import { verifyArchive } from '../../../src/archive/verify/verify.js';
import { systemClock } from '../../../src/base/runtime.js';
import {
  begunReceipt,
  draft,
  makeArchive,
  runOf,
  seededRandom,
} from '../../support/store/archive-samples.js';
import { createMemoryStorage } from '../../support/store/memory-storage.js';
import { ed25519Pair, startingSigner } from '../../support/base/signing-keys.js';
import { fault } from '../../support/base/fault.js';

const { privateKey, publicKey } = ed25519Pair();
const signer = startingSigner(privateKey);

/** Two signed commits. */
async function signedArchive(seed: number) {
  const storage = createMemoryStorage();
  const { identity } = await makeArchive(storage, seed);
  const dependencies = { clock: systemClock, random: seededRandom(seed), signer };
  const archive = archiveOf(storage, identity, dependencies);
  for (const base of [0, 1]) await archive.log.append(draft({ base }));
  return { storage, identity, archive };
}

async function problemsOf(storage: Archive['storage']): Promise<string[]> {
  const publicKeys = [ed25519Verifier(publicKey)];
  const { problems } = await verifyArchive(await openArchiveIn(storage), { publicKeys });
  return problems.map(({ path, problem, detail }) => `${problem}: ${path} ${detail}`);
}

it('the identity stands in every commit, but for the format, which an erasure changes', async () => {
  const { archive, identity } = await signedArchive(1);
  const { format, ...stands } = identity;
  expect(format).toBe(1);
  for (const number of [1, 2]) {
    expect((await archive.log.read(number)).archive).toEqual(stands);
  }
});

it(
  'the identity of an archive is noticed by verify when it was changed under a signed log',
  fault('F-63'),
  async () => {
    const { storage, identity } = await signedArchive(1);
    expect(await problemsOf(storage)).toEqual([]);
    const { service } = identity;
    const forged: [Partial<ArchiveIdentity>, string][] = [
      [
        { service: { ...service, base_url: 'https://evil.example' } },
        'service "https://evil.example" instead of "https://api.example.com"',
      ],
      [{ service: { ...service, project: 'p' } }, 'project "p" instead of null'],
      [{ formats: ['xlsx'] }, 'formats "xlsx" instead of "parquet"'],
      [{ made_by: 'jobvault 9.9.9' }, 'made_by "jobvault 9.9.9" instead of "jobvault 0.1.0"'],
      [
        { created_at: '2020-01-01T00:00:00.000Z' },
        `created_at "2020-01-01T00:00:00.000Z" instead of "${identity.created_at}"`,
      ],
      [{ pseudonymised: { texts: 'kept', times: 'days' } }, 'pseudonymised "kept" instead of null'],
      [{ id: '0'.repeat(26) }, `id "${'0'.repeat(26)}" instead of "${identity.id}"`],
    ];
    for (const [change, told] of forged) {
      await storage.put('jobvault.json', encodeIdentity({ ...identity, ...change }));
      expect(await problemsOf(storage)).toEqual([
        `identity: jobvault.json is not the identity of this log: ${told}`,
      ]);
    }
  },
);

it(
  'verify notices the log of another archive, even signed with the same key',
  fault('F-63'),
  async () => {
    const own = await signedArchive(1);
    const other = await signedArchive(2);
    for (const number of [1, 2]) {
      await own.storage.put(commitPath(number), await other.storage.get(commitPath(number)));
    }
    expect(await problemsOf(own.storage)).toEqual([
      expect.stringMatching(/^identity: jobvault.json is not the identity of this log: id /),
    ]);
  },
);

// I-8 in FORMAT.md
it('no run reads on or appends where the log is that of another archive', async () => {
  const { storage, identity } = await signedArchive(1);
  const forged = { ...identity, service: { ...identity.service, project: 'p' } };
  const archive = archiveOf(storage, forged, {
    clock: systemClock,
    random: seededRandom(3),
    signer,
  });
  const told = `${commitPath(2)} belongs to another archive than jobvault.json`;
  await expect(archive.log.append(draft({ base: 2 }))).rejects.toThrow(told);
  await expect(archive.index.refresh()).rejects.toThrow(told);
});

// I-6 in FORMAT.md
it("the identity has the log's format: 2 is a note before an erasure, and 1 is damage after it", async () => {
  const { storage, identity, archive } = await signedArchive(1);
  await storage.put('jobvault.json', encodeIdentity({ ...identity, format: 2 }));
  const { problems, notes } = await verifyArchive(archive);
  expect(problems).toEqual([]);
  expect(notes).toEqual([
    {
      path: 'jobvault.json',
      detail:
        'has format 2, and the log has no erasure: one was prepared and not begun, or somebody has changed the format',
    },
  ]);

  const receipt = {
    kind: 'erase' as const,
    base: 2,
    erasure: () => Promise.resolve(begunReceipt()),
  };
  await storage.put(planPath(runOf('E')), Buffer.from('{}'));
  await archive.log.append(draft(receipt));
  expect(await problemsOf(storage)).toEqual([]);
  const after = await verifyArchive(archive);
  expect(after.notes).toEqual([]);
  await storage.put('jobvault.json', encodeIdentity(identity));
  expect(await problemsOf(storage)).toEqual([
    'identity: jobvault.json has format 1 instead of 2: commit 3 is about an erasure',
  ]);
});

// I-8 in FORMAT.md
it(
  'the identity of an archive is noticed where one commit in the middle has another',
  fault('F-63'),
  async () => {
    const { storage, identity, archive } = await signedArchive(1);
    const mixed = archiveOf(
      createMemoryStorage(),
      { ...identity, formats: ['jsonl'] },
      {
        clock: systemClock,
        random: seededRandom(4),
        signer,
      },
    );
    for (const base of [0, 1, 2]) await mixed.log.append(draft({ base }));
    await archive.storage.put(commitPath(3), await mixed.storage.get(commitPath(3)));
    expect(await problemsOf(storage)).toContainEqual(
      `identity: ${commitPath(3)} belongs to another archive than commit 1: formats "jsonl" instead of "parquet"`,
    );
  },
);

it('what a copy lacks is noticed by verify when it was changed under its log', async () => {
  const { storage, identity } = await signedArchive(1);
  const lack = { kind: 'withheld', severity: 'missing' as const, headline: 'one', open: false };
  const copyWith = (count: number): ArchiveIdentity => ({
    ...identity,
    pseudonymised: { texts: 'kept', times: 'days', lacks: [{ ...lack, count }] },
  });
  const copy = createMemoryStorage();
  await copy.put('jobvault.json', encodeIdentity(copyWith(1)));
  const dependencies = { clock: systemClock, random: seededRandom(2), signer };
  await archiveOf(copy, copyWith(1), dependencies).log.append(draft({ base: 0 }));
  expect(await problemsOf(copy)).toEqual([]);
  await copy.put('jobvault.json', encodeIdentity(copyWith(2)));
  expect((await problemsOf(copy))[0]).toContain(' lacks "[{');
  expect(await problemsOf(storage)).toEqual([]);
});
