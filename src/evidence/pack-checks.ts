/** How a pack is checked: the commands, as its first page and its README.txt show them. */
import type { CommitSigner } from '../archive/log/signing.js';
import type { PageNote } from '../report/first-page/index-html.js';
import { PACK_SIGNATURE, TAG_MANIFEST } from './bag.js';

/** Who signs the pack; `public-key.pem` is in it where its PEM is known. */
export type PackSigner = Pick<CommitSigner, 'publicKeyId' | 'publicKey'>;

/** Each is typed in the top directory of the pack. Those for Windows were read against the documentation of PowerShell, and never ran. */
export const CHECK_COMMANDS = {
  files: `sha256sum -c --quiet --strict manifest-sha256.txt ${TAG_MANIFEST}`,
  /** The same in Windows PowerShell 5.1 or newer; the names in a pack are ASCII, whatever code page it reads with. */
  filesOnWindows: `Get-Content manifest-sha256.txt, ${TAG_MANIFEST} | ForEach-Object { $sum, $path = $_ -split '  ', 2; if (-not (Test-Path -LiteralPath $path) -or (Get-FileHash -LiteralPath $path).Hash -ne $sum) { $path } }`,
  /** Lists what is below `data` and not in the manifest. */
  addedOnWindows: `$listed = Get-Content manifest-sha256.txt | ForEach-Object { $_.Substring(66) }; Get-ChildItem data -Recurse -File -Force -Name | ForEach-Object { 'data/' + $_.Replace('\\', '/') } | Where-Object { $listed -cnotcontains $_ }`,
  digest: `sha256sum ${TAG_MANIFEST}`,
  digestOnWindows: `(Get-FileHash ${TAG_MANIFEST}).Hash.ToLower()`,
} as const;

export function signatureCommand(signer: PackSigner): string {
  return `openssl pkeyutl -verify -pubin -inkey ${keyFile(signer)} -rawin -in ${TAG_MANIFEST} -sigfile ${PACK_SIGNATURE}`;
}

/** The PEM file of the key, seen from the top directory of the pack. */
export function keyFile({ publicKey }: PackSigner): string {
  return publicKey === undefined ? 'public-key.pem' : 'data/public-key.pem';
}

/** The files first: a signature alone passes a pack of which a page was forged. */
export function checkNote(signer: PackSigner | undefined): PageNote {
  const { files, filesOnWindows, addedOnWindows, digest, digestOnWindows } = CHECK_COMMANDS;
  return {
    heading: 'How to check it',
    lines: [],
    commands: [
      {
        text: 'In the directory above this page, this prints each file that was changed or is missing, and nothing where none is',
        command: files,
      },
      { text: 'The same in Windows, in PowerShell', command: filesOnWindows },
      {
        text: 'In Windows, this prints each file that was added below data, and nothing where none was; README.txt has such a line for other systems',
        command: addedOnWindows,
      },
      {
        text: 'Whoever changes a file can change the list of digests, too. So compare this digest of the whole pack with the one that you were told by another way, such as in a letter',
        command: digest,
      },
      { text: 'The same in Windows, in PowerShell', command: digestOnWindows },
      ...(signer === undefined
        ? []
        : [
            {
              text: `It is signed. With OpenSSL 3 this must say “Signature Verified Successfully”. It looks at ${TAG_MANIFEST} and at no other file: a page that was forged passes it, and only the first command sees that. Whose key it is, its owner must tell you`,
              command: signatureCommand(signer),
            },
          ]),
    ],
    links: [
      { href: 'README.txt', text: 'README.txt: files that were added, and what a pack proves' },
    ],
  };
}
