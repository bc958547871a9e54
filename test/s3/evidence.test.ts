/** A pack for a third party in a bucket: as valid as on a disk, and nothing is left of one that failed. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStorage } from '../../src/storage/open-storage.js';
import { bagProblems } from '../support/tables/bag-validator.js';
import { cli } from '../support/programs/cli-in-process.js';
import { handOver } from '../support/rigs/evidence-rig.js';
import { ExportRig } from '../support/rigs/export-rig.js';
import { onS3 } from '../support/base/place.js';
import { hasS3 } from '../support/store/s3-server.js';

onS3();
describe.skipIf(!hasS3)('evidence --out s3://', () => {
  let rig: ExportRig;
  let packs: string;

  beforeAll(async () => {
    rig = await ExportRig.start({ users: 2, sessions: 1, jobs: 2 });
    await rig.export();
    packs = rig.out.replace(/\/?$/, '-packs');
  });
  afterAll(() => rig[Symbol.asyncDispose]());

  async function objects(place: string): Promise<string[]> {
    const storage = await openStorage(place);
    const paths: string[] = [];
    for await (const { path } of storage.list('')) paths.push(path);
    await storage.close();
    return paths;
  }

  it('is a valid bag once it is copied to a disk', async () => {
    const out = `${packs}/whole`;
    const { exitCode, stderr, summary } = await handOver(rig, '--out', out);
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(summary()).toMatchObject({ status: 'complete', users: 2, jobs: 4, out });
    const paths = await objects(out);
    expect(paths).toEqual(expect.arrayContaining(['bagit.txt', 'data/README.txt']));
    const copy = join(rig.directory, 'copied');
    const storage = await openStorage(out);
    for (const path of paths) {
      await mkdir(dirname(join(copy, path)), { recursive: true });
      await writeFile(join(copy, path), await storage.get(path));
    }
    await storage.close();
    expect(await bagProblems(copy)).toEqual([]);
    expect(await handOver(rig, '--out', out)).toMatchObject({ exitCode: 2 });
    expect(await objects(out)).toEqual(paths);
  });

  it('leaves nothing where it fails', async () => {
    const [path = ''] = await rig.files('artifacts');
    const sound = await rig.place.read(path);
    await rig.place.write(path, 'damaged');
    const end = await handOver(rig, '--out', `${packs}/damaged`);
    await rig.place.write(path, sound);
    expect(end.exitCode, end.stderr).toBe(4);
    expect(await objects(`${packs}/damaged`)).toEqual([]);
  });

  it('does not go into the archive', async () => {
    for (const out of [rig.out, `${rig.out}/pack`]) {
      const { exitCode, stderr } = await cli(['evidence', rig.out, '--out', out]);
      expect(exitCode).toBe(2);
      expect(stderr).toContain('is inside the archive');
    }
  });
});
