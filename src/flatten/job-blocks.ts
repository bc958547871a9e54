/** A job's record, parsed once, and its blocks with what the tables need of each. */
import { type JobRecord, type JsonObject, type Verbatim, asObject } from '../model/records.js';
import { contentWords, wordsBeside } from '../model/blocks/content-words.js';
import { blockTypeOf, isTextShape, shapeOf, type ShownShape } from '../model/blocks/block-types.js';
import { memberOf, type JsonNode, outlineOf, type JsonOutline } from '../model/json-outline.js';
import { objectMembers } from '../model/json-parts.js';
import { ANALYZE, RESPOND, stageOf } from '../model/blocks/stages.js';
import { addressesOf } from '../model/urls/shown-url.js';
import { withoutSecrets, type TextFacts } from '../model/urls/url-secrets.js';
import { filePlaces, type FilePlace } from './file-places.js';
import { exactValue } from './exact-value.js';

type BlockRole = 'question' | 'answer';

export interface Block {
  readonly role: BlockRole;
  /** Position in its question or answer, from 0. */
  readonly index: number;
  /** As sent; null if it is not a text. */
  readonly typeRaw: string | null;
  /** The type that `typeRaw` stands for, as `blockTypeOf` has it. */
  readonly type: string | null;
  readonly shape: ShownShape;
  /** As `stageOf` spells it. */
  readonly stage: string | null;
  /** Null for a block without a meaningful group: `""`, `"-1"`, `-1` or absent. */
  readonly groupId: string | null;
  readonly groupName: string | null;
  /** Parsed; undefined where the block has none. */
  readonly content: unknown;
  /** The JSON of a content that is no plain text; of a block that is no object, the block's. Null where there is none. */
  readonly contentJson: string | null;
  /** The content where it is a text, else its words with a blank line between; without the secrets in URLs. `raw_jobs` has it verbatim. */
  readonly text: string | null;
  /** The length of the text in Unicode code points, not UTF-16 units, so that an emoji counts once. */
  readonly characters: number | null;
}

/**
 * All blocks, the question's first. Anything else than a list of blocks gives none; `raw_jobs` still has it.
 *
 * @throws {RangeError} the text is not the one that the value was parsed from
 */
export function blocksOf(job: Verbatim<JobRecord>): Block[] {
  return [...blocksOfRole(job, 'question'), ...blocksOfRole(job, 'answer')];
}

export function isRespond(block: Block): boolean {
  return block.stage === RESPOND;
}

export function isAnalyze(block: Block): boolean {
  return block.stage === ANALYZE;
}

const NO_OBJECT = {
  typeRaw: null,
  type: null,
  shape: 'json',
  stage: null,
  groupId: null,
  groupName: null,
  content: undefined,
} as const;

function blocksOfRole(job: Verbatim<JobRecord>, role: BlockRole): Block[] {
  const values = asObject(job.value[role])?.['blocks'];
  if (!Array.isArray(values) || values.length === 0) return [];
  const { root } = readingOf(job).outline;
  const files = fileAddresses(job);
  const nodes = memberOf(memberOf(root, role), 'blocks')?.elements ?? [];
  return values.map((value: unknown, index) => {
    const node = nodes[index];
    if (!node) throw new RangeError('a record and its text do not belong together');
    return blockOf(value, role, index, { json: job.text, node, files });
  });
}

interface BlockSource {
  readonly json: string;
  readonly node: JsonNode;
  /** As `fileAddresses` has them. */
  readonly files: ReadonlySet<string>;
}

function blockOf(
  value: unknown,
  role: BlockRole,
  index: number,
  { json, node, files }: BlockSource,
): Block {
  const fields = asObject(value);
  if (!fields) {
    const contentJson = json.slice(node.start, node.end);
    const texts = textsOf(contentWords(value, NO_OBJECT.shape).words, { files });
    return { ...NO_OBJECT, role, index, contentJson, ...texts };
  }
  const typeRaw = typeof fields['type'] === 'string' ? fields['type'] : null;
  const type = blockTypeOf(typeRaw);
  const shape = shapeOf(type);
  const { content, group_name: groupName } = fields;
  const isText = isTextShape(shape) && typeof content === 'string';
  const groupId = fields['group_id'];
  const isSpelt = typeof groupId === 'number' && groupId !== -1;
  const spans = !isText || isSpelt ? objectMembers(json, node.start) : undefined;
  const spelt = (name: string): string | null => {
    const span = spans?.get(name);
    return span ? json.slice(span.start, span.end) : null;
  };
  const contentJson = isText ? null : spelt('content');
  const facts = { files, isCode: shape === 'code' };
  return {
    role,
    index,
    typeRaw,
    type,
    shape,
    stage: stageOf(fields['stage']),
    groupId: groupIdOf(groupId, isSpelt ? spelt('group_id') : null),
    groupName: typeof groupName === 'string' ? groupName : null,
    content,
    contentJson,
    ...(isText ? plainText(content, facts) : textsOf(wordsOf(fields, shape, contentJson), facts)),
  };
}

type Texts = Pick<Block, 'text' | 'characters'>;

function plainText(content: string, facts: TextFacts): Texts {
  const text = withoutSecrets(content, facts);
  return { text, characters: countCharacters(text) };
}

function wordsOf(fields: JsonObject, shape: ShownShape, json: string | null): readonly string[] {
  const { content } = fields;
  // a number that is a whole message is one, with the digits that it came with
  if (isTextShape(shape) && json !== null && /^(?:number|boolean)$/.test(typeof content)) {
    return [json];
  }
  return [...contentWords(content, shape).words, ...wordsBeside(fields)];
}

function textsOf(words: readonly string[], facts: TextFacts): Texts {
  return words.length === 0
    ? { text: null, characters: null }
    : plainText(words.join('\n\n'), facts);
}

/** A number keeps its digits: `text` is as it was sent. */
function groupIdOf(value: unknown, text: string | null): string | null {
  if (typeof value === 'number') return value === -1 ? null : text;
  return typeof value === 'string' && value !== '' && value !== '-1' ? value : null;
}

const HIGH_SURROGATE = /[\ud800-\udbff]/;

function countCharacters(text: string): number {
  if (!HIGH_SURROGATE.test(text)) return text.length;
  let count = text.length;
  for (let i = 0; i < text.length - 1; i++) {
    const isHigh = (text.charCodeAt(i) & 0xfc00) === 0xd800;
    if (isHigh && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) {
      count--;
      i++;
    }
  }
  return count;
}

/** The addresses of the files that a record points to: wherever they stand in it, a text may repeat them. */
export function fileAddresses(job: Verbatim<JobRecord>): ReadonlySet<string> {
  return addressesOf(readingOf(job).places.map(({ url }) => url));
}

interface RecordReading {
  /** Down to the blocks. */
  readonly outline: JsonOutline;
  /** As `exactValue` has it. */
  readonly value: unknown;
  readonly places: readonly FilePlace[];
}

/** Record, question, list of blocks. */
const DEPTH = 3;

/** Hash, traces, references and rows all need it: parsing each time took a third of the time of an export. */
const KNOWN = new WeakMap<Verbatim<unknown>, RecordReading>();

/** @throws {RangeError} the text is not JSON */
export function readingOf(record: Verbatim<unknown>): RecordReading {
  const known = KNOWN.get(record);
  if (known) return known;
  const outline = outlineOf(record.text, DEPTH);
  const value = exactValue(record, outline);
  const reading = { outline, value, places: filePlaces(value) };
  KNOWN.set(record, reading);
  return reading;
}
