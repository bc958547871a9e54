/** How whoever has a pack checks its files, its time stamps and its signature. */
import { PACK_SIGNATURE } from '../bag.js';
import { CHECK_COMMANDS, keyFile, signatureCommand } from '../pack-checks.js';
import type { PackFacts } from '../pack-facts.js';

/** What is below `data` and not in the manifest: POSIX. A digest and two spaces take 66 characters. */
const LIST_ADDED = `find data ! -type d | awk 'NR == FNR { listed[substr($0, 67)]; next } !($0 in listed)' manifest-sha256.txt -`;

export function checkSection({ authorities, signer }: PackFacts): string {
  return `HOW TO CHECK IT

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

${stampSection(authorities)}${keySection(signer)}`;
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
