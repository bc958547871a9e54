/** README.txt of a pack: what it is, how to check it, what it proves and what it does not. */
import type { ArchiveIdentity } from '../archive/identity.js';
import type { Caveat } from '../archive/reading/caveats/caveat.js';
import { headlineOf, type Elsewhere } from '../archive/reading/caveats/caveat-text.js';
import { shownLine } from '../base/text/short-texts.js';
import { PACK_SIGNATURE } from './bag.js';
import { CHECK_COMMANDS, keyFile, type PackSigner, signatureCommand } from './pack-checks.js';
import type { CommitCounts, ExampleCommit } from './pack-log.js';
import { COLUMNS_SECTION } from './pack-columns.js';
import type { Packed } from './packed.js';
import { foundText, hitCountText } from '../search/search-facts.js';
import { searchedText } from '../search/search-fields.js';
import type { PackSearchStatement } from './search-statement.js';
import type { Making, ProductRequest } from '../making/making.js';
import { caveatSections, folded, shortLines } from './readme-lines.js';

/** What a pack says of itself: here, on its page and in its summary. */
export interface PackFacts {
  readonly identity: ArchiveIdentity;
  readonly making: Making;
  readonly packed: Packed;
  readonly commits: CommitCounts;
  /** Signed, if any whole one is; undefined where none is whole. */
  readonly example: ExampleCommit | undefined;
  readonly areSigned: boolean;
  /** As whoever gets the pack is told them. */
  readonly caveats: readonly Caveat[];
  /** ISO 8601 */
  readonly madeAt: string;
  readonly tool: string;
  readonly search: PackSearchStatement | null;
  readonly request: ProductRequest | undefined;
  /** Who hands the pack over. */
  readonly organization: string | undefined;
  /** Who has made it; undefined: nobody is named. */
  readonly by: string | undefined;
  readonly signer: PackSigner | undefined;
  /** Hosts of the time-stamp authorities that are asked. */
  readonly authorities: readonly string[];
}

/** Files of a pack that name what its page and this text do not. */
export const NAMED_IN_PACK: Elsewhere = {
  gap: 'gaps.csv',
  accepted_gap: 'gaps.csv',
  doubted: 'gaps.csv',
  lost_file: 'gaps.csv',
  left_out: 'gaps.csv',
  withheld: 'withheld.csv',
  redacted: 'withheld.csv',
  undated: 'items.csv',
  unsettled: 'items.csv',
  suspicious_file: 'items.csv',
  gone: 'index.csv',
  hold: 'holds.csv',
  erased: 'summary.csv',
  maybe_erased: 'summary.csv',
  not_proven: 'summary.csv',
  table_not_searched: 'tables-not-searched.csv',
  table_in_part: 'tables-not-searched.csv',
};

const WITHHELD_FILE = `  withheld.csv     what was withheld or redacted by decision: which conversations and
                   questions, who decided it, when and why, and nothing of them
`;

const UNREAD_FILE = `  tables-not-searched.csv
                   tables that the search for words did not read, or only in
                   their first 16 KB: conversation, question and file
`;

const REDACTED_RECORD = `;
                   of a redacted question only its id`;

