/**
 * String formats of the contract. `canonical` converts a text to its stored form or leaves it
 * unchanged; `accepts` validates that form. Both are total and cheap.
 */
import { domainToASCII } from 'node:url'
import { checkSchemes, imageReferenceOf, parseTargetUrl } from '@status-page/contracts'
import { parsePhoneNumberFromString } from 'libphonenumber-js/min'

export interface TextFormat {
  /** Expectation for the error message "<field> must be …". */
  expectation: string
  accepts(text: string): boolean
  canonical?(text: string): string | null
}

const MAX_URL_LENGTH = 2048
const MAX_LABEL_LENGTH = 63
const MAX_MAILBOX_LENGTH = 254
const MAX_PASSWORD_BYTES = 72

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const rfc3339 =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.\d{1,9})?(?:[Zz]|[+-](\d{2}):(\d{2}))$/
const invisible = /[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g
const visible = /[^\s\p{C}\u115f\u1160\u2800\u3164\uffa0]/u
/** C0, DEL, C1 and the two Unicode line separators. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const notOneLine = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const notLongText = /[\u0000-\u0008\u000b-\u001f\u007f]/
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const notInUrl = /[\u0000-\u0020\u007f]/
const localPart = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/
const domainName =
  /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/
const domainLetters = /^[\p{L}\p{M}\p{N}.-]+$/u
const e164 = /^\+[1-9]\d{6,14}$/
const zoneName = /^[A-Za-z][A-Za-z0-9_+/-]*$/

/** Parses a timestamp. The date parts are compared, since 2024-02-30 would roll over. */
const instantOf = (text: string): string | null => {
  const match = rfc3339.exec(text)
  if (match === null) return null
  const [, year, month, day, hour, minute, second, offsetHour, offsetMinute] = match.map(Number)
  const date = new Date(Date.UTC(year ?? 0, (month ?? 0) - 1, day))
  const isRealDate = date.getUTCMonth() + 1 === month && date.getUTCDate() === day
  const isRealTime = (hour ?? 24) < 24 && (minute ?? 60) < 60 && (second ?? 60) < 60
  const isRealOffset = !((offsetHour ?? 0) > 23) && !((offsetMinute ?? 0) > 59)
  if (!isRealDate || !isRealTime || !isRealOffset) return null
  const instant = new Date(text.toUpperCase())
  if (Number.isNaN(instant.getTime())) return null
  const utcYear = instant.getUTCFullYear()
  return utcYear >= 1970 && utcYear <= 9999 ? instant.toISOString() : null
}

const urlOf = (text: string, schemes: readonly string[]): string | null => {
  if (text.length > MAX_URL_LENGTH || notInUrl.test(text) || !/^[a-z]+:\/\//i.test(text)) {
    return null
  }
  const url = parseTargetUrl(text)
  if (url === null || !schemes.includes(url.protocol)) return null
  if (
    url.username !== '' ||
    url.password !== '' ||
    /^[^/?#]*@/.test(text.slice(text.indexOf('//') + 2))
  ) {
    return null
  }
  // DNS limits labels; the URL parser does not.
  if (url.hostname.split('.').some(({ length }) => length > MAX_LABEL_LENGTH)) return null
  return url.href.length <= MAX_URL_LENGTH ? url.href : null
}

const web = ['http:', 'https:']
const alternatives = new Intl.ListFormat('en-GB', { type: 'disjunction' })

const urlFormat = (expectation: string, schemes: readonly string[]): TextFormat => ({
  expectation,
  accepts: (text) => urlOf(text, schemes) !== null,
  canonical: (text) => urlOf(text, schemes),
})

/**
 * Returns the ASCII form, or an empty text. Node's conversion truncates at a character that ends a
 * URL's host, so such characters are rejected first.
 */
const domainOf = (text: string): string =>
  domainLetters.test(text) ? domainToASCII(text).toLowerCase() : ''

const mailboxOf = (text: string): string | null => {
  const at = text.lastIndexOf('@')
  if (at < 1 || text.length > MAX_MAILBOX_LENGTH) return null
  const local = text.slice(0, at).toLowerCase()
  const domain = domainOf(text.slice(at + 1))
  const isMailbox = local.length <= 64 && localPart.test(local) && domainName.test(domain)
  const mailbox = `${local}@${domain}`
  return isMailbox && mailbox.length <= MAX_MAILBOX_LENGTH ? mailbox : null
}

/** The service that stores the URL checks that the upload exists. */
const imageUrlOf = (text: string): string | null => {
  const url = urlOf(text, web)
  const isAllowed = url?.startsWith('https:') || (url !== null && imageReferenceOf(url) !== null)
  return isAllowed ? url : null
}

const supportUrlOf = (text: string): string | null => {
  if (!/^mailto:/i.test(text)) return urlOf(text, ['http:', 'https:'])
  const mailbox = mailboxOf(text.slice('mailto:'.length))
  return mailbox === null ? null : `mailto:${mailbox}`
}

const isTimeZone = (text: string): boolean => {
  if (!zoneName.test(text)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: text })
    return true
  } catch {
    return false
  }
}

const isPhone = (text: string): boolean =>
  e164.test(text) && parsePhoneNumberFromString(text)?.isPossible() === true

export const textFormats: Readonly<Record<string, TextFormat>> = {
  uuid: {
    expectation: 'an id',
    accepts: (text) => uuid.test(text),
    canonical: (text) => text.toLowerCase(),
  },
  timestamp: {
    expectation: 'an RFC 3339 timestamp of a real date, years 1970 to 9999',
    accepts: (text) => instantOf(text) !== null,
    canonical: instantOf,
  },
  'one-line': {
    expectation: 'one line with a visible character and no control characters',
    accepts: (text) => text === '' || (visible.test(text) && !notOneLine.test(text)),
    canonical: (text) => text.replace(invisible, ''),
  },
  'long-text': {
    expectation: 'text without control characters other than tab and line feed',
    accepts: (text) => !notLongText.test(text),
  },
  'http-url': urlFormat('an http or https URL of at most 2048 characters without user info', web),
  'check-url': urlFormat(
    `an ${alternatives.format(checkSchemes)} URL of at most 2048 characters without user info`,
    checkSchemes.map((scheme) => `${scheme}:`),
  ),
  'https-url': urlFormat('an https URL of at most 2048 characters without user info', ['https:']),
  'image-url': {
    expectation:
      'an https URL of at most 2048 characters without user info, or the URL of an upload',
    accepts: (text) => imageUrlOf(text) !== null,
    canonical: imageUrlOf,
  },
  'support-url': {
    expectation: 'an http, https or mailto URL',
    accepts: (text) => supportUrlOf(text) !== null,
    canonical: supportUrlOf,
  },
  mailbox: {
    expectation: 'one e-mail address of at most 254 characters',
    accepts: (text) => mailboxOf(text) !== null,
    canonical: mailboxOf,
  },
  domain: {
    expectation: 'a domain name such as example.com',
    accepts: (text) => domainName.test(text),
    canonical: (text) => domainOf(text) || null,
  },
  phone: { expectation: 'a phone number in E.164 form, such as +14155550123', accepts: isPhone },
  'time-zone': { expectation: 'an IANA time zone name', accepts: isTimeZone },
  password: {
    expectation: 'at most 72 bytes of UTF-8',
    accepts: (text) => Buffer.byteLength(text) <= MAX_PASSWORD_BYTES,
  },
}
