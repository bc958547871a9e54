/** Reads answers of time-stamp authorities, and checks their tokens with trusted certificates. Source: RFC 3161, RFC 5652, RFC 5816. */
import { createHash, X509Certificate, constants, verify as verifySignature } from 'node:crypto';
import { messageOf } from '../base/error.js';
import { loadAsn1, type Asn1 } from './asn1.js';

export interface Stamp {
  /** The SHA-256 that the authority has seen, in lower-case hexadecimal. */
  readonly sha256: string;
  /** When it had it by the authority's clock, in milliseconds since 1970. */
  readonly atMs: number;
  /** The bytes of the request's nonce; undefined if there was none. */
  readonly nonce: Buffer | undefined;
  readonly token: SignedToken;
}

interface SignedToken {
  /** The signed content: a DER `TSTInfo`. */
  readonly content: Buffer;
  readonly certificates: readonly X509Certificate[];
  readonly signer: {
    readonly digest: string;
    readonly signatureAlgorithm: string;
    readonly signature: Buffer;
    /** DER, as it is signed. */
    readonly attributes: Buffer;
    /** The first value of each attribute by its type; DER. */
    readonly values: ReadonlyMap<string, Buffer>;
  };
}

const SHA256 = '2.16.840.1.101.3.4.2.1';
const SIGNED_DATA = '1.2.840.113549.1.7.2';
const TST_INFO = '1.2.840.113549.1.9.16.1.4';
const CONTENT_TYPE = '1.2.840.113549.1.9.3';
const MESSAGE_DIGEST = '1.2.840.113549.1.9.4';
const SIGNING_CERTIFICATE = '1.2.840.113549.1.9.16.2.12';
const SIGNING_CERTIFICATE_V2 = '1.2.840.113549.1.9.16.2.47';
const TIME_STAMPING = '1.3.6.1.5.5.7.3.8';
const RSA_PSS = '1.2.840.113549.1.1.10';
const GRANTED = [0, 1];
const DIGESTS: ReadonlyMap<string, string> = new Map([
  [SHA256, 'sha256'],
  ['2.16.840.1.101.3.4.2.2', 'sha384'],
  ['2.16.840.1.101.3.4.2.3', 'sha512'],
]);
/** The certificates from the signer's to a trusted one, at most. */
const MAX_CHAIN = 8;

/** Why an answer is not what it should be. Follows a subject: "was refused by the authority". */
export class UnusableStamp extends Error {
  override readonly name = 'UnusableStamp';
}

/**
 * Reads a `TimeStampResp`; nothing of its signature is checked.
 *
 * @throws {UnusableStamp} the authority has refused, or the bytes are not such an answer
 */
export async function readStamp(answer: Uint8Array): Promise<Stamp> {
  const asn1 = await loadAsn1();
  try {
    return stampIn(asn1, answer);
  } catch (error) {
    if (error instanceof UnusableStamp) throw error;
    throw new UnusableStamp(`is not an answer of a time-stamp authority: ${messageOf(error)}`);
  }
}

function stampIn(asn1: Asn1, answer: Uint8Array): Stamp {
  const { AsnConvert, TimeStampResp, TSTInfo, SignedData } = asn1;
  const { status, timeStampToken } = AsnConvert.parse(answer, TimeStampResp);
  if (!GRANTED.includes(status.status)) {
    const why = (status.statusString?.join(' ') ?? '').slice(0, 200);
    throw new UnusableStamp(`was refused by the authority${why === '' ? '' : `: ${why}`}`);
  }
  if (timeStampToken?.contentType !== SIGNED_DATA) throw new UnusableStamp('has no signed token');
  const signed = AsnConvert.parse(timeStampToken.content, SignedData);
  const { eContentType, eContent } = signed.encapContentInfo;
  if (eContentType !== TST_INFO || !eContent?.single) throw new UnusableStamp('signs no time');
  const content = Buffer.from(eContent.single.buffer);
  const info = AsnConvert.parse(content, TSTInfo);
  const { hashAlgorithm, hashedMessage } = info.messageImprint;
  if (hashAlgorithm.algorithm !== SHA256) throw new UnusableStamp('is not over a SHA-256');
  return {
    sha256: Buffer.from(hashedMessage.buffer).toString('hex'),
    atMs: info.genTime.getTime(),
    nonce: info.nonce && Buffer.from(info.nonce),
    token: { content, ...signedParts(asn1, signed, timeStampToken.content) },
  };
}

type Parsed = InstanceType<Asn1['SignedData']>;

