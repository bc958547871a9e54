/** Parses the envelope of every answer: `{code, data, message}` (or `msg`). */
import { type BareNumber, mendBareNumbers } from '../base/text/bare-numbers.js';
import { parseJson } from '../base/text/parse-json.js';
import { asObject, type JsonObject } from '../model/records.js';

export interface Envelope {
  /** 0: success; null: no code, or not a whole number. */
  readonly code: number | null;
  /** The service's message about a failure; may be empty. */
  readonly message: string;
  /** The data, which nobody has checked. */
  readonly data: unknown;
  readonly text: string;
  readonly bareNumbers: readonly BareNumber[];
}

/** Undefined if the text is not a JSON object. The overview of a dataset nests its code: `{"code":{"code":0}}`. */
export function parseEnvelope(text: string): Envelope | undefined {
  const sound = parseObject(text);
  const mended = sound ? undefined : mendBareNumbers(text);
  const body = mended ? parseObject(mended.text) : sound;
  if (!body) return undefined;
  const nested = asObject(body['code']);
  return {
    code: wholeNumber(nested ? nested['code'] : body['code']),
    message: messageIn(body) || messageIn(nested),
    data: body['data'],
    text: mended?.text ?? text,
    bareNumbers: mended?.bareNumbers ?? [],
  };
}

function messageIn(object: JsonObject | undefined): string {
  const texts = [object?.['message'], object?.['msg']];
  return texts.find((text): text is string => typeof text === 'string' && text !== '') ?? '';
}

/** A whole number, or a string of digits as a number; null for anything else. */
export function wholeNumber(value: unknown): number | null {
  const number = typeof value === 'string' && /^-?\d\d*$/.test(value) ? Number(value) : value;
  return Number.isSafeInteger(number) ? (number as number) : null;
}

function parseObject(text: string): JsonObject | undefined {
  try {
    return asObject(parseJson(text));
  } catch {
    return undefined; // the error is not kept: V8 quotes the text in its message
  }
}
