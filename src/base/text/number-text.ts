/** Reads numbers as people and programs write them: thousands, a decimal comma or point, a sign, a percent or currency sign. */

export type DecimalSign = ',' | '.';

/** The last group has three digits, those before it two or three, as in India. */
const GROUPED = String.raw`[1-9]\d{0,2}(?:(?=(GROUP))(?:\1\d{2,3}){0,9}\1\d{3})`;
const WHOLE = String.raw`(?:0|[1-9]\d{0,99})`;
/** Programs write a sign or decimals: `1e5` is a code. */
const EXPONENT = String.raw`(?:e[+-]\d{1,3})?|\.\d{1,99}e\d{1,3}`;

const NUMBERS: Readonly<Record<DecimalSign, RegExp>> = {
  ',': new RegExp(
    `^(?:${GROUPED.replace('GROUP', String.raw`[.\s'’]`)}|${WHOLE})?(?:,\\d{1,99})?$`,
  ),
  '.': new RegExp(
    `^(?:${GROUPED.replace('GROUP', String.raw`[,\s'’]`)}|${WHOLE})?(?:(?:\\.\\d{1,99})?${EXPONENT})$`,
    'i',
  ),
};
const SIGNS_AROUND = /^(?:\p{Sc}|%)\s?|\s?(?:\p{Sc}|%)$/gu;
const LONGEST = 100;

/**
 * The number that a text is; undefined if it is none. `007` and `0x10` are codes.
 *
 * @param decimal what stands before the decimals
 */
export function numberOfText(text: string, decimal: DecimalSign): number | undefined {
  if (text.length > LONGEST) return undefined;
  const trimmed = text.trim();
  const inBrackets = /^\((.*)\)$/.exec(trimmed)?.[1];
  const [, sign = '', rest = ''] = /^([-+\u2212]?)(.*)$/.exec(inBrackets ?? trimmed) ?? [];
  const digits = rest.replace(SIGNS_AROUND, '');
  if (!/^[\d.,]/.test(digits) || !/\d/.test(digits) || !NUMBERS[decimal].test(digits))
    return undefined;
  const plain =
    decimal === ','
      ? digits.replace(/[^\d,]/g, '').replace(',', '.')
      : digits.replace(/[,\s'’]/g, '');
  const isNegative = inBrackets !== undefined || sign === '-' || sign === '\u2212';
  return isNegative ? -Number(plain) : Number(plain);
}