function signedParts(
  asn1: Asn1,
  { signerInfos }: Parsed,
  der: ArrayBuffer,
): Pick<SignedToken, 'signer' | 'certificates'> {
  const [signer, ...others] = [...signerInfos];
  if (!signer || others.length > 0) throw new UnusableStamp('does not have exactly one signature');
  // what is signed is taken byte for byte as it was sent
  const parts = children(asn1, asn1.fromBER(der).result);
  const attributes = children(asn1, children(asn1, parts.at(-1))[0]).find(isTagged)?.bytes;
  if (!signer.signedAttrs || !attributes) throw new UnusableStamp('has no signed attributes');
  const values = signer.signedAttrs.map(({ attrType, attrValues: [first] }): [string, Buffer] => [
    attrType,
    Buffer.from(first ?? new ArrayBuffer(0)),
  ]);
  return {
    certificates: children(asn1, parts.find(isTagged)).map(
      ({ bytes }) => new X509Certificate(bytes),
    ),
    signer: {
      digest: signer.digestAlgorithm.algorithm,
      signatureAlgorithm: signer.signatureAlgorithm.algorithm,
      signature: Buffer.from(signer.signature.buffer),
      // they are signed as a SET, and sent with an implicit tag
      attributes: Buffer.concat([Buffer.of(0x31), attributes.subarray(1)]),
      values: new Map(values),
    },
  };
}

type Block = ReturnType<Asn1['fromBER']>['result'];
type Part = Block & { readonly bytes: Buffer };

function children({ Constructed }: Asn1, block: Block | undefined): Part[] {
  if (!(block instanceof Constructed)) return [];
  return block.valueBlock.value.map((part) =>
    Object.assign(part, { bytes: Buffer.from(part.valueBeforeDecodeView) }),
  );
}

/** Whether it has the tag `[0]`. */
function isTagged({ idBlock }: Block): boolean {
  return idBlock.tagClass === 3 && idBlock.tagNumber === 0;
}

/**
 * Why the token does not prove its time to somebody who trusts these certificates; undefined if it does.
 *
 * Certificates must be valid at the time of the token, not now: it proves a time that has passed. Whether one was revoked
 * is not asked.
 */
export function distrustOf(
  { token, atMs }: Stamp,
  trusted: readonly X509Certificate[],
): string | undefined {
  const { content, certificates, signer } = token;
  const digest = DIGESTS.get(signer.digest);
  if (digest === undefined) return 'is signed over a digest that is not supported';
  const signed = octets(signer.values.get(MESSAGE_DIGEST));
  if (!signed?.equals(createHash(digest).update(content).digest())) {
    return 'has a signature over another content';
  }
  if (signer.values.get(CONTENT_TYPE)?.toString('hex') !== '060b2a864886f70d0109100104') {
    return 'has a signature over another kind of content';
  }
  const known = [...certificates, ...trusted];
  const signerCertificate = known.find((certificate) => hasSigned(certificate, digest, signer));
  if (!signerCertificate) return 'has an invalid signature, or not the certificate of its signer';
  if (!namesCertificate(signer.values, signerCertificate))
    return 'names another certificate as its signer';
  // a certificate for every purpose has none: then it is undefined, whatever its type says
  if (![signerCertificate.keyUsage].flat().includes(TIME_STAMPING)) {
    return 'is signed with a certificate that is not for time stamps';
  }
  return isTrusted(signerCertificate, { certificates: known, trusted, atMs })
    ? undefined
    : 'is not signed by an authority that the given certificates vouch for at its time';
}

function hasSigned(
  { publicKey }: X509Certificate,
  digest: string,
  { attributes, signature, signatureAlgorithm }: SignedToken['signer'],
): boolean {
  try {
    const padding =
      signatureAlgorithm === RSA_PSS
        ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_AUTO }
        : {};
    const isEdwards = publicKey.asymmetricKeyType?.startsWith('ed') === true;
    const key = { key: publicKey, ...padding };
    return verifySignature(isEdwards ? null : digest, attributes, key, signature);
  } catch {
    return false; // a key of another kind
  }
}

/** RFC 5816: the signed attributes must name the certificate, or the same key could be certified for another purpose. */
function namesCertificate(values: ReadonlyMap<string, Buffer>, { raw }: X509Certificate): boolean {
  const named = values.get(SIGNING_CERTIFICATE_V2) ?? values.get(SIGNING_CERTIFICATE);
  if (!named) return false;
  return ['sha256', 'sha1', 'sha384', 'sha512'].some((algorithm) => {
    const hash = createHash(algorithm).update(raw).digest();
    return named.includes(Buffer.concat([Buffer.of(4, hash.length), hash]));
  });
}

interface Chain {
  readonly certificates: readonly X509Certificate[];
  readonly trusted: readonly X509Certificate[];
  readonly atMs: number;
}

function isTrusted(certificate: X509Certificate, chain: Chain, depth = 1): boolean {
  const { certificates, trusted, atMs } = chain;
  if (atMs < Date.parse(certificate.validFrom) || atMs > Date.parse(certificate.validTo))
    return false;
  if (trusted.some(({ raw }) => raw.equals(certificate.raw))) return true;
  if (depth === MAX_CHAIN) return false;
  return certificates.some(
    (issuer) =>
      issuer.ca &&
      !issuer.raw.equals(certificate.raw) &&
      certificate.checkIssued(issuer) &&
      certificate.verify(issuer.publicKey) &&
      isTrusted(issuer, chain, depth + 1),
  );
}

/** The content of a DER OCTET STRING of less than 128 bytes. */
function octets(der: Buffer | undefined): Buffer | undefined {
  return der?.[0] === 4 && der[1] === der.length - 2 ? der.subarray(2) : undefined;
}