/** Lines are short, so that every viewer shows them whole. */
export function packReadme({
  identity,
  making,
  packed,
  commits,
  example,
  areSigned,
  caveats,
  madeAt,
  tool,
  search,
  request,
  organization,
  by,
  signer,
  authorities,
}: PackFacts): string {
  const { asOf } = making;
  const part = partOf(making, search);
  return folded(`EVIDENCE PACK

${shortLines(headlineOf(caveats))}
${organization === undefined ? '' : `\nHanded over by ${organization}.\n`}
Made ${madeAt} by ${by === undefined ? tool : `${shownLine(by)} with ${tool}`}
from archive ${identity.id}
of ${identity.service.base_url}${identity.service.project === null ? '' : ` (project "${identity.service.project}")`}.
${request === undefined ? '' : `\nMade for the request ${shownLine(request.name)}\nof ${request.since.slice(0, 10)}, asked by ${shownLine(request.by)}: ${shownLine(request.reason)}\n`}
A conversation is what columns and ids in this pack call a session. A question, with its
answer, is what they call a job.

It has what the archive has of ${part}
in summary.csv:

  users           ${packed.people.size}  (who have conversations)
  conversations   ${packed.sessions}
  questions       ${packed.jobs}  (each with its answer)
  records         ${packed.records}  (every version of every question)
  tables, images  ${packed.artifacts.size}  (each once)
${caveatSections(caveats, NAMED_IN_PACK)}${search === null ? '' : searchSection(search)}
WHAT IS IN IT

  index.html       to open in a browser: every conversation with its images and tables,
                   ${search?.searched_in == null ? '' : 'why each question is here, '}what was left out; to search and to print
  data/            what index.html shows: it loads nothing from elsewhere
  index.csv        every conversation with its date and title, as a table: of one user
                   after the other, the oldest first
  summary.csv      one row per id of a user, also for users with only left-out questions
  items.csv        one row per conversation, question (every version) and file: ids,
                   SHA-256, and where it lies in the pack and in the archive
  locations.csv    where each came from: service, endpoint, the file's URL
                   (without its query, which had a signature)
  settings.csv     which settings chose the data, for this pack and in each run
  gaps.csv         what is known to be missing or was left out, and why
${making.selection.decisions.isEmpty ? '' : WITHHELD_FILE}${search?.searched_in == null ? '' : UNREAD_FILE}  holds.csv        holds on these users and conversations: who asked (by), who set them
                   (set_by; empty if the log does not say it), why, from when to when${request === undefined ? '' : '\n                   (those for this request, and those for no request)'}
  records/         a JSON list for each conversation: questions and answers,
                   each exactly as the service sent it (URLs in it may have
                   signatures, which expired minutes later)${caveats.some(({ kind }) => kind === 'redacted') ? REDACTED_RECORD : ''}
  transcripts/     each conversation as a text to read: questions, answers, sources,
                   proposed questions, file names (code only if a search has found it
                   there; index.html and records/ have all); named by date and title
  artifacts/       the tables and images, each named by its SHA-256
  commits/         the archive's log as far as it concerns these users
  jobvault.json    which archive this is

The CSV files are UTF-8 with a byte order mark, so that a spreadsheet reads letters with
accents and of other scripts, and as RFC 4180 describes; times are UTC. A spreadsheet
would run a text that begins with = + - @ (or a tab or line break) as a formula,
so such a text has an apostrophe in front; so has one behind a semicolon, a tab or
a line break within a text, where some spreadsheets begin a new cell. One that was
there before has a second one. To get the original text, remove one apostrophe at the
beginning and behind every semicolon, tab and line break (CR, LF).

${COLUMNS_SECTION}HOW TO CHECK IT

The pack is a BagIt bag (RFC 8493). In its top directory (the one above this):

  ${CHECK_COMMANDS.files}

It prints only files that have changed or are missing, and nothing if all are intact. With
--strict it also fails if a line of a manifest cannot be read. (On macOS: shasum -a 256 -c
--quiet --strict ...; without --quiet, every line must end in OK.) It does not see files
that somebody has added: a file below data/ that the manifest does not list is not part of
the pack. The following line prints such files, and nothing if there are none. It looks
only below data/: a file beside data/ is part of the pack only if tagmanifest-sha256.txt
lists it, or if it is that file, its signature or a time stamp of it.

  ${LIST_ADDED}

Both manifests could have been exchanged together with the files. So compare the digest
of the pack,

  ${CHECK_COMMANDS.digest}

with the one that you got from the sender by another way, such as in a letter.

In Windows, in PowerShell, the three are

  ${CHECK_COMMANDS.filesOnWindows}
  ${CHECK_COMMANDS.addedOnWindows}
  ${CHECK_COMMANDS.digestOnWindows}

${stampSection(authorities)}${keySection(signer)}The log is a chain: each commit holds its own digest and that of the one before.
commits/chain.csv lists every commit of the archive, from the first to the one whose
data this pack has (later ones at most note that something was searched or made): each
"previous" must be the "digest" of the row above. The last is
${asOf === null ? 'none: the log is empty.' : `commit ${asOf.number}, digest\n  ${asOf.digest}`}
${wholeCommitsText(commits, request !== undefined)}
${example === undefined ? '' : commitSection(example, { signer, areSigned })}
Commits that also name other people, or conversations that this pack does not cover, are
here as extracts: ${commits.extracts}. An extract has what the commit says of the users here, with
number, digest and "previous" of the whole commit. That digest cannot be computed
from the extract; somebody with access to the archive can compare it there. Commits that say
nothing of what is in this pack, and records of other requests, are in the chain alone,
with their digests: ${commits.others}. Where "redacted_by" has a number, an erasure took something out
of that commit after it was written: digest and signature are those of the whole one, and
the receipt in the extract of that number ("erasure") vouches for what is left: it has the
SHA-256 of the commit as it is now, and how much was erased. What is not of this pack's
request is left out of it: who erased, why, and for which request.

WHAT IT PROVES

- No file that the manifests list has changed since the pack was made, if the manifests
  check and the digest of the pack is the one that you were told by another way${signer === undefined ? '' : ', or its\n  signature is of a key of which you were told so'}.
- Everything in the pack was what the archive's log names: each file was read from
  the archive and its SHA-256 compared while the pack was made.
- "complete" in summary.csv: "no": something is missing; "by decision": somebody has
  decided on all that is missing: it was erased, its gaps are accepted, a question of
  unknown date is excluded, or questions are withheld or redacted. "yes": as many conversations were listed, and as many
  questions read, as the service itself counted, and every file was stored. "not proven":
  the user's conversations were never listed completely, or not all of those that were
  listed last were archived by that run, or some of them may have been erased from the
  archive since, or the archive has another spelling of the id, with conversations that are
  not in the pack and are, or may be, of the same person; in a pack of a search also:
  conversations of the user that it searched have gaps. "never seen": the service has listed nothing of this id, and nothing of it
  is archived: complete, if the id is right. A conversation that was erased is in no
  pack, and "yes" says nothing of it. If counts show whose it was, "erased" says so; of
  others nothing does: of an archive with erasures, how many it has is said at the top.
${search?.searched_in == null ? '' : UNREAD_PROVES}- "erased_since" in summary.csv: how many conversations the archive has erased since the
  user's conversations were listed last. The log keeps a receipt of each erasure. It says
  how many were erased, and never whose. So if fewer conversations are here than were
  listed, up to that number may have been erased, of this user or of others; if more
  are missing, gaps.csv says so. The next export lists the conversations again.
- "erased" in summary.csv: how many conversations of the user were certainly erased: they
  were listed and archived, receipts of erasures lie between, and the archive has fewer.

WHAT IT DOES NOT PROVE

- That nobody has rewritten the whole archive before the pack was made. A digest
  of the log that was lodged elsewhere before, or a signature, can show that.
- Whose key has signed: a signature, of a pack or in the log, names a key, not a person.
  Somebody whom you trust must tell you who owns the key.
- That the service sent everything: the archive never saw what the service hides from its
  own lists, or what was deleted or changed between two runs.
- When something was asked. Created-at times are read off ids that embed one, and
  are empty otherwise; exported-at is the archiving machine's own clock.
- Who sat at the keyboard: user ids are what the service was given.
`);
}

