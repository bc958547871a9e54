/** A person's workbook from and to a bucket. */
import { join } from 'node:path';
import { readXlsx } from 'hucre/xlsx';
import { describe, expect, it } from 'vitest';
import { openArchive } from '../../src/index.js';
import { openStorage } from '../../src/storage/open-storage.js';
import { cliJson } from '../support/programs/cli-in-process.js';
import { ExportRig } from '../support/rigs/export-rig.js';
import { onS3 } from '../support/base/place.js';
import { hasS3 } from '../support/store/s3-server.js';

onS3();
describe.skipIf(!hasS3)('the workbook of an archive in a bucket', () => {
  it('is made on disk or in the bucket, and names files by their paths', async () => {
    await using rig = await ExportRig.start({ users: 1, sessions: 2, jobs: 2 });
    await rig.export();
    const [user = ''] = rig.state.userIds();
    const archive = await openArchive(rig.out);
    const onDisk = await archive.workbook(join(rig.directory, 'one.xlsx'), { users: [user] });
    const place = rig.out.replace(/\/?$/, '-workbooks');
    const inBucket = await archive.workbook(`${place}/one.xlsx`, { users: [user] });
    await archive.close();
    expect(inBucket).toMatchObject({ status: 'complete', user, sessions: 2 });
    expect(inBucket.jobs).toBe(onDisk.jobs);
    const words = ['workbook', rig.out, '--user', user, '--out', `${place}/one.xlsx`];
    expect(await cliJson(words)).toMatchObject({ status: 'complete', user, sessions: 2 });
    const storage = await openStorage(place);
    const { sheets } = await readXlsx(await storage.get('one.xlsx'));
    const paths: string[] = [];
    for await (const { path } of storage.list('')) paths.push(path);
    await storage.close();
    expect(paths).toEqual(['one.xlsx']);
    const conversations = sheets.find(({ name }) => name === 'Conversations');
    const cells = [...(conversations?.cells?.values() ?? [])];
    const targets = cells.flatMap(({ hyperlink }) => hyperlink?.target ?? []);
    // those to tables of answers stay in the workbook
    expect(targets.filter((target) => !target.startsWith('#'))).toEqual([]);
    const named = (conversations?.rows ?? []).flatMap((row) => String(row[4] ?? ''));
    const artifacts = await rig.files('artifacts');
    expect(
      named.filter((text) => artifacts.some((path) => text.endsWith(path))).length,
    ).toBeGreaterThan(1);
  });
});
