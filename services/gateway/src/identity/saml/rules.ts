/**
 * Validation of an identity provider's response: it must be addressed to this service provider,
 * valid now, and respond to its request.
 */

/** Fields of the response before validation; null means absent. */
export interface ResponseFields {
  version: string | null
  destination: string | null
  inResponseTo: string | null
  issuer: string | null
  status: string | null
}

/** Fields of the signed assertion only. */
export interface AssertionFields {
  id: string
  version: string | null
  issueInstant: string | null
  issuer: string | null
  nameIds: { value: string; format: string | null }[]
  confirmations: {
    method: string | null
    recipient: string | null
    inResponseTo: string | null
    notBefore: string | null
    notOnOrAfter: string | null
  }[]
  conditions: {
    notBefore: string | null
    notOnOrAfter: string | null
    /** Audiences of each AudienceRestriction element; all elements must match. */
    audiences: string[][]
  }[]
  logins: number
  attributes: { name: string | null; friendlyName: string | null; values: string[] }[]
}

export interface MessageFields {
  response: ResponseFields
  assertion: AssertionFields
}

export interface ExpectedValues {
  idpEntityId: string
  spEntityId: string
  acsUrl: string
  attributeMapping: { email?: string; name?: string }
  now: Date
}

/** Claims of the provider about the user. */
export interface AssertionClaims {
  assertionId: string
  requestId: string
  nameId: string
  email: string | null
  name: string | null
  /** Time after which the assertion is no longer accepted. */
  expiresAt: Date
}

/** Reason of a refused login; for log and audit, never for the response. */
export type AssertionRefusal =
  | 'version'
  | 'status'
  | 'issuer'
  | 'destination'
  | 'conditions'
  | 'not_yet_valid'
  | 'expired'
  | 'valid_too_long'
  | 'issued_too_long_ago'
  | 'audience'
  | 'confirmation'
  | 'recipient'
  | 'in_response_to'
  | 'name_id'
  | 'statement'
  | 'mail'

export type AssertionResult =
  | { ok: true; claims: AssertionClaims }
  | { ok: false; reason: AssertionRefusal }

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
export const SKEW_MS = 60 * SECOND_MS
/** Maximum validity of an assertion; large providers issue one hour. */
export const MAX_SPAN_MS = 120 * MINUTE_MS
export const MAX_AGE_MS = 10 * MINUTE_MS
const MAX_NAME_ID_LENGTH = 256

const SUCCESS = 'urn:oasis:names:tc:SAML:2.0:status:Success'
const BEARER = 'urn:oasis:names:tc:SAML:2.0:cm:bearer'
const MAIL_FORMAT = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress'

export const validateSamlResponse = (
  { response, assertion }: MessageFields,
  expected: ExpectedValues,
): AssertionResult => {
  const reason =
    validateResponse(response, expected) ??
    validateIssue(assertion, expected) ??
    validateConditions(assertion, expected) ??
    validateConfirmation(assertion, response, expected)
  if (reason !== null) return { ok: false, reason }
  return claimsOf(assertion, expected)
}

const validateResponse = (
  response: ResponseFields,
  expected: ExpectedValues,
): AssertionRefusal | null => {
  if (response.version !== '2.0') return 'version'
  if (response.status !== SUCCESS) return 'status'
  if (response.issuer !== null && response.issuer !== expected.idpEntityId) return 'issuer'
  const { destination } = response
  return destination !== null && destination !== expected.acsUrl ? 'destination' : null
}

const validateIssue = (
  assertion: AssertionFields,
  expected: ExpectedValues,
): AssertionRefusal | null => {
  if (assertion.version !== '2.0') return 'version'
  if (assertion.issuer !== expected.idpEntityId) return 'issuer'
  if (assertion.logins === 0) return 'statement'
  const issued = timeOf(assertion.issueInstant)
  const now = expected.now.getTime()
  if (issued === null || issued > now + SKEW_MS) return 'not_yet_valid'
  return issued < now - MAX_AGE_MS ? 'issued_too_long_ago' : null
}

