import { expect, it } from 'vitest';
import { UsageError } from '../../../src/base/error.js';
import { IntegrityError } from '../../../src/archive/archive-errors.js';
import type { Storage } from '../../../src/storage/storage.js';
import {
  assertSameIdentity,
  createOrOpenArchive,
  openArchiveIn,
} from '../../../src/archive/open-archive.js';
import { seededRandom, archiveSettings } from '../../support/store/archive-samples.js';
import { createMemoryStorage, MemoryPlace } from '../../support/store/memory-storage.js';

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

it('making an archive writes jobvault.json where nothing is', async () => {
  const storage = createMemoryStorage();
  const { identity } = await createOrOpenArchive(
    storage,
    archiveSettings({ baseUrl: 'HTTPS://user:pw@API.Example.com:443/x/?a=1#b', project: 'p' }),
  );
  expect(identity).toEqual({
    format: 1,
    id: expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{26}$/) as string,
    made_by: 'jobvault 0.1.0',
    created_at: '2026-11-05T12:00:00.000Z',
    service: { base_url: 'https://api.example.com/x', project: 'p' },
    formats: ['parquet'],
  });
  expect(text(await storage.get('jobvault.json'))).toBe(`${JSON.stringify(identity, null, 2)}\n`);
  expect((await openArchiveIn(storage)).identity).toEqual(identity);
});

// I-7 in FORMAT.md
it.each([
  [
    ['xlsx', 'parquet'],
    ['parquet', 'xlsx'],
  ],
  [
    ['jsonl', 'parquet', 'jsonl'],
    ['parquet', 'jsonl'],
  ],
  [undefined, ['parquet']],
] as const)('making an archive keeps %j as %j', async (formats, kept) => {
  const storage = createMemoryStorage();
  const { identity } = await createOrOpenArchive(storage, archiveSettings({ formats }));
  expect(identity.formats).toEqual(kept);
  await createOrOpenArchive(storage, archiveSettings({ formats }));
  await createOrOpenArchive(storage, archiveSettings({ formats: undefined }));
  await createOrOpenArchive(storage, archiveSettings({ formats: kept }));
});

// I-5 in FORMAT.md
it('making an archive refuses a place that holds something else, and writes nothing there', async () => {
  const storage = createMemoryStorage();
  await storage.put('thesis.docx', Buffer.from('precious'));
  const making = createOrOpenArchive(storage, archiveSettings());
  await expect(making).rejects.toThrow(UsageError);
  await expect(making).rejects.toThrow('memory is not empty and is not a jobvault archive');
  expect([...storage.place.objects.keys()]).toEqual(['thesis.docx']);
});

// I-5 in FORMAT.md
it('making an archive gives racing runs one and the same archive', async () => {
  const place = new MemoryPlace();
  const archives = await Promise.all(
    Array.from({ length: 10 }, (_, i) =>
      createOrOpenArchive(createMemoryStorage(place), archiveSettings({ random: seededRandom(i) })),
    ),
  );
  expect(new Set(archives.map(({ identity }) => identity.id)).size).toBe(1);
});

it('an archive opens for its service in another spelling, with its project and formats', async () => {
  const storage = createMemoryStorage();
  await createOrOpenArchive(storage, archiveSettings({ project: 'p', formats: ['jsonl'] }));
  const { identity } = await createOrOpenArchive(
    storage,
    archiveSettings({ baseUrl: 'https://API.example.com:443///' }),
  );
  expect(identity.service.project).toBe('p');
  expect(identity.formats).toEqual(['jsonl']);
});

it.each([
  [
    { baseUrl: 'https://other.example.com' },
    /^\S+ is the archive of https:\/\/api.example.com, not of https:\/\/other.example.com; give --base-url https:\/\/api.example.com, or, if the service has moved, keep that address for it \(DNS, a proxy\), or begin a new archive: one belongs to one address$/,
  ],
  [{ baseUrl: 'http://api.example.com' }, /not of http:\/\/api.example.com/],
  [{ baseUrl: 'https://api.example.com/v1' }, /not of https:\/\/api.example.com\/v1/],
  [{ project: 'q' }, /is the archive of project "p", not of "q"/],
])('opening an archive refuses %j', async (other, message) => {
  const storage = createMemoryStorage();
  await createOrOpenArchive(storage, archiveSettings({ project: 'p' }));
  const opening = createOrOpenArchive(storage, archiveSettings(other));
  await expect(opening).rejects.toThrow(UsageError);
  await expect(opening).rejects.toThrow(message);
});

