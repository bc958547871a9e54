import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { CliRig } from '../support/rigs/cli-rig.js';
import { EXPORTED_TABLES } from '../support/tables/contract-tables.js';
import { fault } from '../support/base/fault.js';

const KEY = 'canary/key+7f3a9c';
/** How every signed URL of the emulator's file host looks. */
const SIGNED = /X-Amz-(Signature|Credential|Date|Expires)=/i;
/** The service's own record, verbatim. */
const VERBATIM: Readonly<Record<string, string>> = { raw_jobs: 'record', blocks: 'content_json' };

it(
  'the API key and URL signatures are in no output, log, archive file or request for a file',
  fault('F-38'),
  async () => {
    await using rig = await CliRig.start({
      users: 2,
      sessions: 4,
      jobs: 12,
      gaps: true,
      apiKeys: { [KEY]: 'demo' },
      faults: {
        api: [{ every: 7, answer: { kind: 'error', status: 500, code: 9999, message: KEY } }],
        files: [
          { every: 9, answer: { kind: 'xml' } },
          { every: 8, answer: { kind: 'reset', afterBytes: 10 } },
          { every: 7, answer: { kind: 'redirect', hops: 1 } },
        ],
      },
    });
    const words = ['--log-level', 'debug', '--format', 'parquet,jsonl'];
    const environment = { JOBVAULT_API_KEY: KEY };
    const end = await rig.runProgram(rig.exportWords(...words), { environment });
    expect(end.exitCode).toBe(3);
    expect(end.stderr).toContain('trying again');
    expect(rig.emulator.stats.fileRequests).toBeGreaterThan(50);

    const leaks = (text: string) =>
      [KEY, encodeURIComponent(KEY)].some((key) => text.includes(key)) || SIGNED.test(text);
    expect(leaks(end.stdout + end.stderr)).toBe(false);
    for (const line of rig.emulator.stats.fileHeaderLines) {
      expect(line).not.toContain(KEY);
      expect(line).not.toMatch(/^x-pd-/);
    }
    for (const path of await rig.files()) {
      if (path.startsWith('tables/') || path.startsWith('artifacts/')) continue;
      const bytes = await readFile(join(rig.out, path));
      const text = (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
      expect(leaks(text), path).toBe(false);
    }
    const tables = EXPORTED_TABLES;
    for (const table of tables) {
      const verbatim = VERBATIM[table];
      const columns = verbatim === undefined ? '*' : `* EXCLUDE ("${verbatim}")`;
      for (const row of await rig.select(table, columns)) {
        const text = Object.values(row).map(String).join('\n');
        expect(leaks(text), `${table}: ${text.slice(0, 500)}`).toBe(false);
      }
    }
    const [row] = await rig.select('raw_jobs', "bool_or(contains(record, 'X-Amz-')) AS has");
    expect(row).toEqual({ has: true }); // else this test would look for the wrong thing
  },
);