const validateConditions = (
  { conditions }: AssertionFields,
  expected: ExpectedValues,
): AssertionRefusal | null => {
  const [only, ...others] = conditions
  if (only === undefined || others.length > 0) return 'conditions'
  const [from, until] = [timeOf(only.notBefore), timeOf(only.notOnOrAfter)]
  if (from === null || until === null) return 'conditions'
  const now = expected.now.getTime()
  if (from > now + SKEW_MS) return 'not_yet_valid'
  if (until <= now - SKEW_MS) return 'expired'
  if (until - from > MAX_SPAN_MS) return 'valid_too_long'
  const { audiences } = only
  const isForUs = audiences.every((restriction) => restriction.includes(expected.spEntityId))
  return audiences.length > 0 && isForUs ? null : 'audience'
}

const validateConfirmation = (
  { confirmations }: AssertionFields,
  response: ResponseFields,
  expected: ExpectedValues,
): AssertionRefusal | null => {
  const [only, ...others] = confirmations.filter(({ method }) => method === BEARER)
  if (only === undefined || others.length > 0 || only.notBefore !== null) return 'confirmation'
  if (only.recipient !== expected.acsUrl) return 'recipient'
  const until = timeOf(only.notOnOrAfter)
  if (until === null || until <= expected.now.getTime() - SKEW_MS) return 'expired'
  const { inResponseTo } = only
  if (inResponseTo === null || inResponseTo === '') return 'in_response_to'
  const isSame = response.inResponseTo === null || response.inResponseTo === inResponseTo
  return isSame ? null : 'in_response_to'
}

const claimsOf = (
  assertion: AssertionFields,
  { attributeMapping }: ExpectedValues,
): AssertionResult => {
  const [nameId, ...others] = assertion.nameIds
  const length = nameId === undefined ? 0 : [...nameId.value].length
  if (nameId === undefined || others.length > 0 || length < 1 || length > MAX_NAME_ID_LENGTH) {
    return { ok: false, reason: 'name_id' }
  }
  const mails = valuesOf(assertion, attributeMapping.email, mailNames)
  if (mails.length > 1) return { ok: false, reason: 'mail' }
  const until = timeOf(assertion.conditions[0]?.notOnOrAfter ?? null) ?? 0
  return {
    ok: true,
    claims: {
      assertionId: assertion.id,
      requestId: assertion.confirmations.find(({ method }) => method === BEARER)
        ?.inResponseTo as string,
      nameId: nameId.value,
      email: mails[0] ?? (nameId.format === MAIL_FORMAT ? nameId.value : null),
      name: valuesOf(assertion, attributeMapping.name, personNames)[0] ?? null,
      expiresAt: new Date(until + SKEW_MS),
    },
  }
}

/** Default attribute names of the large providers for address and name. */
const mailNames = [
  'mail',
  'email',
  'emailaddress',
  'urn:oid:0.9.2342.19200300.100.1.3',
  'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress',
]
const personNames = [
  'displayname',
  'name',
  'urn:oid:2.16.840.1.113730.3.1.241',
  'http://schemas.microsoft.com/identity/claims/displayname',
  'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/name',
]

/**
 * Values of an attribute without duplicates, because providers repeat one address under several
 * names.
 */
const valuesOf = (
  { attributes }: AssertionFields,
  mapped: string | undefined,
  known: readonly string[],
): string[] => {
  const isMapped = (name: string | null): boolean =>
    name !== null && (mapped === undefined ? known.includes(name.toLowerCase()) : name === mapped)
  const values = attributes
    .filter(({ name, friendlyName }) => isMapped(name) || isMapped(friendlyName))
    .flatMap((attribute) => attribute.values)
  return [...new Map(values.map((value) => [value.toLowerCase(), value])).values()]
}

const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z$/

/** Parses a time; SAML requires UTC with the suffix Z. */
const timeOf = (text: string | null): number | null => {
  if (text === null || !instant.test(text)) return null
  const time = Date.parse(text)
  return Number.isNaN(time) ? null : time
}

/**
 * Path on this host, or the root path for any other target, so that RelayState cannot redirect to
 * another site.
 */
export const pathAfterLogin = (next: string | undefined): string =>
  next !== undefined && /^\/(?![/\\])[\x21-\x7e]*$/.test(next) ? next : '/'