it.each([
  [
    ['jsonl', 'xlsx'] as const,
    '/archive keeps its tables as parquet, not as jsonl,xlsx: the first run fixes the formats; for a workbook of one person: jobvault workbook /archive --user USER --out FILE.xlsx',
  ],
  [
    ['parquet', 'jsonl'] as const,
    '/archive keeps its tables as parquet, not as parquet,jsonl: the first run fixes the formats',
  ],
])(
  'opening an archive refuses the formats %j in a sentence that says what to do',
  async (formats, told) => {
    const { identity } = await createOrOpenArchive(createMemoryStorage(), archiveSettings({}));
    const wanted = archiveSettings({ formats });
    expect(() => {
      assertSameIdentity('/archive', identity, wanted);
    }).toThrow(new UsageError(told));
  },
);

it.each(['ftp://x', 'api.example.com', ''])(
  'opening an archive refuses the base URL "%s"',
  async (baseUrl) => {
    const storage = createMemoryStorage();
    const making = createOrOpenArchive(storage, archiveSettings({ baseUrl }));
    await expect(making).rejects.toThrow('the base URL must be an http or https URL');
    expect(storage.place.objects.size).toBe(0);
  },
);

it('opening an archive says that a place is no archive', async () => {
  const storage = createMemoryStorage();
  await storage.put('thesis.docx', Buffer.from('precious'));
  await expect(openArchiveIn(storage)).rejects.toThrow(
    new UsageError('memory is not a jobvault archive: it has no jobvault.json'),
  );
});

it.each([
  ['tagmanifest-sha256.txt', 'it is an evidence pack; data/README.txt in it says how'],
  ['data/jobvault-files.sha256', 'it is a report; in its directory, sha256sum -c --quiet data/'],
])('opening an archive says what else a place with %s is', async (mark, told) => {
  const storage = createMemoryStorage();
  await storage.put(mark, Buffer.from(''));
  await expect(openArchiveIn(storage)).rejects.toThrow(`memory is not a jobvault archive: ${told}`);
});

it('opening an archive says of an empty place that nothing has been exported to it yet', async () => {
  await expect(openArchiveIn(createMemoryStorage())).rejects.toThrow(
    new UsageError(
      'memory is not a jobvault archive: nothing is there, so nothing has been exported to it yet',
    ),
  );
});

// I-6 in FORMAT.md
it('opening an archive refuses an archive of a newer format, and says what to do', async () => {
  const storage = createMemoryStorage();
  await storage.put('jobvault.json', Buffer.from('{"format":3,"anything":[]}'));
  await expect(openArchiveIn(storage)).rejects.toThrow(UsageError);
  await expect(openArchiveIn(storage)).rejects.toThrow(/archive format 3; .* use a newer version/);
});

it.each(['', '{', '[]', '{}', '{"format":"1"}', '{"format":0}', '{"format":1}'])(
  'opening an archive names a damaged jobvault.json (%s)',
  async (bytes) => {
    const storage = createMemoryStorage();
    await storage.put('jobvault.json', Buffer.from(bytes));
    await expect(openArchiveIn(storage)).rejects.toThrow(IntegrityError);
    await expect(openArchiveIn(storage)).rejects.toThrow('jobvault.json is damaged');
    await expect(createOrOpenArchive(storage, archiveSettings())).rejects.toThrow(IntegrityError);
  },
);

it('an archive whose rows nobody could read back is not made', async () => {
  const wanted = archiveSettings({ formats: ['xlsx'] });
  await expect(createOrOpenArchive(createMemoryStorage(), wanted)).rejects.toThrow(
    'the formats are xlsx; one of them must be parquet or jsonl, because a workbook is never read back',
  );
});

it('a run opens what another has made, and begun to work in, since it looked', async () => {
  const storage = createMemoryStorage();
  const other = createMemoryStorage(storage.place);
  const late: Storage = {
    ...storage,
    async *list(prefix) {
      await createOrOpenArchive(other, archiveSettings());
      await other.put('_leases/ann', Buffer.from('{}'));
      yield* storage.list(prefix);
    },
  };
  const { identity } = await createOrOpenArchive(late, archiveSettings());
  expect(identity).toEqual((await openArchiveIn(storage)).identity);
});
