/**
 * Tokens of links that act on an on-call alert or an incident draft without an account. A token
 * names its subject, its recipient and its expiry, and ends with a MAC: 64 characters, so that the
 * link fits into a text message. It is signed and not stored; the state of the subject decides
 * whether an action is still possible, so that each acts once.
 */
import { equalInConstantTime } from './hash.ts'
import { createAuthenticator } from './mac.ts'

export interface ActionTarget {
  subject: 'alert' | 'draft'
  subjectId: string
  recipient: 'user' | 'channel'
  /** User of a personal message, or notification channel. */
  recipientId: string
  expiresAt: Date
}

export interface ActionTokens {
  /** Token of the target; `expiresAt` is rounded up to a full hour. */
  create(target: ActionTarget): string
  /** Null for a token that this installation did not create; the caller checks the expiry. */
  read(token: string): ActionTarget | null
}

const HOUR_MS = 3_600_000
const UUID_BYTES = 16
const HOURS_OFFSET = 1 + 2 * UUID_BYTES
const CONTENT_BYTES = HOURS_OFFSET + 3
/** Base64url characters of the content, and of the first 96 bits of its MAC. */
const CONTENT_LENGTH = (CONTENT_BYTES / 3) * 4
const MAC_LENGTH = 16

const kinds = [
  { subject: 'alert', recipient: 'user' },
  { subject: 'alert', recipient: 'channel' },
  { subject: 'draft', recipient: 'user' },
  { subject: 'draft', recipient: 'channel' },
] as const

export const createActionTokens = (keys: {
  current: string
  previous?: string | null
}): ActionTokens => {
  const authenticator = createAuthenticator(keys, 'action-link')
  return {
    create: (target) => {
      const content = contentOf(target).toString('base64url')
      return content + authenticator.mac(content).slice(0, MAC_LENGTH)
    },
    read: (token) => {
      if (token.length !== CONTENT_LENGTH + MAC_LENGTH) return null
      const content = token.slice(0, CONTENT_LENGTH)
      const given = token.slice(CONTENT_LENGTH)
      const isOwn = authenticator
        .accepted(content)
        .map((mac) => equalInConstantTime(mac.slice(0, MAC_LENGTH), given))
        .includes(true)
      return isOwn ? targetOf(Buffer.from(content, 'base64url')) : null
    },
  }
}

const contentOf = (target: ActionTarget): Buffer => {
  const content = Buffer.alloc(CONTENT_BYTES)
  content[0] = kinds.findIndex(
    ({ subject, recipient }) => subject === target.subject && recipient === target.recipient,
  )
  content.write(target.subjectId.replaceAll('-', ''), 1, 'hex')
  content.write(target.recipientId.replaceAll('-', ''), 1 + UUID_BYTES, 'hex')
  content.writeUIntBE(Math.ceil(target.expiresAt.getTime() / HOUR_MS), HOURS_OFFSET, 3)
  return content
}

const targetOf = (content: Buffer): ActionTarget | null => {
  const kind = kinds[content[0] ?? kinds.length]
  if (kind === undefined) return null
  return {
    ...kind,
    subjectId: uuidAt(content, 1),
    recipientId: uuidAt(content, 1 + UUID_BYTES),
    expiresAt: new Date(content.readUIntBE(HOURS_OFFSET, 3) * HOUR_MS),
  }
}

const uuidAt = (content: Buffer, offset: number): string =>
  content
    .toString('hex', offset, offset + UUID_BYTES)
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
