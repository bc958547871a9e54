import { expect, it } from 'vitest';
import { EMULATOR_DEFAULTS, emulatorSettings } from '../../../src/emulator/options.js';

it('fills in every default', () => {
  expect(emulatorSettings({})).toEqual(EMULATOR_DEFAULTS);
  expect(emulatorSettings({ users: 7, seed: undefined as never })).toEqual({
    ...EMULATOR_DEFAULTS,
    users: 7,
  });
});

it.each([
  [{ port: 70_000 }, 'port is 70000; allowed is a whole number from 0 to 65535'],
  [{ sessions: 151 }, 'sessions is 151; allowed is a whole number from 0 to 150'],
  [{ maxPageSize: 0 }, 'maxPageSize is 0'],
  [{ urlTtlMs: 0 }, 'urlTtlMs is 0'],
  [{ seed: 1.5 }, 'seed is 1.5'],
  [{ rateLimit: NaN }, 'rateLimit is'],
  [{ apiKeys: {} }, 'apiKeys is empty'],
  [{ blocksPerJob: 5, artifactsPerJob: 4 }, 'artifactsPerJob is 4; allowed is at most'],
])('refuses %o with one sentence', (options, sentence) => {
  expect(() => emulatorSettings(options)).toThrow(sentence);
});
