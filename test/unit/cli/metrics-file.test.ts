/** The file of `--metrics-file`, which several commands write, and which a collector may read at any time. */
import fs from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { UsageError } from '../../../src/base/error.js';
import { systemClock } from '../../../src/base/runtime.js';
import { checkMetricsFile, writeMetricsFile } from '../../../src/cli/metrics-file.js';
import type { RunReport } from '../../../src/telemetry/run-report.js';
import { fault } from '../../support/base/fault.js';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'jobvault-metrics-'));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(directory, { recursive: true });
});

const at = (name: string) => join(directory, name);
const read = (name: string) => readFile(at(name), 'utf8');

/** Runs with other functions of the file system in their place: root is refused nothing. */
async function withFs(other: Partial<typeof fs.promises>, run: () => Promise<unknown>) {
  const before = { ...fs.promises };
  try {
    Object.assign(fs.promises, other);
    syncBuiltinESMExports();
    await run();
  } finally {
    Object.assign(fs.promises, before);
    syncBuiltinESMExports();
  }
}

const report = (over: Partial<RunReport> = {}): RunReport => ({
  command: 'export',
  archive: '/an/archive',
  config: null,
  host: 'here',
  scope: 'all',
  run: 'R',
  outcome: 'complete',
  exitCode: 0,
  error: null,
  startedAtMs: Date.now() - 1000,
  durationMs: 1000,
  counts: {},
  version: '1',
  ...over,
});
const verify = report({ command: 'verify' });

const write = (name: string, of = report(), isOfConfig = false) =>
  writeMetricsFile(at(name), of, isOfConfig);

