/** A pack and the log behind it: signatures, files that were rewritten, runs that go on meanwhile. */
import { listedIn } from '../../../src/archive/log/manifest.js';
import { createPublicKey, verify } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { archiveOf, filesOfTable, type Archive } from '../../../src/archive/archive.js';
import type { FileEntry } from '../../../src/archive/log/commit.js';
import { partitionOf, partPath } from '../../../src/archive/paths.js';
import { systemRandom, systemClock } from '../../../src/base/runtime.js';
import { ulid } from '../../../src/base/ulid.js';
import { writeEvidence } from '../../../src/evidence/write-evidence.js';
import { asRunId } from '../../../src/model/ids.js';
import { rawJobsTable } from '../../../src/model/tables.js';
import { bagProblems } from '../../support/tables/bag-validator.js';
import { eraseFromArchive } from '../../support/http/one-call.js';
import { handOver } from '../../support/rigs/evidence-rig.js';
import { ExportRig } from '../../support/rigs/export-rig.js';
import { sortedJson } from '../../support/base/sorted-json.js';
import { createMemoryStorage } from '../../support/store/memory-storage.js';
import { ed25519Pair, startingSigner } from '../../support/base/signing-keys.js';
import { allFormats } from '../../support/base/memory-bytes.js';

const DRAFT = { checkpoint: 1, tool: 'test', scope: {} };
const newRun = () => asRunId(ulid(systemClock, systemRandom));

let rig: ExportRig;
beforeEach(async () => {
  rig = await ExportRig.start({ users: 2, sessions: 2, jobs: 3 });
});
afterEach(() => rig[Symbol.asyncDispose]());

it('A signed commit in a pack can be checked with the public key, the way README.txt says', async () => {
  await rig.archived();
  const { privateKey, publicKey } = ed25519Pair();
  const plain = await rig.open();
  const users = await listedIn(plain, await plain.log.read(1));
  const dependencies = {
    clock: systemClock,
    random: systemRandom,
    signer: startingSigner(privateKey),
  };
  const signing = archiveOf(plain.storage, plain.identity, dependencies);
  await signing.log.append({ ...DRAFT, kind: 'export', base: 1, run: newRun(), users });
  const { pack } = await handOver(rig);
  const [first, second] = await pack.page('commits/chain');
  expect([first?.['signature'], first?.['signed_by']]).toEqual(['', '']);
  const { digest, signature, ...signed } = await pack.json(second?.['file'] ?? '');
  expect([digest, signature]).toEqual([second?.['digest'], second?.['signature']]);
  const text = (value: Record<string, unknown>) => Buffer.from(sortedJson(value));
  const bytes = Buffer.from(String(signature), 'base64');
  expect(verify(null, text(signed), createPublicKey(publicKey), bytes)).toBe(true);
  expect(verify(null, text({ ...signed, tool: 'x' }), createPublicKey(publicKey), bytes)).toBe(
    false,
  );
  expect(signed['previous']).toBe(first?.['digest']);
});

/** All part files of the records in one new one. */
async function rewrite(archive: Archive): Promise<void> {
  const [format] = allFormats;
  const old = await filesOfTable(archive, rawJobsTable.name);
  const run = newRun();
  const staged = await archive.storage.stage();
  const writer = format!.openWriter(rawJobsTable, staged);
  for (const { path, bytes } of old) {
    const source = {
      bytes,
      read: (range?: { start: number; end: number }) => archive.storage.read(path, range),
    };
    for await (const rows of format!.readRows(rawJobsTable, source)) await writer.write(rows);
  }
  const { rows } = await writer.finish();
  const digest = await staged.close();
  const { day = '' } = partitionOf(old[0]?.path ?? '') ?? {}; // rows stay in their day (I-52)
  const path = partPath(rawJobsTable.name, day, run, 1, format!.extension);
  await staged.publish(path);
  const entry: FileEntry = {
    path,
    table: rawJobsTable.name,
    rows,
    ...digest,
    schema: rawJobsTable.fingerprint,
  };
  const base = archive.index.through;
  const removed = old.map((file) => file.path);
  await archive.log.append({ ...DRAFT, kind: 'compact', base, run, files: [entry], removed });
  for (const gone of removed) await archive.storage.delete(gone);
}