/** That a pack has only a part is said where it has one. */
const UNREAD_PROVES = `- "complete" says what is archived, and nothing of how far a search looked: that is in
  "tables_not_searched" and "tables_in_part" (only their first 16 KB were searched) of
  summary.csv, and in tables-not-searched.csv. Words may stand there all the same.
`;

function wholeCommitsText({ whole }: CommitCounts, isForRequest: boolean): string {
  const here = `Commits that name nobody else are here as they stand in the archive: ${whole}.`;
  if (whole === 0) return here;
  const records = isForRequest ? ', and what was recorded for the request' : '';
  return `${here} Holds on
the users here (holds.csv), if there are any, are among them${records}.`;
}

function stampSection(authorities: readonly string[]): string {
  if (authorities.length === 0) return '';
  return `Time-stamp authorities (RFC 3161) were asked, when the pack was whole, to confirm that
it existed: ${authorities.join(', ')}.
What they answered is beside the manifests, timestamp-1.tsr and so on; one that could
not be reached has no file there. With the authority's certificate in ca.pem:

  openssl ts -verify -data tagmanifest-sha256.txt -in timestamp-1.tsr -CAfile ca.pem
  openssl ts -reply -in timestamp-1.tsr -text

The first must say "Verification: OK", the second tells the time. Get ca.pem from the
authority, not from the sender of the pack.

`;
}

/** What is below `data` and not in the manifest: POSIX. A digest and two spaces take 66 characters. */
const LIST_ADDED = `find data ! -type d | awk 'NR == FNR { listed[substr($0, 67)]; next } !($0 in listed)' manifest-sha256.txt -`;

