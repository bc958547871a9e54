/** Loads the packages for ASN.1 when they are first needed: most runs ask no authority. */

export type Asn1 = Awaited<ReturnType<typeof load>>;

let loading: Promise<Asn1> | undefined;

export async function loadAsn1(): Promise<Asn1> {
  loading ??= load();
  return loading;
}

async function load() {
  const [schema, tsp, cms, x509, asn1] = await Promise.all([
    import('@peculiar/asn1-schema'),
    import('@peculiar/asn1-tsp'),
    import('@peculiar/asn1-cms'),
    import('@peculiar/asn1-x509'),
    import('asn1js'),
  ]);
  return {
    AsnConvert: schema.AsnConvert,
    OctetString: schema.OctetString,
    TimeStampReq: tsp.TimeStampReq,
    TimeStampResp: tsp.TimeStampResp,
    TSTInfo: tsp.TSTInfo,
    MessageImprint: tsp.MessageImprint,
    SignedData: cms.SignedData,
    AlgorithmIdentifier: x509.AlgorithmIdentifier,
    fromBER: asn1.fromBER,
    Constructed: asn1.Constructed,
  };
}