/** The commands whose last run is in a file. */
const commandsIn = async (name: string) =>
  Array.from(
    (await read(name)).matchAll(/^jobvault_run_exit_code\{command="(\w+)"/gm),
    (m) => m[1],
  );

describe('a metrics file', () => {
  it.each([
    ['is not there yet', undefined],
    ['is empty', ''],
    ['has only blanks', ' \n'],
    ['jobvault has written', '# HELP jobvault_x y\n'],
  ])('a metrics file may be one that %s', async (_, text) => {
    if (text !== undefined) await writeFile(at('m.prom'), text);
    await checkMetricsFile(at('m.prom'));
    await write('m.prom');
    expect(await commandsIn('m.prom')).toEqual(['export']);
  });

  it('a metrics file replaces nothing else, whether it is looked at before the run or at its end', async () => {
    await writeFile(at('m.prom'), 'up 1\n# HELP jobvault_x y\n');
    const told = `--metrics-file ${at('m.prom')} exists and is not a metrics file; allowed is a new file, or one that jobvault has written`;
    await expect(checkMetricsFile(at('m.prom'))).rejects.toThrow(new UsageError(told));
    await expect(write('m.prom')).rejects.toThrow(new UsageError(told));
    expect(await read('m.prom')).toMatch(/^up 1\n/);
    // who comes next need not wait
    expect(await readdir(directory)).toEqual(['m.prom']);
  });

  it.each([
    ['of a directory that is not there', 'no/m.prom', 'ENOENT'],
    ['below a file', 'file/m.prom', 'ENOTDIR'],
  ])('a metrics file %s is refused before the run, with what is allowed', async (_, name, code) => {
    await writeFile(at('file'), '', { mode: 0o777 });
    await expect(checkMetricsFile(at(name))).rejects.toMatchObject({
      name: 'UsageError',
      message: `--metrics-file ${at(name)} cannot be written (${code}); allowed is a file in an existing directory`,
      cause: { code },
    });
  });

  it('a metrics file can be read by a collector of another user, whatever the umask', async () => {
    const before = process.umask(0o077);
    try {
      await write('m.prom');
    } finally {
      process.umask(before);
    }
    expect((await stat(at('m.prom'))).mode & 0o777).toBe(0o644);
    expect(await readdir(directory)).toEqual(['m.prom']);
  });

  it('a metrics file that cannot be put into its place leaves nothing behind', async () => {
    await withFs({ rename: () => Promise.reject(new Error('full')) }, async () => {
      await expect(write('m.prom')).rejects.toThrow('full');
    });
    expect(await readdir(directory)).toEqual([]);
  });

  it.each(['EACCES', 'EISDIR', 'EIO'])(
    'a metrics file that cannot be read (%s) may be of somebody else, and is not replaced',
    async (code) => {
      await writeFile(at('m.prom'), '# HELP jobvault_x y\n');
      const readFile = () => Promise.reject(Object.assign(new Error('no'), { code }));
      await withFs({ readFile }, async () => {
        const told = 'exists and is not a metrics file';
        await expect(checkMetricsFile(at('m.prom'))).rejects.toThrow(told);
        await expect(write('m.prom')).rejects.toThrow(told);
      });
      expect(await read('m.prom')).toBe('# HELP jobvault_x y\n');
    },
  );

  it.each([
    [
      'EROFS',
      (of: string) =>
        `${of} is read-only for this run; a systemd unit opens it with ReadWritePaths=${of}`,
    ],
    ['EACCES', () => 'allowed is a file in a directory in which the user of this run may write'],
    ['EPERM', () => 'allowed is a file in a directory in which the user of this run may write'],
  ])(
    'a metrics file whose directory refuses with %s is refused with what helps',
    async (code, helps) => {
      const access = () => Promise.reject(Object.assign(new Error('no'), { code }));
      const told = `--metrics-file ${at('m.prom')} cannot be written (${code}); ${helps(directory)}`;
      await withFs({ access }, async () => {
        await expect(checkMetricsFile(at('m.prom'))).rejects.toThrow(new UsageError(told));
      });
    },
  );

  it('a metrics file that is named from where the run is keeps what the run has just told', async () => {
    const file = relative(process.cwd(), at('m.prom'));
    for (const run of [report(), report({ exitCode: 3 })]) {
      await writeMetricsFile(file, run, false);
      expect(await read('m.prom')).toMatch(
        new RegExp(`^jobvault_run_exit_code.* ${run.exitCode}$`, 'm'),
      );
    }
  });
});

describe('beside other metrics files', () => {
  it('a run takes its series out of the others that a collector reads, and leaves all else in them', async () => {
    await write('old.prom');
    await write('old.prom', verify);
    await write('kept.prom', report({ host: 'there' }));
    const kept = await read('kept.prom');
    const inode = (await stat(at('kept.prom'))).ino;
    await writeFile(at('copy.txt'), await read('old.prom'));
    await writeFile(at('strange.prom'), 'up 1\n');
    await mkdir(at('folder.prom'));
    const copied = await read('copy.txt');
    await write('m.prom');
    expect(await commandsIn('m.prom')).toEqual(['export']);
    expect(await commandsIn('old.prom')).toEqual(['verify']);
    expect(await read('copy.txt')).toBe(copied);
    expect(await read('strange.prom')).toBe('up 1\n');
    // not even written again: a collector tells by its time how old it is
    expect([await read('kept.prom'), (await stat(at('kept.prom'))).ino]).toEqual([kept, inode]);
  });

  it('a run that fails knows the last success from another file', async () => {
    await write('old.prom', report({ startedAtMs: 1_000_000_000_000, durationMs: 0 }));
    await write('m.prom', report({ exitCode: 6, outcome: 'failed' }));
    expect(await read('m.prom')).toMatch(/^jobvault_last_success\S+ 1000000000$/m);
  });
});

describe('places that the configuration does not name any more', () => {
  const weekAgo = { startedAtMs: Date.now() - 8 * 86_400_000 };
  const config = '/a/config.yaml';
  const earlier = report({ ...weekAgo, archive: '/once', config });

  it('such places are forgotten by a run of the place that it names', async () => {
    await write('m.prom', earlier);
    expect(await write('m.prom', report({ config }), true)).toEqual(['/once']);
    expect(await read('m.prom')).not.toContain('/once');
    expect(await write('m.prom', report({ config }), true)).toEqual([]);
  });

  it('such places are forgotten by no other run', async () => {
    await write('m.prom', earlier);
    expect(await write('m.prom', report({ config }), false)).toEqual([]);
    expect(await read('m.prom')).toContain('/once');
  });

  it('such places are forgotten after a week, and not before', async () => {
    const sixDaysAgo = Date.now() - 6 * 86_400_000;
    await write('m.prom', { ...earlier, startedAtMs: sixDaysAgo });
    expect(await write('m.prom', report({ config }), true)).toEqual([]);
  });

  it(
    'such a place is forgotten at once where no run has ever read or saved anything, as in a mistyped bucket',
    fault('F-146'),
    async () => {
      const failed = {
        config,
        exitCode: 9,
        outcome: 'failed' as const,
        archive: 's3://mistyped/a',
      };
      await write('m.prom', report({ ...failed, counts: { users: { not_reached: 300 } } }));
      expect(await write('m.prom', report({ config }), true)).toEqual(['s3://mistyped/a']);
      expect(await read('m.prom')).not.toContain('mistyped');
    },
  );

  it.each([
    ['has succeeded once', { exitCode: 0 }],
    ['had gaps', { exitCode: 3, outcome: 'gaps' as const }],
    ['has asked the service', { counts: { requests: { service: 7, files: 0 } } }],
  ])(
    'such a place is kept for the week where its run %s and the next one failed',
    async (_, one) => {
      const failed = { config, exitCode: 9, outcome: 'failed' as const, archive: '/once' };
      await write('m.prom', report({ ...failed, ...one }));
      if ('exitCode' in one && one.exitCode === 0) await write('m.prom', report(failed));
      expect(await write('m.prom', report({ config }), true)).toEqual([]);
      expect(await read('m.prom')).toContain('/once');
    },
  );

  it('such places are not looked for where there is no file yet', async () => {
    expect(await write('m.prom', report({ config }), true)).toEqual([]);
  });
});

describe('another run that writes at the same time', () => {
  const lock = '.jobvault-metrics.lock';
  const lockedAt = async (secondsAgo: number) => {
    await writeFile(at(lock), '');
    const then = Date.now() / 1000 - secondsAgo;
    await utimes(at(lock), then, then);
  };

  it.each([0, 7, -7])('another run is waited for that has begun %i seconds ago', async (ago) => {
    await lockedAt(ago);
    const slept: number[] = [];
    vi.spyOn(systemClock, 'sleep').mockImplementation(async (ms) => {
      slept.push(ms);
      if (slept.length === 3) await rm(at(lock));
    });
    await write('m.prom');
    expect(slept).toEqual([20, 20, 20]);
    expect(await readdir(directory)).toEqual(['m.prom']);
  });

  it.each([12, -12])(
    'another run is not waited for that has begun %i seconds ago: it was killed, or the clock was put back',
    async (ago) => {
      await lockedAt(ago);
      const sleep = vi.spyOn(systemClock, 'sleep').mockRejectedValue(new Error('waits'));
      await write('m.prom');
      expect(sleep).not.toHaveBeenCalled();
      expect(await readdir(directory)).toEqual(['m.prom']);
    },
  );

  it('another run that was killed is cleaned up after by one of those that wait', async () => {
    const { rename, stat: lookAt } = fs.promises;
    await lockedAt(60);
    const gone = () => rm(at(lock), { force: true });
    const other: Partial<typeof fs.promises> = {
      stat: (async (path: string) => {
        const stats = await lookAt(path);
        await gone();
        return stats;
      }) as typeof lookAt,
      rename: async (from, to) => {
        await gone();
        await rename(from, to);
      },
    };
    await withFs(other, () => write('m.prom'));
    expect(await readdir(directory)).toEqual(['m.prom']);
  });

  it('the lock lies in the directory while a run writes', async () => {
    const { rename } = fs.promises;
    const seen: string[][] = [];
    const watching: typeof rename = async (from, to) => {
      seen.push(await readdir(directory));
      await rename(from, to);
    };
    await withFs({ rename: watching }, () => write('m.prom'));
    // no collector reads what is half written
    expect(seen).toEqual([[lock, `.m.prom.${process.pid}.tmp`].toSorted()]);
  });

  it('a run whose directory has gone does not wait for ever', async () => {
    await expect(write('gone/m.prom')).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
