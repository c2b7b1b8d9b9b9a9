/** Validation of responses: each claim missing and wrong. */
import t from 'tap'
import {
  type ExpectedValues,
  MAX_AGE_MS,
  MAX_SPAN_MS,
  type MessageFields,
  pathAfterLogin,
  SKEW_MS,
  validateSamlResponse,
} from './rules.ts'

const now = new Date('2026-05-01T12:00:00.000Z')
const at = (offsetMs: number) => new Date(now.getTime() + offsetMs).toISOString()
const SECOND_MS = 1_000
const MINUTE_MS = 60_000
const BEARER = 'urn:oasis:names:tc:SAML:2.0:cm:bearer'

const expected: ExpectedValues = {
  idpEntityId: 'https://idp.test',
  spEntityId: 'https://us.test',
  acsUrl: 'https://us.test/acs',
  attributeMapping: {},
  now,
}

const good = (): MessageFields => ({
  response: {
    version: '2.0',
    destination: expected.acsUrl,
    inResponseTo: '_request',
    issuer: expected.idpEntityId,
    status: 'urn:oasis:names:tc:SAML:2.0:status:Success',
  },
  assertion: {
    id: '_assertion',
    version: '2.0',
    issueInstant: at(0),
    issuer: expected.idpEntityId,
    nameIds: [{ value: 'ana', format: null }],
    confirmations: [
      {
        method: BEARER,
        recipient: expected.acsUrl,
        inResponseTo: '_request',
        notBefore: null,
        notOnOrAfter: at(5 * MINUTE_MS),
      },
    ],
    conditions: [
      { notBefore: at(0), notOnOrAfter: at(5 * MINUTE_MS), audiences: [[expected.spEntityId]] },
    ],
    logins: 1,
    attributes: [
      { name: 'mail', friendlyName: null, values: ['Ana@example.com'] },
      { name: 'displayName', friendlyName: null, values: ['Ana'] },
    ],
  },
})

type Change = (facts: MessageFields) => void

const verdictOf = (change: Change) => {
  const facts = good()
  change(facts)
  return validateSamlResponse(facts, expected)
}
const confirmation = (facts: MessageFields) =>
  facts.assertion.confirmations[0] as MessageFields['assertion']['confirmations'][number]
const conditions = (facts: MessageFields) =>
  facts.assertion.conditions[0] as MessageFields['assertion']['conditions'][number]

t.test('a valid response identifies a user', async (t) => {
  t.same(validateSamlResponse(good(), expected), {
    ok: true,
    claims: {
      assertionId: '_assertion',
      requestId: '_request',
      nameId: 'ana',
      email: 'Ana@example.com',
      name: 'Ana',
      expiresAt: new Date(now.getTime() + 5 * MINUTE_MS + SKEW_MS),
    },
  })
})

