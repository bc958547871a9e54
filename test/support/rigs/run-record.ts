/** The record of a queued run, with what a test is about. */
import { decodeRunRecord, type RunRecord } from '../../../src/fleet/run-record.js';

export function runRecord(name: string, changes: Partial<RunRecord> = {}): RunRecord {
  return decodeRunRecord(name, {
    name,
    enqueued_at: '2026-11-24T01:00:00.000Z',
    base_url: 'https://api.example.com',
    api_key_header: 'x-pd-api-key',
    project: null,
    out: '/archive',
    storage: {},
    formats: null,
    parquet_codec: 'zstd',
    no_delta: false,
    search: null,
    full: false,
    settle_time_ms: 1000,
    storage_base_url: null,
    rate: 20,
    ...changes,
  });
}
