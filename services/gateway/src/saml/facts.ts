/** What a message says, read off and not judged. */
import type { AnswerFacts, AssertionFacts, ResponseFacts } from './rules.ts'
import { ASSERTION, attributeOf, childrenNamed, PROTOCOL, textOf } from './xml.ts'

export const factsOf = (response: Element, signedAssertion: Element): AnswerFacts => ({
  response: responseFacts(response),
  assertion: assertionFacts(signedAssertion),
})

const responseFacts = (response: Element): ResponseFacts => {
  const [status] = childrenNamed(response, PROTOCOL, 'Status')
  const [code] = status === undefined ? [] : childrenNamed(status, PROTOCOL, 'StatusCode')
  return {
    version: attributeOf(response, 'Version'),
    destination: attributeOf(response, 'Destination'),
    inResponseTo: attributeOf(response, 'InResponseTo'),
    issuer: issuerOf(response),
    status: code === undefined ? null : attributeOf(code, 'Value'),
  }
}

const issuerOf = (parent: Element): string | null => {
  const [issuer] = childrenNamed(parent, ASSERTION, 'Issuer')
  return issuer === undefined ? null : textOf(issuer).trim()
}

const assertionFacts = (assertion: Element): AssertionFacts => {
  const within = (parent: Element, name: string) => childrenNamed(parent, ASSERTION, name)
  const subjects = within(assertion, 'Subject')
  return {
    id: attributeOf(assertion, 'ID') ?? '',
    version: attributeOf(assertion, 'Version'),
    issueInstant: attributeOf(assertion, 'IssueInstant'),
    issuer: issuerOf(assertion),
    nameIds: subjects
      .flatMap((subject) => within(subject, 'NameID'))
      .map((one) => ({ value: textOf(one).trim(), format: attributeOf(one, 'Format') })),
    confirmations: subjects
      .flatMap((subject) => within(subject, 'SubjectConfirmation'))
      .map(confirmationFacts),
    conditions: within(assertion, 'Conditions').map((one) => ({
      notBefore: attributeOf(one, 'NotBefore'),
      notOnOrAfter: attributeOf(one, 'NotOnOrAfter'),
      audiences: within(one, 'AudienceRestriction').map((restriction) =>
        within(restriction, 'Audience').map((audience) => textOf(audience).trim()),
      ),
    })),
    logins: within(assertion, 'AuthnStatement').length,
    attributes: within(assertion, 'AttributeStatement')
      .flatMap((statement) => within(statement, 'Attribute'))
      .map((attribute) => ({
        name: attributeOf(attribute, 'Name'),
        friendlyName: attributeOf(attribute, 'FriendlyName'),
        values: within(attribute, 'AttributeValue')
          .map((value) => textOf(value).trim())
          .filter((value) => value !== ''),
      })),
  }
}

const confirmationFacts = (confirmation: Element) => {
  const [data] = childrenNamed(confirmation, ASSERTION, 'SubjectConfirmationData')
  const given = (name: string) => (data === undefined ? null : attributeOf(data, name))
  return {
    method: attributeOf(confirmation, 'Method'),
    recipient: given('Recipient'),
    inResponseTo: given('InResponseTo'),
    notBefore: given('NotBefore'),
    notOnOrAfter: given('NotOnOrAfter'),
  }
}
