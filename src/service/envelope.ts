/** What every answer is wrapped in: `{code, data, message}` (or `msg`), with `code` nested once more in the overview. */
import { parseJson } from '../base/parse-json.js';
import { asObject, type JsonObject } from '../model/records.js';

export interface Envelope {
  /** 0 means success; null where there is no code, or none that is a whole number. */
  readonly code: number | null;
  /** What the service says about a failure; empty where it says nothing. */
  readonly message: string;
  /** Not looked at. */
  readonly data: unknown;
}

/** `undefined` for what is not a JSON object. The overview of a dataset nests its code: `{"code":{"code":0}}`. */
export function parseEnvelope(text: string): Envelope | undefined {
  const body = parseObject(text);
  if (!body) return undefined;
  const nested = asObject(body['code']);
  return {
    code: wholeNumber(nested ? nested['code'] : body['code']),
    message: messageIn(body) || messageIn(nested),
    data: body['data'],
  };
}

function messageIn(object: JsonObject | undefined): string {
  const texts = [object?.['message'], object?.['msg']];
  return texts.find((text): text is string => typeof text === 'string' && text !== '') ?? '';
}

/** A whole number, also one that came as a string of digits; null for anything else. */
export function wholeNumber(value: unknown): number | null {
  const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value;
  return Number.isSafeInteger(number) ? (number as number) : null;
}

function parseObject(text: string): JsonObject | undefined {
  try {
    return asObject(parseJson(text));
  } catch {
    return undefined; // not kept: V8 quotes the text in its message
  }
}
