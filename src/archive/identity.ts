/** jobvault.json: what makes a directory an archive, and whose (I-5 to I-8 in FORMAT.md). */
import { z } from 'zod';
import { UsageError } from '../base/usage-error.js';
import { parseJson } from '../base/parse-json.js';
import { IntegrityError } from './verify/integrity-error.js';
import { IDENTITY_PATH } from './paths.js';

export const ARCHIVE_FORMATS = ['parquet', 'jsonl', 'xlsx'] as const;
export type ArchiveFormat = (typeof ARCHIVE_FORMATS)[number];

/** Of the archive's own layout; a newer one is refused. A new archive has the first. */
const FIRST_FORMAT = 1;
/** An erasure has redacted commits: who knows only the first format would take them for damaged. */
export const REDACTED_FORMAT = 2;

const id = z.string().regex(/^[0-9A-HJKMNP-TV-Z]{26}$/);
const service = z.strictObject({
  base_url: z.string().min(1),
  /** A label of the caller's choice; null where none was given. */
  project: z.string().min(1).nullable(),
});
/** What tables are kept in, in the order of `ARCHIVE_FORMATS`; fixed by the first run. */
const formats = z.array(z.enum(ARCHIVE_FORMATS)).min(1);

/** What of the identity stands in every commit, so that the chain and the signatures cover it. */
export const commitIdentitySchema = z.strictObject({ id, service, formats });

const identitySchema = z.strictObject({
  format: z.union([z.literal(FIRST_FORMAT), z.literal(REDACTED_FORMAT)]),
  id,
  made_by: z.string().min(1),
  created_at: z.iso.datetime(),
  service,
  formats,
});

export type ArchiveIdentity = z.infer<typeof identitySchema>;
type CommitIdentity = z.infer<typeof commitIdentitySchema>;
/** As it is read from a commit. */
type Told = Readonly<Omit<CommitIdentity, 'service' | 'formats'>> & {
  readonly service: Readonly<CommitIdentity['service']>;
  readonly formats: readonly ArchiveFormat[];
};

export function commitIdentityOf({ id: own, service: of, formats: kept }: Told): CommitIdentity {
  return {
    id: own,
    service: { base_url: of.base_url, project: of.project },
    formats: [...kept],
  };
}

/** What differs first, as words: `id "a" instead of "b"`; undefined where nothing does. */
export function identityDifference(found: Told, expected: Told): string | undefined {
  const facts = (told: Told): [string, string | null][] => [
    ['id', told.id],
    ['service', told.service.base_url],
    ['project', told.service.project],
    ['formats', told.formats.join(',')],
  ];
  const wanted = new Map(facts(expected));
  const different = facts(found).find(([name, value]) => wanted.get(name) !== value);
  if (!different) return undefined;
  const [name, value] = different;
  return `${name} ${JSON.stringify(value)} instead of ${JSON.stringify(wanted.get(name))}`;
}

export function encodeIdentity(identity: ArchiveIdentity): Uint8Array {
  return Buffer.from(`${JSON.stringify(identitySchema.parse(identity), null, 2)}\n`);
}

/**
 * @param location for the message
 * @throws {IntegrityError} the bytes are no identity
 * @throws {UsageError} the archive has a newer format
 */
export function decodeIdentity(location: string, bytes: Uint8Array): ArchiveIdentity {
  let format: unknown;
  try {
    const value: unknown = parseJson(Buffer.from(bytes).toString());
    format = z.object({ format: z.int() }).parse(value).format;
    if (format === FIRST_FORMAT || format === REDACTED_FORMAT) return identitySchema.parse(value);
  } catch (cause) {
    throw damaged({ cause });
  }
  if (Number(format) < FIRST_FORMAT) throw damaged({});
  throw new UsageError(
    `${location} is an archive of format ${String(format)}, and this version of jobvault reads formats up to ${REDACTED_FORMAT}: use a newer version`,
  );
}

function damaged(details: { readonly cause?: unknown }): IntegrityError {
  const detail = 'is damaged: it does not read as the identity of an archive';
  return new IntegrityError(IDENTITY_PATH, 'unreadable', detail, details);
}
