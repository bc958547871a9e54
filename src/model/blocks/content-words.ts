/**
 * The words of a block's content that is no plain text: the parts of a message, the caption beside a file, the title of a
 * chart. Names, URLs, times of expiry, and what describes the content (type, format, ids) are no words; in a block of
 * another type than messages and files, only what is named like a caption or has a space is: the rest is data. Whoever
 * shows the words needs the JSON only where there is more than that.
 */
import { isFileShape, isListShape, isTextShape, type ShownShape } from './block-types.js';
import { isDataUrl, isFileMember, isSoleUrl, nameOfEach } from './file-members.js';
import { objectOrListIn } from '../json-parts.js';
import { isQuestionEntry, isSourceEntry } from './list-entries.js';
import type { JsonObject } from '../records.js';

export interface ContentWords {
  /** In the order sent. */
  readonly words: readonly string[];
  /** Whether the content has more than these, the names and URLs of files, and times of expiry. */
  readonly hasMore: boolean;
}

const EXPIRY = /^expir/i;
const NAME = /^(?:file_?)?name$/i;
/** What describes the content beside it. */
const DESCRIBES =
  /^(?:type|format|role|id|index|lang|language|detail|encoding|.*_(?:id|type)|.*(?:Id|Type))$/;
/** How a caption is named. */
const CAPTION =
  /(?:text|caption|note|title|summary|description|comment|remark|message|label|heading|headline|alt|legend|question|content|explanation|insight|refusal|markdown|body)s?$/i;
const HAS_SPACE = /\S\s+\S/;
/** Bytes that are sent as a text are no words. */
const IS_BASE64 = /^[\w+/-]{200,}={0,2}$/;

/** @param content parsed, as sent */
export function contentWords(content: unknown, shape: ShownShape): ContentWords {
  const walk = new WordWalk(shape);
  const inner =
    typeof content === 'string' && !isTextShape(shape) ? objectOrListIn(content) : undefined;
  walk.content(inner ?? content);
  return walk;
}

/** Captions that stand in a block beside its content. */
export function wordsBeside(block: JsonObject): readonly string[] {
  return Object.entries(block).flatMap(([name, value]) =>
    name !== 'content' && CAPTION.test(name) && typeof value === 'string' && value !== ''
      ? [value]
      : [],
  );
}

class WordWalk implements ContentWords {
  readonly words: string[] = [];
  hasMore = false;
  readonly #shape: ShownShape;

  constructor(shape: ShownShape) {
    this.#shape = shape;
  }

  content(content: unknown): void {
    if (!isListShape(this.#shape)) {
      this.#value('', content);
      return;
    }
    const isEntry = this.#shape === 'sources' ? isSourceEntry : isQuestionEntry;
    const isList = Array.isArray(content);
    for (const entry of isList ? (content as unknown[]) : [content]) {
      if (!isList || !isEntry(entry)) this.#value('', entry);
    }
  }

  #value(name: string, value: unknown): void {
    if (typeof value === 'string') this.#text(name, value);
    else if (Array.isArray(value))
      for (const element of value) this.#value(nameOfEach(name), element);
    else if (typeof value === 'object' && value !== null) this.#members(value as JsonObject);
    else if (value !== null && value !== undefined) this.hasMore ||= !this.#isAside(name);
  }

  #members(fields: JsonObject): void {
    const hasFile = Object.entries(fields).some(
      ([name, value]) => typeof value === 'string' && isFileMember(name, value),
    );
    for (const [name, value] of Object.entries(fields)) {
      if (hasFile && NAME.test(name) && typeof value === 'string') continue;
      this.#value(name, value);
    }
  }

  #text(name: string, text: string): void {
    if (text === '' || EXPIRY.test(name) || isFileMember(name, text)) return;
    if (name === '' && this.#isFile(text)) return;
    const isNone = DESCRIBES.test(name) || this.#isData(name, text);
    if (isNone) this.hasMore ||= !this.#isAside(name);
    else this.words.push(text);
  }

  /** Whether a text that is all of the content, or an entry of its list, is the URL or the key of a file. */
  #isFile(text: string): boolean {
    const isOther = !isTextShape(this.#shape) && !isListShape(this.#shape);
    return isFileShape(this.#shape) || (isOther && isSoleUrl(text));
  }

  #isData(name: string, text: string): boolean {
    const isNamed = name === '' || CAPTION.test(name);
    if (isNamed && isTextShape(this.#shape)) return false;
    if (isSoleUrl(text) || isDataUrl(text) || IS_BASE64.test(text)) return true;
    const isOther = this.#shape === 'json' || this.#shape === 'link';
    return isOther && !isNamed && !HAS_SPACE.test(text);
  }

  /** Whether the field only describes a part of a message, which says nothing to a reader. */
  #isAside(name: string): boolean {
    return (
      EXPIRY.test(name) || name === 'type' || (isTextShape(this.#shape) && DESCRIBES.test(name))
    );
  }
}
