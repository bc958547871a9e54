/** Which unfinished uploads of a bucket are swept, and what this machine notes of its own. */
import { type FileHandle, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Processes } from '../../../../src/base/process-identity.js';
import { SpoolDirectory } from '../../../../src/storage/s3/s3-body.js';
import {
  abortUnanswered,
  abortUpload,
  sweepUploads,
  unfinishedUploads,
  UploadJournal,
} from '../../../../src/storage/s3/s3-uploads.js';
import { StorageError } from '../../../../src/storage/storage-errors.js';
import { type Answer, S3InMemory } from '../../../support/store/s3-in-memory.js';
import { fault } from '../../../support/base/fault.js';

const DAY_MS = 24 * 3_600_000;
const DENIED: Answer = { status: 403, body: '<Error><Code>AccessDenied</Code></Error>' };

let store: S3InMemory;
let temporary: string;
beforeEach(async () => {
  store = new S3InMemory();
  temporary = await mkdtemp(join(tmpdir(), 'jobvault-uploads-'));
});
afterEach(() => rm(temporary, { recursive: true }));

const dead = new Set<number>();
function journal(pid = 1, place = 'here'): UploadJournal {
  const processes: Processes = {
    self: { host: 'h', boot: 'b', pid, started: '1' },
    isDead: (other) => dead.has(other.pid),
  };
  return new UploadJournal(new SpoolDirectory(processes, temporary), processes, place);
}
const notes = async () =>
  (await readdir(temporary, { recursive: true })).filter((name) => name.endsWith('.upload'));
const left = () => store.uploads.map(({ key }) => key);
const count = (operation: string) => store.seen.filter((one) => one === operation).length;

describe('what a killed process of this machine has left', () => {
  beforeEach(() => {
    dead.clear();
    dead.add(7);
  });

  it('what a killed process of this machine has left is given up at once, and noted no more', async () => {
    const upload = store.begin('a/tables/x');
    await journal(7).note('tables/x', upload.id);
    expect(await notes()).toHaveLength(1);
    expect(await sweepUploads(store.bucket(), journal())).toBe(1);
    expect([left(), await notes()]).toEqual([[], []]);
    expect(await sweepUploads(store.bucket(), journal())).toBe(0);
  });

  it('what a killed process of this machine has left stays noted until the store has given it up', async () => {
    const upload = store.begin('a/tables/x');
    await journal(7).note('tables/x', upload.id);
    store.onRequest = (asked) => (asked === 'AbortMultipartUpload' ? DENIED : undefined);
    await expect(sweepUploads(store.bucket(), journal())).rejects.toThrow(
      'cannot delete an unfinished upload of tables/x in s3://bucket/a: permission is denied',
    );
    expect(await notes()).toHaveLength(1);
  });

  it('what a killed process of this machine has left is left alone where it goes to another place, its process lives, or its note is none', async () => {
    const upload = store.begin('a/tables/x');
    const note = await journal(7, 'elsewhere').note('tables/x', upload.id);
    await journal(8).note('tables/x', upload.id);
    const [file = ''] = (await notes()).filter((name) => name.endsWith(note.file ?? '?'));
    const whole = { place: 'here', path: 'tables/x', id: upload.id };
    const odd = [
      '',
      '{"place":',
      'null',
      '7',
      ...Object.keys(whole).map((key) => JSON.stringify({ ...whole, [key]: 1 })),
    ];
    for (const text of ['{"place":"elsewhere"}', ...odd]) {
      await writeFile(join(temporary, file), text);
      expect(await sweepUploads(store.bucket(), journal())).toBe(0);
    }
    expect([left(), await notes()]).toMatchObject([['a/tables/x'], { length: 2 }]);
    // as it was written
    await writeFile(join(temporary, file), JSON.stringify(whole));
    expect(await sweepUploads(store.bucket(), journal())).toBe(1);
    expect([left(), await notes()]).toMatchObject([[], { length: 1 }]);
  });

  it('an upload is noted with its place, path and id, and the note is taken away', async () => {
    const kept = journal();
    const note = await kept.note('tables/x', 'u');
    const [file = ''] = await notes();
    const text = await readFile(join(temporary, file), 'utf8');
    expect(JSON.parse(text)).toEqual({ place: 'here', path: 'tables/x', id: 'u' });
    expect(file.endsWith(`/${note.file}`)).toBe(true);
    await kept.strike(note);
    expect(await notes()).toEqual([]);
  });

  it.each(['writes', 'fails'])('the file of a note is closed where the system %s', async (what) => {
    const self = { host: 'h', boot: 'b', pid: 1, started: '1' };
    const processes = { self, isDead: () => false };
    const spool = new SpoolDirectory(processes, temporary);
    const handles: FileHandle[] = [];
    const create: typeof spool.create = async (suffix) => {
      const made = await new SpoolDirectory(processes, temporary).create(suffix);
      if (what === 'fails') {
        made.handle.writeFile = () =>
          Promise.reject(Object.assign(new Error(), { code: 'ENOSPC' }));
      }
      handles.push(made.handle);
      return made;
    };
    const watched = Object.assign(Object.create(spool) as SpoolDirectory, { create });
    const { file } = await new UploadJournal(watched, processes, 'here').note('tables/x', 'u');
    expect([file === undefined, handles[0]?.fd]).toEqual([what === 'fails', -1]);
  });

  it('an upload is not noted where this machine has no room, and that stops nothing', async () => {
    await writeFile(join(temporary, 'file'), '');
    const self = { host: 'h', boot: 'b', pid: 1, started: '1' };
    const processes = { self, isDead: () => false };
    const nowhere = new SpoolDirectory(processes, join(temporary, 'file'));
    const without = new UploadJournal(nowhere, processes, 'here');
    const note = await without.note('tables/x', 'u');
    expect(note).toEqual({ file: undefined });
    await without.strike(note);
    const broken = Object.assign(Object.create(nowhere) as SpoolDirectory, {
      create: () => Promise.reject(new Error('a mistake')),
    });
    const strange = new UploadJournal(broken, processes, 'here').note('tables/x', 'u');
    await expect(strange).rejects.toThrow('a mistake');
  });
});

