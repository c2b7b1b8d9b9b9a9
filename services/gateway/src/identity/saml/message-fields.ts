/** Fields of a message, read without validation. */
import type { AssertionFields, MessageFields, ResponseFields } from './rules.ts'
import {
  ASSERTION_NAMESPACE,
  attributeOf,
  childrenNamed,
  PROTOCOL_NAMESPACE,
  textOf,
} from './xml.ts'

export const readMessageFields = (response: Element, signedAssertion: Element): MessageFields => ({
  response: readResponse(response),
  assertion: readAssertion(signedAssertion),
})

const readResponse = (response: Element): ResponseFields => {
  const [status] = childrenNamed(response, PROTOCOL_NAMESPACE, 'Status')
  const [code] = status === undefined ? [] : childrenNamed(status, PROTOCOL_NAMESPACE, 'StatusCode')
  return {
    version: attributeOf(response, 'Version'),
    destination: attributeOf(response, 'Destination'),
    inResponseTo: attributeOf(response, 'InResponseTo'),
    issuer: issuerOf(response),
    status: code === undefined ? null : attributeOf(code, 'Value'),
  }
}

const issuerOf = (parent: Element): string | null => {
  const [issuer] = childrenNamed(parent, ASSERTION_NAMESPACE, 'Issuer')
  return issuer === undefined ? null : textOf(issuer).trim()
}

const readAssertion = (assertion: Element): AssertionFields => {
  const within = (parent: Element, name: string) => childrenNamed(parent, ASSERTION_NAMESPACE, name)
  const subjects = within(assertion, 'Subject')
  return {
    id: attributeOf(assertion, 'ID') ?? '',
    version: attributeOf(assertion, 'Version'),
    issueInstant: attributeOf(assertion, 'IssueInstant'),
    issuer: issuerOf(assertion),
    nameIds: subjects
      .flatMap((subject) => within(subject, 'NameID'))
      .map((element) => ({
        value: textOf(element).trim(),
        format: attributeOf(element, 'Format'),
      })),
    confirmations: subjects
      .flatMap((subject) => within(subject, 'SubjectConfirmation'))
      .map(readConfirmation),
    conditions: within(assertion, 'Conditions').map((condition) => ({
      notBefore: attributeOf(condition, 'NotBefore'),
      notOnOrAfter: attributeOf(condition, 'NotOnOrAfter'),
      audiences: within(condition, 'AudienceRestriction').map((restriction) =>
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

const readConfirmation = (confirmation: Element) => {
  const [data] = childrenNamed(confirmation, ASSERTION_NAMESPACE, 'SubjectConfirmationData')
  const dataAttribute = (name: string) => (data === undefined ? null : attributeOf(data, name))
  return {
    method: attributeOf(confirmation, 'Method'),
    recipient: dataAttribute('Recipient'),
    inResponseTo: dataAttribute('InResponseTo'),
    notBefore: dataAttribute('NotBefore'),
    notOnOrAfter: dataAttribute('NotOnOrAfter'),
  }
}
