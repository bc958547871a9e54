/** Walks a record and finds the places that point to files, also within texts; `file-references.ts` lists the kinds. */
import { sortedKeys } from '../base/text/canonical-json.js';
import {
  isFileShape,
  blockTypeOf,
  isListShape,
  isTextShape,
  shapeOf,
  type ShownShape,
} from '../model/blocks/block-types.js';
import { asObject, type JsonObject } from '../model/records.js';
import { isPresigned } from '../model/urls/file-url.js';
import { objectOrListIn } from '../model/json-parts.js';
import { isFileMember, isLinkName, isSoleUrl, nameOfEach } from '../model/blocks/file-members.js';
import { mayBePresigned } from '../model/urls/presigning.js';
import { parseTimestamp } from '../model/times/timestamp.js';
import { mayHoldLink, linksInText } from './text-links.js';

export type FileRole = 'question' | 'answer' | 'record';

export interface FilePlace {
  readonly role: FileRole;
  /** In its question or answer, from 0; 0 outside of both. */
  readonly blockIndex: number;
  /** The block's type in upper case (empty where it has none), MARKDOWN_IMAGE, PRESIGNED_LINK or RECORD. */
  readonly kind: string;
  readonly name: string | null;
  /** As sent; null where a TABLE or IMAGE holds none. */
  readonly url: string | null;
  readonly expiresAt: bigint | null;
  /** Where the whole value is the pointer. Undefined inside a text. */
  readonly slot: Slot | undefined;
}

interface Slot {
  readonly holder: object;
  readonly key: string | number;
}

const ROLES = ['question', 'answer'] as const;
/** The kind of a file outside of blocks. */
const OUTSIDE = 'RECORD';

/** Members that are visited before the others. */
const NOTHING: ReadonlySet<string> = new Set();
const OF_BLOCK: ReadonlySet<string> = new Set(['content', 'type']);
const OF_PART: ReadonlySet<string> = new Set(['blocks']);

/** In the order of the record, members of an object by name. */
export function filePlaces(record: unknown): FilePlace[] {
  const places: FilePlace[] = [];
  const fields = asObject(record);
  for (const role of ROLES) {
    const blocks = asObject(fields?.[role])?.['blocks'];
    if (!Array.isArray(blocks)) continue;
    blocks.forEach((block: unknown, blockIndex) => {
      const type = blockTypeOf(asObject(block)?.['type']);
      new BlockWalk(places, role, blockIndex, type).block(block);
    });
  }
  if (fields) outsideOfBlocks(new BlockWalk(places, 'record', 0, OUTSIDE), fields);
  return places;
}

class BlockWalk {
  readonly #kind: string;
  readonly #shape: ShownShape;
  readonly #isFile: boolean;
  /** Its entries are names of sources, or questions: links in them are not files. */
  readonly #isOfLinks: boolean;
  /** Its texts are for people: JSON in them is not part of the record's structure. */
  readonly #isForPeople: boolean;
  /** Inside JSON in a text of the record. */
  #isInText = false;
  readonly #places: FilePlace[];
  readonly #role: FileRole;
  readonly #blockIndex: number;

  constructor(places: FilePlace[], role: FileRole, blockIndex: number, type: string | null) {
    this.#places = places;
    this.#role = role;
    this.#blockIndex = blockIndex;

    this.#kind = type ?? '';
    const shape = shapeOf(type);
    this.#shape = shape;
    this.#isFile = isFileShape(shape);
    this.#isOfLinks = isListShape(shape);
    this.#isForPeople = isTextShape(shape) || this.#isOfLinks || this.#kind === OUTSIDE;
  }