it('rewritten files are read in their new place, the rewriting commit as an extract', async () => {
  for (const user of rig.state.userIds()) await rig.export({ users: [user] });
  const [user = '', other = ''] = rig.state.userIds();
  const before = await handOver(rig, '--user', user);
  await rewrite(await rig.open());
  const { exitCode, pack, summary } = await handOver(rig, '--user', user);
  expect([exitCode, await bagProblems(pack.directory)]).toEqual([0, []]);
  expect(summary().records).toBe(before.summary().records);
  expect(summary().commits).toEqual({ whole: 1, extracts: 1, others: 1 });
  const jobs = (await pack.page('items')).filter(({ item }) => item === 'job');
  expect(new Set(jobs.map(({ commit }) => commit))).toEqual(new Set(['3']));
  expect(await pack.json('data/commits/000000000003.extract.json')).toMatchObject({
    number: 3,
    sessions: [],
    users: [],
    files: [{ table: 'raw_jobs' }],
  });
  expect(await pack.filesWith(other)).toEqual([]);
});

it('The chain says which commits an erasure has redacted, and which commit vouches for them', async () => {
  await rig.archived();
  const [user = '', other = ''] = rig.state.userIds();
  await eraseFromArchive({ archive: rig.out, users: [user], reason: 'Ann Doe asked', by: 'Dana' });
  const { pack } = await handOver(rig, '--user', other);
  const chain = await pack.page('commits/chain');
  expect(chain.slice(0, 2).map((row) => [row['number'], row['redacted_by']])).toEqual([
    ['1', '2'],
    ['2', ''],
  ]);
  expect(await pack.json(chain[0]?.['file'] ?? '')).toMatchObject({ number: 1, redacted_by: 2 });
  expect(chain[1]).toMatchObject({ in_pack: 'extract' });
  const { erasure } = await (await rig.open()).log.read(2);
  const receipt = await pack.json(chain[1]?.['file'] ?? '');
  expect(receipt).toMatchObject({ number: 2, left_out: { receipt_words: 2 } });
  expect(receipt['erasure']).toEqual({ ...erasure, reason: null, by: undefined });
  expect(erasure).toMatchObject({ reason: 'Ann Doe asked', commits: [{ number: 1 }] });
  expect(await pack.filesWith('Ann Doe')).toEqual([]);
  expect((await pack.text('data/README.txt')).replaceAll(/\s+/g, ' ')).toContain(
    `Where "redacted_by" has a number, an erasure took something out of that commit after it was written: digest and signature are those of the whole one, and the receipt in the extract of that number ("erasure") vouches for what is left: it has the SHA-256 of the commit as it is now, and how much was erased. What is not of this pack's request is left out of it: who erased, why, and for which request.`,
  );
});

it('A run that commits while a pack is made changes nothing about the pack', async () => {
  await rig.archived();
  const [user = ''] = rig.state.userIds();
  const expected = (await handOver(rig)).summary();
  rig.state.addJob(user, rig.state.addSession(user, { name: 'new' }));
  const memory = createMemoryStorage();
  let isBegun = false;
  const target = {
    ...memory,
    // the first thing that is staged comes after the look at the log
    stage: async () => {
      if (!isBegun) {
        isBegun = true;
        expect((await rig.export()).commits).toEqual([2]);
      }
      return memory.stage();
    },
  };
  const summary = await writeEvidence({ archive: await rig.open(), target });
  expect(isBegun).toBe(true);
  expect(summary).toMatchObject({ head: expected.head, records: expected.records });
  expect(summary.sessions).toBe(expected.sessions);
  expect((await rig.open().then((archive) => archive.log.head()))?.number).toBe(2);
});
