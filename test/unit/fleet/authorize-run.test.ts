import { describe, expect, it } from 'vitest';
import { authorizeRun } from '../../../src/fleet/authorize-run.js';
import { runRecord } from '../../support/rigs/run-record.js';

const record = (baseUrl: string) => runRecord('night', { base_url: baseUrl });

describe('the API key of a worker', () => {
  const own = { baseUrl: 'https://api.example.com:8443/tenant/', out: '/archive' };

  it.each([
    ['scheme', 'http://api.example.com:8443/tenant'],
    ['port', 'https://api.example.com:8444/tenant'],
    ['default port', 'https://api.example.com/tenant'],
    ['path', 'https://api.example.com:8443/other'],
    ['missing path', 'https://api.example.com:8443'],
    ['longer path', 'https://api.example.com:8443/tenant/more'],
    ['host', 'https://api.example.org:8443/tenant'],
  ])('is not sent where only the %s differs', (_part, baseUrl) => {
    expect(() => authorizeRun(record(baseUrl), own)).toThrow(
      `run night is refused: it exports from ${baseUrl}, and this worker has the API key of ${own.baseUrl}`,
    );
  });

  it.each([
    'https://API.example.com:8443/tenant',
    'HTTPS://api.example.com:8443/tenant//',
    'https://api.example.com:8443/tenant/v2/team',
  ])('is sent to the same service in another spelling: %s', (baseUrl) => {
    expect(authorizeRun(record(baseUrl), own)).toEqual({ out: '/archive', storage: undefined });
  });
});