describe('an upload of which nothing is noted', () => {
  const old = () => store.nowMs - DAY_MS - 1000;

  it(
    'an upload of which nothing is noted is left alone in a place where other programs write, too, however old it is',
    fault('F-148'),
    async () => {
      store.begin('a/data/of-another-program', old());
      const noted = store.begin('a/ana.xlsx');
      dead.add(7);
      await journal(7).note('ana.xlsx', noted.id);
      const bucket = store.bucket();
      // the store has told what time it is
      await abortUpload(bucket, 'tables/none', 'none');
      expect(await sweepUploads(bucket, journal(), { isShared: true })).toBe(1);
      expect(left()).toEqual(['a/data/of-another-program']);
    },
  );

  it.each(['tables/x', 'workbooks/x', 'artifacts/x', 'data/x', '_commits/x'])(
    'an upload of which nothing is noted is given up after a day where it is to be %s',
    async (path) => {
      store.begin(`a/${path}`, old());
      const bucket = store.bucket();
      // the store has told what time it is
      await abortUpload(bucket, 'tables/none', 'none');
      expect(await sweepUploads(bucket, journal())).toBe(1);
      expect(left()).toEqual([]);
    },
  );

  it.each(['x', 'tables', 'my/tables/x', '_/x', '_a1/x', 'mytables/x'])(
    'an upload of which nothing is noted is of another program where it is to be %s',
    async (path) => {
      store.begin(`a/${path}`, old());
      expect(await sweepUploads(store.bucket(), journal())).toBe(0);
      expect(left()).toEqual([`a/${path}`]);
    },
  );

  it('an upload of which nothing is noted stays where the store does not say when it was begun', async () => {
    store.begin('a/tables/x', old());
    store.onAnswer = (_, answer) => ({
      ...answer,
      body: String(answer.body).replace(/<Initiated>.*<\/Initiated>/, ''),
    });
    expect(await sweepUploads(store.bucket(), journal())).toBe(0);
    expect(left()).toEqual(['a/tables/x']);
  });
});

