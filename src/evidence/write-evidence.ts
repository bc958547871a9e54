/** Makes an evidence pack: everything that an archive holds of some users or sessions, as a BagIt bag. */
import { fromSnapshot } from '../archive/archive.js';
import {
  assertNotPseudonymised,
  decodeIdentity,
  type ArchiveIdentity,
} from '../archive/identity.js';
import { IDENTITY_PATH } from '../archive/paths.js';
import { readConsistently } from '../archive/consistent-read.js';
import { formatByteSize } from '../base/byte-size.js';
import { UsageError } from '../base/error.js';
import type { Storage } from '../storage/storage.js';
import { assemblePack } from './assemble.js';
import { Bag, stampPack, type PackStamping } from './bag.js';
import { writeCommits, type CommitCounts } from './pack-log.js';
import { nothingPacked, type Packed } from './packed.js';
import type { PackFacts } from './pack-facts.js';
import { packReadme } from './pack-readme.js';
import { CsvFiles } from './csv-files.js';
import { writeLeftOut, writeUnreadTables } from './user-rows.js';
import { writePackPage, type PackCaveats } from './pack-page.js';
import { SessionIndex } from './session-index.js';
import { Making, type ProductOptions } from '../making/making.js';
import { Survey } from '../making/survey.js';
import type { SearchChoice } from '../search/search-choice.js';
import type { Caveat } from '../archive/reading/caveats/caveat.js';
import { completenessOf } from '../archive/reading/caveats/caveat-text.js';
import type { Made } from '../making/made.js';
import { stateSearch, type PackSearchStatement } from './search-statement.js';

export interface EvidenceOptions extends ProductOptions, PackStamping {
  /** Empty. Nothing in it counts before this resolves; close it in any case. */
  readonly target: Storage;
  /** Who hands the pack over, for `bag-info.txt`. */
  readonly organization?: string | undefined;
}

export interface EvidenceSummary extends Made {
  /** Versions of jobs. */
  readonly records: number;
  readonly commits: CommitCounts;
  readonly search: PackSearchStatement | null;
  /** As that of its bag. */
  readonly digest: string;
  /** The key that has signed the pack (SHA-256 of the public key); null where nobody has. */
  readonly signed_by: string | null;
  /** Tokens of time-stamp authorities. */
  readonly timestamps: number;
  /** The files of the payload. */
  readonly files: number;
}

/**
 * Reads only what the log names as of now, and checks every byte of it.
 *
 * @throws {UsageError} a user or session is not in the archive, the target is not empty, or the archive is a pseudonymised copy
 * @throws {IntegrityError | FormatError} the archive is damaged; the message names the object
 * @throws {RewrittenMeanwhileError} something has left the archive since: empty the target and call again
 * @throws the signal's reason, when it is aborted
 */
export async function writeEvidence(options: EvidenceOptions): Promise<EvidenceSummary> {
  const { archive } = options;
  assertNotPseudonymised(archive.storage.location, archive.identity);
  await assertReady(options);
  return readConsistently(archive, 'pack', async () => {
    // a pack of named sessions says of their users, too, how whole they are archived
    const making = await Making.of({ ...options, tellsListings: true }, 'pack');
    // fails if a snapshot has seen a newer commit: the log has then lost it
    await fromSnapshot(archive).index.refresh();
    return writePack(options, await Survey.of(making));
  });
}

async function writePack(options: EvidenceOptions, survey: Survey): Promise<EvidenceSummary> {
  const { making } = survey;
  const bag = await Bag.begin(options.target);
  try {
    const words = making.found?.facts.searched_in != null;
    const decisions = !making.selection.decisions.isEmpty;
    const csv = await CsvFiles.open(bag, { words, decisions });
    const madeAt = new Date(options.archive.clock.now()).toISOString();
    const index = new SessionIndex(csv, making.holds);
    const pack = { options, making, survey, bag, csv, index, packed: nothingPacked(), madeAt };
    return await fillPack(pack);
  } finally {
    await bag.settle();
  }
}

/** What every step of a pack adds to, and counts in. */
interface OpenPack {
  readonly options: EvidenceOptions;
  readonly making: Making;
  readonly survey: Survey;
  readonly bag: Bag;
  readonly csv: CsvFiles;
  readonly index: SessionIndex;
  readonly packed: Packed;
  /** ISO 8601 */
  readonly madeAt: string;
}

/** Conversations and log first: what the pack says of itself counts them. */
async function fillPack(pack: OpenPack): Promise<EvidenceSummary> {
  await writeOwnSettings(pack);
  const identity = await addIdentity(pack);
  const { archive, target, signal } = pack.options;
  await assemblePack({ ...pack, archive, target, signal });
  const counts = await addLog(pack);
  const facts = factsOf(pack, { identity, ...counts });
  const caveats = await addKeyAndPage(pack, facts);
  const search = await addSearchStatement(pack, caveats);
  const said = { ...facts, search, caveats: caveats.recipient };
  await pack.bag.add('README.txt', packReadme(said));
  return summaryOf(said, caveats.operator, await sealPack(pack));
}

async function addIdentity({ options: { archive }, bag }: OpenPack): Promise<ArchiveIdentity> {
  const bytes = await archive.storage.get(IDENTITY_PATH);
  await bag.add(IDENTITY_PATH, bytes);
  return decodeIdentity(archive.storage.location, bytes);
}

