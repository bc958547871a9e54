/** Formats the line of `--json`: control characters are escaped, signatures of URLs masked. */
import { maskedJson } from '../model/mask-secrets.js';
import { visibleJson } from './output/visible.js';

/** The value as JSON and a line end; integers of 64 bits as numbers. */
export function jsonLine(value: unknown): string {
  return `${visibleJson(maskedJson(JSON.stringify(value, plainNumber)))}\n`;
}

function plainNumber(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value;
}
