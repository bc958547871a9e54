/** What a pack has of the log of its archive, and how a commit is checked. */
import { keyFile } from '../pack-checks.js';
import type { PackFacts } from '../pack-facts.js';
import type { ExampleCommit } from '../pack-log.js';

export function logSection(facts: PackFacts): string {
  const { making, commits, example } = facts;
  const { asOf } = making;
  const last =
    asOf === null ? 'none: the log is empty.' : `commit ${asOf.number}, digest\n  ${asOf.digest}`;
  return `The log is a chain: each commit holds its own digest and that of the one before.
commits/chain.csv lists every commit of the archive, from the first to the one whose
data this pack has (later ones at most note that something was searched, made or tried,
or sum up the log, as snapshots do): each "previous" must be the "digest" of the row
above. The last is
${last}
${wholeCommitsText(facts)}
${example === undefined ? '' : commitSection(example, facts)}
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
`;
}

function wholeCommitsText({ commits: { whole }, request }: PackFacts): string {
  const here = `Commits that name nobody else are here as they stand in the archive: ${whole}.`;
  if (whole === 0) return here;
  const records = request === undefined ? '' : ', and what was recorded for the request';
  return `${here} Holds on
the users here (holds.csv), if there are any, are among them${records}.`;
}

/** How the digest and the signature of a commit are checked, shown on one that is there. */
function commitSection(
  { path, isSigned }: ExampleCommit,
  { signer, areSigned }: PackFacts,
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
