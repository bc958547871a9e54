import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { systemFileSystem } from '../../../../src/storage/local/file-system.js';
import { createLocalStorage } from '../../../../src/storage/local/local-storage.js';
import { fault } from '../../../support/base/fault.js';

it(
  'A put under a condition has succeeded where NFS repeats a link whose answer was lost',
  fault('F-88'),
  async () => {
    const directory = await mkdtemp(join(tmpdir(), 'jobvault-lost-answer-'));
    const link: typeof systemFileSystem.link = async (file, target) => {
      await systemFileSystem.link(file, target).catch(() => undefined);
      throw Object.assign(new Error('EEXIST: file already exists'), { code: 'EEXIST' });
    };
    const storage = createLocalStorage({ directory, fileSystem: { ...systemFileSystem, link } });
    expect(await storage.putIfAbsent('log/1', Buffer.from('ours'))).toBe(true);
    expect(await storage.putIfAbsent('log/1', Buffer.from('ours'))).toBe(false);
    await storage.close();
    await rm(directory, { recursive: true });
  },
);

it(
  'a conditional put has failed where a backup just made a hard link of what was put',
  fault('F-126'),
  async () => {
    const directory = await mkdtemp(join(tmpdir(), 'jobvault-lost-answer-'));
    let links = 0;
    const link: typeof systemFileSystem.link = async (file, target) => {
      await systemFileSystem.link(file, join(directory, `backup-${++links}`)); // as cp -al does it
      await systemFileSystem.link(file, target);
    };
    const storage = createLocalStorage({ directory, fileSystem: { ...systemFileSystem, link } });
    expect(await storage.putIfAbsent('log/1', Buffer.from('theirs'))).toBe(true);
    expect(await storage.putIfAbsent('log/1', Buffer.from('ours'))).toBe(false);
    expect(Buffer.from(await storage.get('log/1')).toString()).toBe('theirs');
    await storage.close();
    await rm(directory, { recursive: true });
  },
);
