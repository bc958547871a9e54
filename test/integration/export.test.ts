import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startEmulator, type Emulator } from '../../src/emulator/emulator.js';
import { exportToArchive } from '../../src/export/export-to-archive.js';

describe('exporting from the emulator', () => {
  let emulator: Emulator;
  let directory: string;

  beforeEach(async () => {
    emulator = await startEmulator();
    directory = await mkdtemp(join(tmpdir(), 'jobvault-export-'));
  });
  afterEach(async () => {
    await emulator.close();
    await rm(directory, { recursive: true, force: true });
  });

  it('archives every user', async () => {
    const result = await exportToArchive({
      baseUrl: emulator.baseUrl,
      apiKey: 'demo-key',
      users: emulator.state.userIds(),
      out: join(directory, 'archive'),
    });
    console.log(JSON.stringify(result.summary), result.error);
    expect(result.error).toBeUndefined();
    expect(result.summary.status).toBe('complete');
  });
});
