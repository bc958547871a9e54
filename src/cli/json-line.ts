/** Formats the line of `--json`: control characters are escaped, secrets of URLs masked. */
import { NextStep, type CommandPlace } from '../base/next-step.js';
import { piecesOf, SHOWN_CHARACTERS } from '../base/text/short-texts.js';
import { shownJson } from '../model/mask-secrets.js';
import { visibleJson } from '../base/text/visible.js';

/** The value as JSON and a line end; integers of 64 bits as numbers. @param place completes the commands that it proposes */
export function jsonLine(value: unknown, place?: CommandPlace): string {
  return `${jsonText(value, place)}\n`;
}

/**
 * The same line in pieces: a text of it may have 64 MB.
 *
 * @param value its texts without signatures of URLs: one at a seam would not be seen
 */
export function* jsonPieces(value: object, place?: CommandPlace): Generator<string> {
  yield* piecesOfValue(value, place);
  yield '\n';
}

function* piecesOfValue(value: unknown, place: CommandPlace | undefined): Generator<string> {
  if (Array.isArray(value)) {
    yield '[';
    for (const [index, element] of value.entries()) {
      if (index > 0) yield ',';
      yield* piecesOfValue(element, place);
    }
    yield ']';
    return;
  }
  if (typeof value === 'string' && value.length > SHOWN_CHARACTERS) {
    yield '"';
    for (const piece of piecesOf(value)) yield jsonText(piece).slice(1, -1);
    yield '"';
    return;
  }
  if (!isLarge(value)) {
    yield jsonText(value, place);
    return;
  }
  let sign = '{';
  for (const [key, member] of Object.entries<unknown>({ ...value })) {
    if (member === undefined) continue;
    yield sign;
    sign = ',';
    if (!isLong(member) && !isLarge(member)) {
      // with its key: of a file's URL more is masked
      yield jsonText({ [key]: member }, place).slice(1, -1);
      continue;
    }
    yield `${JSON.stringify(key)}:`;
    yield* piecesOfValue(member, place);
  }
  yield '}';
}

/** An object with a list or a long text in it. */
function isLarge(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some(isLong);
}

function isLong(value: unknown): boolean {
  return Array.isArray(value) || (typeof value === 'string' && value.length > SHOWN_CHARACTERS);
}

function jsonText(value: unknown, place?: CommandPlace): string {
  const text = JSON.stringify(
    value,
    function (this: Readonly<Record<string, unknown>>, key, member) {
      if (typeof member === 'bigint') return Number(member);
      // its own text, which is the member here, knows no place
      const given = this[key];
      return given instanceof NextStep ? given.text(place) : (member as unknown);
    },
  );
  return visibleJson(shownJson(text));
}
