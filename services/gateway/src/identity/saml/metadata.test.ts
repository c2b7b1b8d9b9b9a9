/** Metadata of providers: fields that are read, and required content. */

import { rsaCertificate } from '@status-page/testing'
import t from 'tap'
import { provider } from './message.fixture.ts'
import { readMetadata } from './metadata.ts'

const next = rsaCertificate('next')
const REDIRECT = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect'

const key = (der: string, use = ' use="signing"') =>
  `<md:KeyDescriptor${use}><ds:KeyInfo><ds:X509Data><ds:X509Certificate>${der.match(/.{1,64}/g)?.join('\n')}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>`
const sso = (location: string, binding = REDIRECT) =>
  `<md:SingleSignOnService Binding="${binding}" Location="${location}"/>`

const metadata = (inner = key(provider.der) + sso('https://idp.test/sso?a=1&amp;b=2')) =>
  `<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" xmlns:ds="http://www.w3.org/2000/09/xmldsig#" entityID="https://idp.test/metadata"><md:IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">${inner}</md:IDPSSODescriptor></md:EntityDescriptor>`

t.test('entity id, redirect URL and signing certificates are read', async (t) => {
  const inner = [
    key(provider.der),
    key(next.der, ''),
    key(rsaCertificate('other').der, ' use="encryption"'),
    sso('https://idp.test/post', 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST'),
    sso('https://idp.test/sso?a=1&amp;b=2'),
  ].join('<!-- a comment -->')
  t.same(readMetadata(`<?xml version="1.0" encoding="UTF-8"?>\n${metadata(inner)}`), {
    entityId: 'https://idp.test/metadata',
    ssoUrl: 'https://idp.test/sso?a=1&b=2',
    certificates: [provider.der, next.der],
  })
})

t.test('unusable metadata is refused with a named reason', async (t) => {
  const good = metadata()
  const location = sso('https://idp.test/sso')
  const cases: [string, string, string][] = [
    [
      'a document type',
      `<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/passwd">]>${good}`,
      'markup_declaration',
    ],
    ['not XML', 'hello', 'not_well_formed'],
    ['cut off', good.slice(0, -10), 'not_well_formed'],
    [
      'several entities',
      `<md:EntitiesDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata">${good}</md:EntitiesDescriptor>`,
      'not_one_entity',
    ],
    ['a service provider', good.replaceAll('IDPSSO', 'SPSSO'), 'not_one_provider'],
    ['SAML 1', good.replace('SAML:2.0:protocol', 'SAML:1.1:protocol'), 'not_one_provider'],
    ['no entity id', good.replace('entityID="https://idp.test/metadata"', ''), 'entity_id'],
    [
      'POST only',
      metadata(key(provider.der) + sso('https://idp.test/', 'urn:x')),
      'sso_url_missing',
    ],
    ['http', metadata(key(provider.der) + sso('http://idp.test/')), 'sso_url'],
    ['a script', metadata(key(provider.der) + sso('javascript:alert(1)')), 'sso_url'],
    ['user info', metadata(key(provider.der) + sso('https://a:b@idp.test/')), 'sso_url'],
    ['no certificate', metadata(location), 'certificate_missing'],
    [
      'no certificate to sign with',
      metadata(key(provider.der, ' use="encryption"') + location),
      'certificate_missing',
    ],
    ['no real certificate', metadata(key('AAAA') + location), 'certificate'],
    [
      'a short key',
      metadata(key(rsaCertificate('short', 1_024).der) + location),
      'certificate_key',
    ],
    ['nested deeply', `${'<a>'.repeat(20_000)}${'</a>'.repeat(20_000)}`, 'depth'],
  ]
  for (const [name, text, reason] of cases) {
    t.throws(() => readMetadata(text), { name: 'Refused', reason }, name)
  }
})