describe('a list of uploads', () => {
  const page = (key: string, more: string): Answer => ({
    status: 200,
    body: `<Result><Bucket>bucket</Bucket><Upload><Key>${key}</Key><UploadId>u</UploadId><Initiated>2026-11-05T12:00:00.000Z</Initiated></Upload>${more}</Result>`,
  });

  it('a list of uploads goes on where the page before has said', async () => {
    const pages = [
      page(
        'a/tables/x',
        '<IsTruncated>true</IsTruncated><NextKeyMarker>k</NextKeyMarker><NextUploadIdMarker>m</NextUploadIdMarker>',
      ),
      page('a/tables/y', '<IsTruncated>false</IsTruncated>'),
    ];
    store.onRequest = () => pages[count('ListMultipartUploads') - 1];
    const found = [];
    for await (const upload of unfinishedUploads(store.bucket(), 'tables/')) found.push(upload);
    const begunAtMs = Date.UTC(2026, 10, 5, 12);
    expect(found).toEqual([
      { path: 'tables/x', id: 'u', begunAtMs },
      { path: 'tables/y', id: 'u', begunAtMs },
    ]);
    expect(
      store.requests.map(({ query }) => [
        query['prefix'],
        query['key-marker'],
        query['upload-id-marker'],
      ]),
    ).toEqual([
      ['a/tables/', undefined, undefined],
      ['a/tables/', 'k', 'm'],
    ]);
  });

  it('a list of uploads that is refused is told as that', async () => {
    store.onRequest = () => DENIED;
    const why = 'cannot list the unfinished uploads in s3://bucket/a: permission is denied';
    await expect(sweepUploads(store.bucket(), journal())).rejects.toThrow(why);
    await expect(sweepUploads(store.bucket(), journal())).rejects.toThrow(StorageError);
  });
});

describe('uploads of answers that were lost', () => {
  const own = () => {
    const upload = store.begin('a/tables/x');
    upload.parts.set(1, Buffer.from('x'));
    return { path: 'tables/x', id: upload.id, createdInMs: 500 };
  };

  it('uploads of answers that were lost are given up where they were begun while it was asked for, to the second', async () => {
    const given = own();
    store.begin('a/tables/x', store.nowMs - 1500);
    const earlier = store.begin('a/tables/x', store.nowMs - 1501);
    await abortUnanswered(store.bucket(), given, 2);
    expect(store.uploads.map(({ id }) => id)).toEqual([given.id, earlier.id]);
    // it has a part, and is not asked for more
    expect(count('ListParts')).toBe(1);
  });

  it('uploads of answers that were lost are not looked for where the upload itself is not there any more', async () => {
    const given = own();
    store.uploads.pop();
    const other = store.begin('a/tables/x');
    await abortUnanswered(store.bucket(), given, 1);
    store.onAnswer = (_, answer) => ({
      ...answer,
      body: String(answer.body).replace(/<Initiated>.*<\/Initiated>/, ''),
    });
    await abortUnanswered(store.bucket(), given, 1);
    expect(store.uploads).toEqual([other]);
  });

  it('uploads of answers that were lost are no more where they have gone meanwhile', async () => {
    const given = own();
    store.begin('a/tables/x');
    store.onRequest = (asked) =>
      asked === 'ListParts'
        ? { status: 404, body: '<Error><Code>NoSuchUpload</Code></Error>' }
        : undefined;
    await abortUnanswered(store.bucket(), given, 1);
    expect(count('AbortMultipartUpload')).toBe(0);
  });

  it('uploads of answers that were lost stay where nobody may see their parts', async () => {
    const given = own();
    store.begin('a/tables/x');
    store.onRequest = (asked) => (asked === 'ListParts' ? DENIED : undefined);
    await expect(abortUnanswered(store.bucket(), given, 1)).rejects.toThrow(
      'cannot list the parts of an unfinished upload of tables/x in s3://bucket/a: permission is denied',
    );
    expect(store.uploads).toHaveLength(2);
    const asked = store.requests.find(({ query }) => 'max-parts' in query);
    expect(asked?.query['max-parts']).toBe('1');
  });
});
