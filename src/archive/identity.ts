/** The identity of an archive: jobvault.json (I-5 to I-8 in FORMAT.md). */
import { z } from 'zod';
import { UsageError } from '../base/error.js';
import { readerBy } from '../base/read-by-schema.js';
import { parseJson } from '../base/text/parse-json.js';
import { IntegrityError } from './archive-errors.js';
import { IDENTITY_PATH } from './paths.js';
import { ARCHIVE_FORMATS, type ArchiveFormat } from '../formats/formats.js';

/** Version of the archive's layout. A new archive has the first; an unknown one is refused. */
const FIRST_FORMAT = 1;
/** The archive may have redacted commits, which a reader of the first format would take for damaged. */
export const REDACTED_FORMAT = 2;

const id = z.string().regex(/^[0-9A-HJKMNP-TV-Z]{26}$/);
const service = z.strictObject({
  base_url: z.string().min(1),
  /** A label of the user's choice, or null. */
  project: z.string().min(1).nullable(),
});
/** The formats of the tables, in the order of `ARCHIVE_FORMATS`; fixed by the first run. */
const formats = z.array(z.enum(ARCHIVE_FORMATS)).min(1);

/** What a pseudonymised copy was made without, as far as its own log does not tell it: as caveats say it, without names. */
const lackSchema = z.strictObject({
  kind: z.string().min(1),
  severity: z.enum(['missing', 'doubt', 'note']),
  count: z.int().nonnegative(),
  headline: z.string().min(1),
  /** Whether nobody has decided on it. */
  open: z.boolean(),
});

export type CopyLack = Readonly<z.infer<typeof lackSchema>>;

/** What every commit repeats, so that the chain and the signatures cover it: all but the format, which an erasure changes. */
export const commitIdentitySchema = z.strictObject({
  id,
  made_by: z.string().min(1),
  created_at: z.iso.datetime(),
  service,
  formats,
  /**
   * What became of the texts of a pseudonymised copy, which proves nothing about the service. Absent of any other
   * archive.
   */
  pseudonymised: z
    .strictObject({
      texts: z.enum(['dropped', 'kept']),
      times: z.enum(['days', 'kept']),
      /** It has only what a request is about; absent of all of the archive. */
      part: z.literal(true).optional(),
      /** Absent of nothing. */
      lacks: z.array(lackSchema).min(1).readonly().optional(),
      /** Users who are one person each, as the original showed; absent of none. */
      people: z
        .array(z.array(z.string().min(1)).min(2).readonly())
        .min(1)
        .readonly()
        .optional(),
    })
    .optional(),
});

const identitySchema = z.strictObject({
  format: z.union([z.literal(FIRST_FORMAT), z.literal(REDACTED_FORMAT)]),
  ...commitIdentitySchema.shape,
  /** Names a copy beside its original, whose log and so whose `id` it has; another after each update. */
  copy: id.optional(),
});
const readFormat = readerBy(z.object({ format: z.int() }));
const readIdentity = readerBy(identitySchema);

export type ArchiveIdentity = z.infer<typeof identitySchema>;
type CommitIdentity = z.infer<typeof commitIdentitySchema>;
/** The same, read-only. */
type ReadonlyIdentity = Readonly<Omit<CommitIdentity, 'service' | 'formats' | 'pseudonymised'>> & {
  readonly service: Readonly<CommitIdentity['service']>;
  readonly formats: readonly ArchiveFormat[];
  readonly pseudonymised?: Readonly<CommitIdentity['pseudonymised']>;
};

export function commitIdentityOf({
  id,
  made_by,
  created_at,
  service: { base_url, project },
  formats,
  pseudonymised,
}: ReadonlyIdentity): CommitIdentity {
  return {
    id,
    made_by,
    created_at,
    service: { base_url, project },
    formats: [...formats],
    ...(pseudonymised && {
      pseudonymised: {
        texts: pseudonymised.texts,
        times: pseudonymised.times,
        ...(pseudonymised.part && { part: true }),
        ...(pseudonymised.lacks && { lacks: pseudonymised.lacks }),
        ...(pseudonymised.people && { people: pseudonymised.people }),
      },
    }),
  };
}

/** Names an archive where its copies are not meant: a copy that lives on shares no queue with its original. */
export function ownIdOf({ id, copy }: ArchiveIdentity): string {
  return copy ?? id;
}

/** The first difference as text: `id "a" instead of "b"`; undefined if there is none. */
export function identityDifference(
  found: ReadonlyIdentity,
  expected: ReadonlyIdentity,
): string | undefined {
  const facts = (identity: ReadonlyIdentity): [string, string | null][] => [
    ['id', identity.id],
    ['service', identity.service.base_url],
    ['project', identity.service.project],
    ['formats', identity.formats.join(',')],
    ['made_by', identity.made_by],
    ['created_at', identity.created_at],
    ['pseudonymised', identity.pseudonymised?.texts ?? null],
    ['lacks', JSON.stringify(identity.pseudonymised?.lacks ?? null)],
  ];
  const expectedFacts = new Map(facts(expected));
  const different = facts(found).find(([name, value]) => expectedFacts.get(name) !== value);
  if (!different) return undefined;
  const [name, value] = different;
  return `${name} ${JSON.stringify(value)} instead of ${JSON.stringify(expectedFacts.get(name))}`;
}

/** @throws {UsageError} it is a pseudonymised copy, which cannot be what is asked for */
export function assertNotPseudonymised(location: string, { pseudonymised }: ArchiveIdentity): void {
  if (!pseudonymised) return;
  throw new UsageError(
    `${location} is a pseudonymised copy, which proves nothing: nothing is exported to it, restored from it or deleted because of it; name the archive that it was made of`,
  );
}

export function encodeIdentity(identity: ArchiveIdentity): Buffer {
  return Buffer.from(`${JSON.stringify(identitySchema.parse(identity), null, 2)}\n`);
}

/**
 * @param location for the message
 * @throws {IntegrityError} the bytes are not the identity of an archive
 * @throws {UsageError} the archive has a newer format
 */
export function decodeIdentity(location: string, bytes: Uint8Array): ArchiveIdentity {
  let format: unknown;
  try {
    const value: unknown = parseJson(Buffer.from(bytes).toString());
    format = readFormat(value).format;
    if (format === FIRST_FORMAT || format === REDACTED_FORMAT) return readIdentity(value);
  } catch (cause) {
    throw damaged({ cause });
  }
  if (Number(format) < FIRST_FORMAT) throw damaged({});
  throw new UsageError(
    `${location} has archive format ${String(format)}; this version of jobvault reads formats up to ${REDACTED_FORMAT}: use a newer version`,
  );
}

function damaged(details: { readonly cause?: unknown }): IntegrityError {
  const detail = 'is damaged: it is not a valid archive identity';
  return new IntegrityError(IDENTITY_PATH, 'unreadable', detail, details);
}