/** The commits, and the end of every CSV file. */
async function addLog({ options, making, bag, csv, packed }: OpenPack) {
  const { archive, request, signal } = options;
  const written = await writeCommits({ archive, making, bag, csv, packed, request, signal });
  await writeLeftOut(csv, making);
  await writeUnreadTables(csv, making);
  await csv.finish();
  return { commits: written.counts, example: written.example, areSigned: written.areSigned };
}

async function addSearchStatement(
  { options: { archive, users = [], sessions = [], ...search }, making, bag, madeAt }: OpenPack,
  { recipient: caveats }: PackCaveats,
): Promise<PackSearchStatement | null> {
  const stated = stateSearch({ archive, making, caveats, search, users, sessions, madeAt });
  if (!stated) return null;
  await bag.add('search.json', stated.json);
  return stated.statement;
}

function factsOf(
  { options, making, packed, madeAt }: OpenPack,
  counted: Pick<PackFacts, 'identity' | 'commits' | 'example' | 'areSigned'>,
): Omit<PackFacts, 'caveats' | 'search'> {
  const { archive, request, organization, by, timestampUrls = [] } = options;
  const { signer, tool } = archive;
  return {
    ...counted,
    making,
    packed,
    madeAt,
    tool,
    request,
    organization,
    by,
    signer,
    authorities: timestampUrls.map(({ host }) => host),
  };
}

/** What people begin with is `index.html`. */
async function addKeyAndPage(
  { options, survey, bag, index }: OpenPack,
  facts: Omit<PackFacts, 'caveats' | 'search'>,
): Promise<PackCaveats> {
  const { archive, target, users, sessions, request, by, signal } = options;
  const { signer } = archive;
  if (signer?.publicKey !== undefined) await bag.add('public-key.pem', signer.publicKey);
  const title = request === undefined ? 'Evidence pack' : `Evidence pack: ${request.name}`;
  const report = { ...choiceOf(options), archive, target, users, sessions, by, title, signal };
  return writePackPage({ bag, survey, index, facts, report });
}

async function sealPack({ options, making, bag, madeAt }: OpenPack) {
  const { signer } = options.archive;
  const info = bagInfo(options, making, bag, madeAt);
  const sealed = await bag.seal(info, signer && ((bytes) => signer.sign(bytes)));
  return { ...sealed, timestamps: await stampPack(options.target, options) };
}

function summaryOf(
  { making, packed, commits, search, request, signer }: PackFacts,
  caveats: readonly Caveat[],
  { digest, timestamps, files, bytes }: Awaited<ReturnType<typeof sealPack>>,
): EvidenceSummary {
  return {
    status: completenessOf(caveats),
    caveats,
    users: packed.people.size,
    sessions: packed.sessions,
    jobs: packed.jobs,
    records: packed.records,
    artifacts: packed.artifacts.size,
    commits,
    head: making.asOf,
    search,
    request: request?.name ?? null,
    digest,
    signed_by: signer?.publicKeyId ?? null,
    timestamps,
    files,
    bytes,
  };
}

function choiceOf({ match, from, to, undated, ...options }: SearchChoice): SearchChoice {
  return { match, in: options.in, from, to, undated };
}

async function assertReady({ target, organization, by }: EvidenceOptions): Promise<void> {
  for (const [what, text] of [
    ['the organization', organization],
    ['the name of who makes it', by],
  ] as const) {
    if (text === undefined || !/\p{Cc}|^\s|\s$/u.test(text)) continue;
    throw new UsageError(`${what} must be one line without control characters or spaces around it`);
  }
  for await (const { path } of target.list('')) {
    throw new UsageError(`${target.location} is not empty (it has ${path}); choose a new place`);
  }
}

/** What this pack was asked to hold, beside the settings of the runs. */
async function writeOwnSettings({
  options: { archive, users = [], sessions = [], ...options },
  csv,
  madeAt,
}: OpenPack): Promise<void> {
  for (const [setting, named] of [
    ['user', users],
    ['session', sessions],
    ...Object.entries(scopeSettings(options)).flatMap(([setting, value]) =>
      value === undefined ? [] : [[setting, [value]] as const],
    ),
  ] as const) {
    for (const value of named.length > 0 ? new Set(named) : ['(all)']) {
      await csv.write('settings', {
        of: 'pack',
        commit: null,
        run: null,
        created_at: madeAt,
        tool: archive.tool,
        setting,
        value,
      });
    }
  }
}

function scopeSettings({
  request,
  match,
  from,
  to,
  undated,
  ...options
}: SearchChoice & Pick<EvidenceOptions, 'request' | 'allowLostFiles'>) {
  const lost = options.allowLostFiles === true ? 'yes' : undefined;
  const chosen = { match, in: options.in?.join(','), from, to, undated };
  return { request: request?.name, ...chosen, 'allow-lost-files': lost };
}

function bagInfo(
  { archive, organization, request, by }: EvidenceOptions,
  { asOf }: Making,
  bag: Bag,
  madeAt: string,
): readonly (readonly [string, string])[] {
  return [
    ...(organization === undefined ? [] : [['Source-Organization', organization] as const]),
    ...(by === undefined ? [] : [['Contact-Name', by] as const]),
    ...(request === undefined ? [] : [['External-Identifier', request.name] as const]),
    ['External-Description', 'Questions to an AI data service and its answers'],
    ['Internal-Sender-Identifier', archive.identity.id],
    ...(asOf === null
      ? []
      : [['Head-Commit', String(asOf.number)] as const, ['Head-Digest', asOf.digest] as const]),
    ['Bagging-Date', madeAt.slice(0, 10)],
    ['Bag-Size', formatByteSize(bag.totals.bytes)],
    ['Bag-Software-Agent', archive.tool],
  ];
}
