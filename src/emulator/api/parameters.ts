/** Reads parameters from a query or a body; refuses invalid ones with 300001. */
import type { JsonObject } from '../../model/records.js';
import { refusals } from './refusal.js';

export interface TextRule {
  /** In characters (code points). */
  readonly max?: number;
  readonly allowEmpty?: boolean;
}

export function requiredText(input: JsonObject, name: string, rule: TextRule = {}): string {
  const text = optionalText(input, name, rule);
  if (text === undefined) throw refusals.invalidParameter(`${name} is required`);
  return text;
}

/** Null counts as absent: many JSON writers write absent fields so. */
export function optionalText(
  input: JsonObject,
  name: string,
  rule: TextRule = {},
): string | undefined {
  const value = input[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw refusals.invalidParameter(`${name} must be a string`);
  if (value === '' && rule.allowEmpty !== true) {
    throw refusals.invalidParameter(`${name} must not be empty`);
  }
  if (rule.max !== undefined && characterCount(value) > rule.max) {
    throw refusals.invalidParameter(`${name} must have at most ${rule.max} characters`);
  }
  return value;
}

export interface IntegerRule {
  readonly min: number;
  readonly max?: number;
}

/** A number in a body; a string of digits is refused. */
export function optionalInteger(
  input: JsonObject,
  name: string,
  rule: IntegerRule,
): number | undefined {
  const value = input[name];
  return value === undefined || value === null ? undefined : checkedInteger(value, name, rule);
}

/** A number in a query, where every value is a string. */
export function optionalDigits(
  input: JsonObject,
  name: string,
  rule: IntegerRule,
): number | undefined {
  const value = input[name];
  if (value === undefined) return undefined;
  const isInteger = typeof value === 'string' && /^-?\d{1,15}$/.test(value);
  return checkedInteger(isInteger ? Number(value) : NaN, name, rule);
}

function checkedInteger(value: unknown, name: string, rule: IntegerRule): number {
  const number = typeof value === 'number' ? value : NaN;
  const max = rule.max ?? Number.MAX_SAFE_INTEGER;
  if (!Number.isSafeInteger(number) || number < rule.min || number > max) {
    const range = rule.max === undefined ? `at least ${rule.min}` : `${rule.min} to ${rule.max}`;
    throw refusals.invalidParameter(`${name} must be an integer, ${range}`);
  }
  return number;
}

export function optionalChoice(
  input: JsonObject,
  name: string,
  allowed: readonly string[],
): string | undefined {
  const value = input[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string' || !allowed.includes(value)) {
    throw refusals.invalidParameter(`${name} must be one of ${allowed.join(', ')}`);
  }
  return value;
}

/** Code points, as people count characters: an emoji is one. */
export function characterCount(text: string): number {
  let count = 0;
  for (const character of text) count += character.length > 0 ? 1 : 0;
  return count;
}

/** The first `max` characters (code points). */
export function cutToCharacters(text: string, max: number): string {
  return text.length <= max ? text : Array.from(text).slice(0, max).join('');
}
