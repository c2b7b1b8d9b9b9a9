/**
 * Inspection of messages: only the signed assertion is accepted, in a structure that rules out
 * signature wrapping.
 */

import { rsaCertificate } from '@status-page/testing'
import t from 'tap'
import { inspectResponse } from './inspect.ts'
import { ALGORITHMS, message, provider, unsignedMessage } from './message.fixture.ts'
import { validateStructure } from './structure.ts'
import { parseXml } from './xml.ts'

const inspect = (text: string, certificates = [provider.der]) => inspectResponse(text, certificates)
const nameIdIn = async (text: string) => (await inspect(text)).assertion.nameIds[0]?.value

t.test('a signed assertion is read, also in a signed response', async (t) => {
  t.equal(await nameIdIn(message()), 'ana')
  t.equal(await nameIdIn(message({}, { over: ['assertion', 'response'] })), 'ana')
  t.equal(await nameIdIn(message({}, { hasKeyInfo: false })), 'ana')
  const { rsaSha512: signatureAlgorithm, sha512: digestAlgorithm } = ALGORITHMS
  t.equal(await nameIdIn(message({}, { signatureAlgorithm, digestAlgorithm })), 'ana')
})

t.test('any certificate of the provider is accepted', async (t) => {
  const next = rsaCertificate('next')
  for (const hasKeyInfo of [true, false]) {
    const facts = await inspect(message({}, { by: next, hasKeyInfo }), [provider.der, next.der])
    t.equal(facts.assertion.nameIds[0]?.value, 'ana')
  }
})

const assertionOf = (xml: string) => /<saml:Assertion[\s\S]*<\/saml:Assertion>/.exec(xml)?.[0] ?? ''
const signatureOf = (xml: string) => /<Signature [\s\S]*?<\/Signature>/.exec(xml)?.[0] ?? ''
const without = (xml: string, part: string) => xml.replace(part, '')
const evil = (assertion: string) =>
  without(assertion, signatureOf(assertion))
    .replace('>ana<', '>mallory<')
    .replace('"_assertion"', '"_evil"')
const PROTOCOL = 'xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol"'

/** Signature wrapping attacks named in the literature, over a message with a signed assertion. */
const assertionAttacks = (xml: string): Record<string, string> => {
  const original = assertionOf(xml)
  const signature = signatureOf(original)
  const bare = without(original, signature)
  const forged = evil(original)
  const close = '</saml:Assertion>'
  const withSignature = (inner: string) =>
    forged.replace('</saml:Issuer>', `</saml:Issuer>${inner}`)
  return {
    'evil assertion before the signed one': xml.replace(original, forged + original),
    'evil assertion after the signed one': xml.replace(original, original + forged),
    'signed assertion inside the evil one': xml.replace(
      original,
      forged.replace(close, original + close),
    ),
    'signature moved to the evil assertion, original at the end': xml.replace(
      original,
      withSignature(signature) + bare,
    ),
    'original inside the signature of the evil one': xml.replace(
      original,
      withSignature(signature.replace('</Signature>', `${bare}</Signature>`)),
    ),
    'original in an Object of the signature': xml.replace(
      original,
      withSignature(signature.replace('</Signature>', `<Object>${bare}</Object></Signature>`)),
    ),
    'original in Extensions': xml
      .replace('<samlp:Status>', `<samlp:Extensions>${original}</samlp:Extensions><samlp:Status>`)
      .replace(`${original}</samlp:Response>`, `${forged}</samlp:Response>`),
    'evil assertion in Extensions': xml.replace(
      '<samlp:Status>',
      `<samlp:Extensions>${forged}</samlp:Extensions><samlp:Status>`,
    ),
    'evil assertion in Advice': xml.replace(
      '<saml:AuthnStatement',
      `<saml:Advice>${forged}</saml:Advice><saml:AuthnStatement`,
    ),
    'signed assertion in Advice of the evil one': xml.replace(
      original,
      forged.replace(
        '<saml:AuthnStatement',
        `<saml:Advice>${original}</saml:Advice><saml:AuthnStatement`,
      ),
    ),
    'assertion in another namespace': xml.replace(
      original,
      original +
        forged.replaceAll('saml:', 'x:').replace('<x:Assertion', '<x:Assertion xmlns:x="urn:x"'),
    ),
    'the same ID twice': xml.replace(
      original,
      withSignature(signature).replace('"_evil"', '"_assertion"') + bare,
    ),
  }
}

/** Signature wrapping attacks over a message with a signed response. */
const responseAttacks = (xml: string): Record<string, string> => {
  const signature = signatureOf(xml)
  const bare = without(xml, signature)
  const forged = bare.replace('>ana<', '>mallory<').replace('"_response"', '"_evil"')
  const outer = (inner: string) => forged.replace('</saml:Issuer>', `</saml:Issuer>${inner}`)
  return {
    'original response inside the signature': outer(
      signature.replace('</Signature>', `${bare}</Signature>`),
    ),
    'original response in an Object': outer(
      signature.replace('</Signature>', `<Object>${bare}</Object></Signature>`),
    ),
    'original response before the signature': outer(bare + signature),
    'original response after the signature': outer(signature + bare),
    'original response in Extensions': outer(
      `${signature}<samlp:Extensions ${PROTOCOL}>${bare}</samlp:Extensions>`,
    ),
    'second assertion next to the signed one': xml.replace(
      '</samlp:Response>',
      `${evil(assertionOf(xml))}</samlp:Response>`,
    ),
  }
}