t.test('every claim is required and validated', async (t) => {
  const cases: [string, string, Change][] = [
    ['response of another version', 'version', ({ response }) => (response.version = '1.1')],
    ['assertion of another version', 'version', ({ assertion }) => (assertion.version = '1.1')],
    ['no status', 'status', ({ response }) => (response.status = null)],
    [
      'failed',
      'status',
      ({ response }) => (response.status = 'urn:oasis:names:tc:SAML:2.0:status:Responder'),
    ],
    [
      'response of another issuer',
      'issuer',
      ({ response }) => (response.issuer = 'https://evil.test'),
    ],
    [
      'assertion of another issuer',
      'issuer',
      ({ assertion }) => (assertion.issuer = 'https://evil.test'),
    ],
    ['assertion without issuer', 'issuer', ({ assertion }) => (assertion.issuer = null)],
    [
      'sent elsewhere',
      'destination',
      ({ response }) => (response.destination = 'https://us.test/other'),
    ],
    ['destination empty', 'destination', ({ response }) => (response.destination = '')],
    ['without a login', 'statement', ({ assertion }) => (assertion.logins = 0)],
    ['no time of issue', 'not_yet_valid', ({ assertion }) => (assertion.issueInstant = null)],
    [
      'issued in the future',
      'not_yet_valid',
      ({ assertion }) => (assertion.issueInstant = at(SKEW_MS + SECOND_MS)),
    ],
    [
      'issued long ago',
      'issued_too_long_ago',
      ({ assertion }) => (assertion.issueInstant = at(-MAX_AGE_MS - SECOND_MS)),
    ],
    ['no conditions', 'conditions', ({ assertion }) => (assertion.conditions = [])],
    [
      'two conditions',
      'conditions',
      ({ assertion }) => assertion.conditions.push(...good().assertion.conditions),
    ],
    ['no beginning', 'conditions', (facts) => (conditions(facts).notBefore = null)],
    ['no end', 'conditions', (facts) => (conditions(facts).notOnOrAfter = null)],
    ['no zone', 'conditions', (facts) => (conditions(facts).notOnOrAfter = '2026-05-01T13:00:00')],
    [
      'not yet',
      'not_yet_valid',
      (facts) => (conditions(facts).notBefore = at(SKEW_MS + SECOND_MS)),
    ],
    ['over', 'expired', (facts) => (conditions(facts).notOnOrAfter = at(-SKEW_MS))],
    [
      'for too long',
      'valid_too_long',
      (facts) => (conditions(facts).notOnOrAfter = at(MAX_SPAN_MS + SECOND_MS)),
    ],
    ['without audience', 'audience', (facts) => (conditions(facts).audiences = [])],
    [
      'for another audience',
      'audience',
      (facts) => (conditions(facts).audiences = [['https://other.test']]),
    ],
    [
      'for us and, restricted, for others',
      'audience',
      (facts) => conditions(facts).audiences.push(['https://other.test']),
    ],
    ['no confirmation', 'confirmation', ({ assertion }) => (assertion.confirmations = [])],
    [
      'another method',
      'confirmation',
      (facts) => (confirmation(facts).method = 'urn:oasis:names:tc:SAML:2.0:cm:sender-vouches'),
    ],
    [
      'two bearers',
      'confirmation',
      ({ assertion }) => assertion.confirmations.push(...good().assertion.confirmations),
    ],
    [
      'a bearer with a beginning',
      'confirmation',
      (facts) => (confirmation(facts).notBefore = at(0)),
    ],
    ['no recipient', 'recipient', (facts) => (confirmation(facts).recipient = null)],
    [
      'another recipient',
      'recipient',
      (facts) => (confirmation(facts).recipient = 'https://us.test/acs2'),
    ],
    ['a bearer without end', 'expired', (facts) => (confirmation(facts).notOnOrAfter = null)],
    [
      'a bearer that is over',
      'expired',
      (facts) => (confirmation(facts).notOnOrAfter = at(-SKEW_MS)),
    ],
    ['unsolicited', 'in_response_to', (facts) => (confirmation(facts).inResponseTo = null)],
    ['in answer to two', 'in_response_to', ({ response }) => (response.inResponseTo = '_other')],
    ['no name', 'name_id', ({ assertion }) => (assertion.nameIds = [])],
    [
      'an empty name',
      'name_id',
      ({ assertion }) => (assertion.nameIds = [{ value: '', format: null }]),
    ],
    [
      'two names',
      'name_id',
      ({ assertion }) => assertion.nameIds.push({ value: 'eve', format: null }),
    ],
    [
      'a long name',
      'name_id',
      ({ assertion }) => (assertion.nameIds = [{ value: 'x'.repeat(257), format: null }]),
    ],
    [
      'two mails',
      'mail',
      ({ assertion }) => assertion.attributes[0]?.values.push('eve@example.com'),
    ],
    [
      'two mails by two names',
      'mail',
      ({ assertion }) =>
        assertion.attributes.push({
          name: 'email',
          friendlyName: null,
          values: ['eve@example.com'],
        }),
    ],
  ]
  for (const [name, reason, change] of cases) {
    t.same(verdictOf(change), { ok: false, reason }, name)
  }
})

t.test('optional claims may be absent, repeated or slightly late', async (t) => {
  const cases: [string, Change][] = [
    ['no destination', ({ response }) => (response.destination = null)],
    ['no issuer of the response', ({ response }) => (response.issuer = null)],
    ['no InResponseTo of the response', ({ response }) => (response.inResponseTo = null)],
    ['a clock that is ahead', (facts) => (conditions(facts).notBefore = at(SKEW_MS))],
    ['one that is behind', (facts) => (conditions(facts).notOnOrAfter = at(-SKEW_MS + SECOND_MS))],
    ['two hours', (facts) => (conditions(facts).notOnOrAfter = at(MAX_SPAN_MS))],
    [
      'another confirmation next to the bearer',
      ({ assertion }) =>
        assertion.confirmations.push({
          ...confirmation(good()),
          method: 'other',
        }),
    ],
    [
      'one mail by two names',
      ({ assertion }) =>
        assertion.attributes.push({
          name: 'email',
          friendlyName: null,
          values: ['ana@example.com'],
        }),
    ],
    [
      '256 characters',
      ({ assertion }) => (assertion.nameIds = [{ value: '😀'.repeat(256), format: null }]),
    ],
  ]
  for (const [name, change] of cases) t.equal(verdictOf(change).ok, true, name)
})

t.test('the address comes from the mapped attribute, a known one or the NameID', async (t) => {
  const mapped = { ...expected, attributeMapping: { email: 'work', name: 'nick' } }
  const facts = good()
  facts.assertion.attributes.push(
    { name: 'urn:x', friendlyName: 'work', values: ['w@example.com'] },
    { name: 'nick', friendlyName: null, values: ['Annie'] },
  )
  t.match(validateSamlResponse(facts, mapped), {
    claims: { email: 'w@example.com', name: 'Annie' },
  })
  const bare = good()
  bare.assertion.attributes = []
  t.match(validateSamlResponse(bare, expected), { claims: { email: null, name: null } })
  const format = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress'
  bare.assertion.nameIds = [{ value: 'n@example.com', format }]
  t.match(validateSamlResponse(bare, expected), { claims: { email: 'n@example.com' } })
})

t.test('a login redirects to a path of this host only', async (t) => {
  for (const path of ['/', '/dashboard', '/a?b=c#d', '/%2f%2fevil.test']) {
    t.equal(pathAfterLogin(path), path)
  }
  const strange = [
    '//evil.test',
    '/\\evil.test',
    'https://evil.test',
    'x',
    '',
    '/a b',
    '/a\r\nb',
    '/ü',
  ]
  for (const path of [...strange, undefined]) t.equal(pathAfterLogin(path), '/', String(path))
})