/** How the digest and the signature of a commit are checked, shown on one that is there. */
function commitSection(
  { path, isSigned }: ExampleCommit,
  { signer, areSigned }: { readonly signer: PackFacts['signer']; readonly areSigned: boolean },
): string {
  const file = `data/${path}`;
  const digest = `To compute the digest of one: parse the JSON, take out the key "digest", write it again
with the keys of every object sorted and no white space, as UTF-8, and take the SHA-256.
With jq, of one that is here (commits/chain.csv has the digest, and in "file" the others):

  jq -cjS 'del(.digest)' ${file} | sha256sum
`;
  if (!areSigned) return `${digest}\nNo commit of this archive is signed.\n`;
  const key = signer === undefined ? 'public-key.pem' : keyFile(signer);
  return `${digest}
A commit that is signed (Ed25519, "signature") can be checked with the owner's public
key over the same text without "signature"; it vouches for all commits before it,
since "previous" is part of what is signed. ${isSigned ? 'With jq and OpenSSL 3' : 'Of the whole ones here none is.\nWith jq and OpenSSL 3 it is done so'}, and the public
key of the one who keeps the archive in ${key}:

  ${commitSignature(file, key)}

It must say "Signature Verified Successfully". Commits with "redacted_by" are not
checked so, nor are extracts.
`;
}

/** In bash, three lines. OpenSSL wants files of known size: they lie outside of the pack. */
function commitSignature(file: string, key: string): string {
  return String.raw`c=${file}; t=$(mktemp -d); jq -cjS 'del(.digest, .signature)' $c > $t/text &&
  jq -r .signature $c | base64 -d > $t/sig &&
  openssl pkeyutl -verify -pubin -inkey ${key} -rawin -in $t/text -sigfile $t/sig`;
}

function keySection(signer: PackFacts['signer']): string {
  if (signer === undefined) return '';
  const isHere = signer.publicKey !== undefined;
  const file = keyFile(signer);
  return `The pack is signed as a whole: ${PACK_SIGNATURE} (Ed25519) is over the manifest
of the manifests, and so over every file that they list. With OpenSSL 3:

  ${signatureCommand(signer)}

It must say "Signature Verified Successfully", and the manifests must check as above: the
signature alone does not see a page or another file that was changed.
${isHere ? `The public key is ${file}; it proves nothing unless somebody whom` : `Get ${file} from the owner of the key; it proves nothing unless somebody whom`}
you trust tells you that it is the owner's. Ask for the SHA-256 of its DER form, and
compare it:

  openssl pkey -pubin -in ${file} -outform DER | sha256sum
  ${signer.publicKeyId}

`;
}

function partOf({ selection }: Making, search: PackSearchStatement | null): string {
  if (search !== null) return 'the questions that a search found, of the users';
  return selection.isNarrowed ? 'the named conversations of the users' : 'the users';
}

function searchSection(search: PackSearchStatement): string {
  const { match, from, to, commit, total, searched, searched_in: fields } = search;
  return `
THE SEARCH

  words           ${match ?? '(any)'}${fields === null ? '' : `\n  looked for in   ${fields.map((field) => searchedText([field])).join(',\n                  ')}`}
  from            ${from ?? '(the beginning)'}
  to              ${to ?? '(the newest)'}${to === null ? '' : '  (a year, month or day as a whole; of a time what is before it; UTC)'}
  in              commit ${commit} of the archive
  questions       ${total}${from === null && to === null ? '' : '  (of the period, or of which nothing tells whether they are)'}
  searched        ${searched}
  found           ${foundText(search)}

${hitsText(search)}
Searched were the newest versions.
${fields === null ? '' : WORDS_FOUND}
search.json says the same for programs.
`;
}

const WORDS_FOUND = `A question counts as having the words in the name of its conversation; "matched_in" in
items.csv says where the words of each question stand. A word is found at the beginning
of a word, one in quotes only as a whole word; in Chinese, Japanese, Thai, Arabic and
Hebrew script anywhere. Capitals and accents make no difference.
`;

function hitsText(search: PackSearchStatement): string {
  const { matches, withheld, total, from, to } = search;
  if (matches > 0) {
    const all =
      matches === 1 ? 'The one question found' : `Every one of the ${matches} questions found`;
    const found = withheld === 0 ? all : 'Every question found that is not withheld';
    return `${found} is in this pack, and none of the others.`;
  }
  const isEmpty = total === 0 && (from !== null || to !== null);
  return isEmpty ? 'No hits: no question of this period is known.' : `${hitCountText(search)}.`;
}