  block(block: unknown): void {
    const fields = asObject(block);
    if (!fields) {
      this.value(block);
      return;
    }
    const { content } = fields;
    const before = this.#places.length;
    const slot = { holder: fields, key: 'content' };
    if (this.#isFile) this.#fileContent(content, slot);
    else if (this.#isForPeople || this.#shape === 'link' || this.#kind === '') this.value(content);
    else this.#otherContent(content, slot);
    this.members(fields, OF_BLOCK);
    if (!this.#isFile || this.#places.length > before) return;
    const named = asObject(content);
    this.#add(named ? { holder: named, key: 'url' } : slot, null);
  }

  /** A text that is the content of a TABLE or an IMAGE is its URL, or its key in a storage. */
  #fileContent(content: unknown, slot: Slot): void {
    const list: readonly unknown[] = Array.isArray(content) ? content : [content];
    list.forEach((item, index) => {
      const itemSlot = Array.isArray(content) ? { holder: content, key: index } : slot;
      if (typeof item !== 'string') this.value(item);
      else if (objectOrListIn(item)) this.#text(item);
      else if (item !== '') this.#add(itemSlot, item);
    });
  }

  /** A block that consists of a URL points to a file, whatever its type: a VIDEO, say. */
  #otherContent(content: unknown, slot: Slot): void {
    const list: readonly unknown[] = Array.isArray(content) ? content : [content];
    list.forEach((item, index) => {
      if (typeof item !== 'string' || !isSoleUrl(item)) this.value(item);
      else {
        const itemSlot = Array.isArray(content) ? { holder: content, key: index } : slot;
        this.#string(item, isLinkName(this.#kind) ? 'link' : 'file', itemSlot.holder, itemSlot.key);
      }
    });
  }

  value(value: unknown): void {
    if (typeof value === 'string') this.#text(value);
    else if (Array.isArray(value)) value.forEach((item: unknown) => this.value(item));
    else if (typeof value === 'object' && value !== null) this.members(value as JsonObject);
  }

  /** `url` first, the others by name: not in the order sent, which may differ with every read. */
  members(fields: JsonObject, but: ReadonlySet<string> = NOTHING): void {
    const hasUrl = Object.hasOwn(fields, 'url') && !but.has('url');
    if (hasUrl) this.#member(fields, 'url');
    for (const key of sortedKeys(fields)) {
      if (key !== 'url' && !but.has(key)) this.#member(fields, key);
    }
  }

  #member(fields: JsonObject, key: string): void {
    const value = fields[key];
    if (typeof value === 'string') this.#string(value, key, fields, key);
    else if (Array.isArray(value)) {
      const itemName = nameOfEach(key);
      value.forEach((item: unknown, index) => {
        if (typeof item === 'string') this.#string(item, itemName, value, index);
        else this.value(item);
      });
    } else this.value(value);
  }

  #string(value: string, name: string, holder: object, key: string | number): void {
    if (!this.#isOfLinks && isFileMember(name, value)) this.#add({ holder, key }, value);
    else if (mayBePresigned(value) && isPresigned(value)) {
      this.#add({ holder, key }, value, 'PRESIGNED_LINK');
    } else this.#text(value);
  }

  #text(text: string): void {
    const inner = this.#isForPeople ? undefined : objectOrListIn(text);
    if (inner) {
      const around = this.#isInText;
      this.#isInText = true;
      this.value(inner);
      this.#isInText = around;
      return;
    }
    if (!mayHoldLink(text)) return;
    const isMarkdown = this.#shape !== 'code' && this.#shape !== 'sources';
    for (const { kind, url, name } of linksInText(text, { isMarkdown })) {
      const role = this.#role;
      const blockIndex = this.#blockIndex;
      this.#places.push({ role, blockIndex, kind, name, url, expiresAt: null, slot: undefined });
    }
  }

  #add(slot: Slot, url: string | null, kind = this.#kind): void {
    const beside = asObject(slot.holder);
    this.#places.push({
      role: this.#role,
      blockIndex: this.#blockIndex,
      kind,
      name: typeof beside?.['name'] === 'string' ? beside['name'] : null,
      url,
      expiresAt: expiryOf(beside?.['expires_at']),
      slot: this.#isInText ? undefined : slot,
    });
  }
}

/** The record's own members, and those of its question and answer. */
function outsideOfBlocks(walk: BlockWalk, record: JsonObject): void {
  const parts = ROLES.filter((role) => Array.isArray(asObject(record[role])?.['blocks']));
  walk.members(record, new Set<string>(parts));
  for (const role of parts) walk.members(asObject(record[role]) ?? {}, OF_PART);
}

function expiryOf(value: unknown): bigint | null {
  return typeof value === 'string' ? (parseTimestamp(value) ?? null) : null;
}