t.test('signature wrapping is refused by structure alone', async (t) => {
  const attacks = {
    ...assertionAttacks(message()),
    ...responseAttacks(message({}, { over: ['assertion', 'response'] })),
  }
  for (const [name, xml] of Object.entries(attacks)) {
    t.match(xml, /mallory/, `${name}: is an attack`)
    t.throws(() => validateStructure(parseXml(xml)), { name: 'Refused' }, name)
    await t.rejects(inspect(xml), { name: 'Refused' }, name)
  }
})

t.test('only the provider’s own certificate verifies a signature', async (t) => {
  const stranger = rsaCertificate('stranger')
  const { rsaSha1, sha1, hmacSha1 } = ALGORITHMS
  const cases: [string, string, string][] = [
    ['unsigned', unsignedMessage(), 'unsigned'],
    ['foreign key with its certificate', message({}, { by: stranger }), 'signature'],
    ['foreign key without', message({}, { by: stranger, hasKeyInfo: false }), 'signature'],
    [
      'our certificate named, foreign key',
      message({}, { by: { ...provider, key: stranger.key } }),
      'signature',
    ],
    ['SHA-1 signature', message({}, { signatureAlgorithm: rsaSha1 }), 'signature_method'],
    ['SHA-1 digest', message({}, { digestAlgorithm: sha1 }), 'digest_method'],
    [
      'HMAC keyed with the certificate',
      message({}, { signatureAlgorithm: hmacSha1 }),
      'signature_method',
    ],
    ['changed after signing', message().replace('>ana<', '>mallory<'), 'signature'],
    ['changed mail', message().replace('ana@example.com', 'eve@example.com'), 'signature'],
  ]
  for (const [name, xml, reason] of cases) {
    await t.rejects(inspect(xml), { name: 'Refused', reason }, name)
  }
})

t.test('a signature covers exactly its parent, with at most two transforms', async (t) => {
  const { enveloped, exclusive, inclusive } = ALGORITHMS
  const xml = message()
  const cases: [string, string, string][] = [
    [
      'inclusive canonicalization',
      message({}, { canonicalizationAlgorithm: inclusive }),
      'canonicalization',
    ],
    ['inclusive transform', message({}, { transforms: [enveloped, inclusive] }), 'transform'],
    ['empty reference', xml.replace('URI="#_assertion"', 'URI=""'), 'reference_target'],
    [
      'reference to another element',
      xml.replace('URI="#_assertion"', 'URI="#_response"'),
      'reference_target',
    ],
    [
      'an XPath transform',
      xml.replace(
        `<Transform Algorithm="${exclusive}"/>`,
        `<Transform Algorithm="http://www.w3.org/TR/1999/REC-xpath-19991116"><XPath>true()</XPath></Transform>`,
      ),
      'transform',
    ],
    ['two references', xml.replace(/<Reference [\s\S]*<\/Reference>/, '$&$&'), 'signature_form'],
  ]
  for (const [name, text, reason] of cases) {
    await t.rejects(inspect(text), { name: 'Refused', reason }, name)
  }
})

t.test(
  'DTDs, comments, CDATA, instructions and elements outside the schema are refused',
  async (t) => {
    const xml = message()
    const cases: [string, string, string][] = [
      [
        'external entity',
        `<!DOCTYPE r [<!ENTITY e SYSTEM "http://127.0.0.1:9/">]>${xml}`,
        'markup_declaration',
      ],
      [
        'a comment that cuts the name',
        xml.replace('>ana<', '>ana<!---->.evil<'),
        'markup_declaration',
      ],
      ['CDATA', xml.replace('>ana<', '><![CDATA[ana]]><'), 'markup_declaration'],
      ['instruction', xml.replace('>ana<', '>ana<?x y?><'), 'processing_instruction'],
      ['another version of XML', `<?xml version="1.1"?>${xml}`, 'processing_instruction'],
      ['unknown element', xml.replace('<samlp:Status>', '<samlp:Foo/><samlp:Status>'), 'schema'],
      ['unknown attribute', xml.replace('<saml:Issuer>', '<saml:Issuer Foo="1">'), 'schema'],
      ['not a response', '<a/>', 'schema'],
      ['not XML', 'PHNhbWw+', 'schema'],
      ['two roots', `${xml}${xml}`, 'schema'],
      [
        'a logout around an assertion',
        xml.replaceAll('samlp:Response', 'samlp:LogoutResponse'),
        'schema',
      ],
      [
        'an encrypted assertion',
        xml.replace(
          assertionOf(xml),
          '<saml:EncryptedAssertion><xenc:EncryptedData xmlns:xenc="http://www.w3.org/2001/04/xmlenc#"><xenc:CipherData><xenc:CipherValue>AA==</xenc:CipherValue></xenc:CipherData></xenc:EncryptedData></saml:EncryptedAssertion>',
        ),
        'encrypted',
      ],
    ]
    for (const [name, text, reason] of cases) {
      await t.rejects(inspect(text), { name: 'Refused', reason }, name)
    }
    const declared = `<?xml version="1.0" encoding="UTF-8"?>\n${xml}`
    t.equal(await nameIdIn(declared), 'ana', 'the declaration is fine')
  },
)

t.test('an assertion without a signature of its own is refused in a signed response', async (t) => {
  const xml = message({}, { over: ['response'] })
  await t.rejects(inspect(xml), { name: 'Refused', reason: 'unsigned' })
})

t.test('a signed response does not vouch for an assertion signed by another key', async (t) => {
  const xml = message({}, { over: ['assertion', 'response'] })
  const forged = assertionOf(message({ nameId: 'mallory' }, { by: rsaCertificate('stranger') }))
  const swapped = xml.replace(assertionOf(xml), forged)
  await t.rejects(inspect(swapped), { name: 'Refused', reason: 'signature' })
  const both = message({}, { over: ['assertion', 'response'], by: rsaCertificate('stranger') })
  await t.rejects(inspect(both), { name: 'Refused', reason: 'signature' })
})
