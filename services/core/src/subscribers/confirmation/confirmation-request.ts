/** Sends a confirmation request or a manage link to an address. */
import { randomInt } from 'node:crypto'
import {
  type ConfirmationPurpose,
  draftEvent,
  type EventDraft,
  subscriberConfirmationRequested,
} from '@status-page/contracts'
import { newId, type Scope } from '@status-page/postgres'
import { hashToken, randomToken, type Sealer, sha256 } from '@status-page/secrets'
import type { SubscriberRow } from '../../tables.ts'
import { type SubscriberInput, subscriberEventData } from '../rules.ts'
import { manageTokenEncryptionContext } from '../secrets.ts'
import { confirmationLifetimesMs } from './rules.ts'
import * as store from './store.ts'

const CODES = 1_000_000
const CODE_DIGITS = 6

interface ConfirmationInput {
  row: SubscriberRow
  /** Name of the page; null for subscriptions to all pages. */
  pageName: string | null
}

/** Publishes no event once the address has reached its daily limit; the response is the same. */
export const requestConfirmation = async (
  sealer: Sealer,
  scope: Scope,
  { requested, ...input }: ConfirmationInput & { requested: SubscriberInput },
): Promise<EventDraft[]> => {
  const { row } = input
  if (!(await store.countConfirmationMessage(scope, messageLimitKey(row)))) return []
  const id = newId()
  const isCode = row.type === 'sms'
  const secret = isCode ? newCode() : randomToken()
  const expiresAt = new Date(scope.now.getTime() + confirmationLifetimesMs[row.type])
  await store.insertConfirmation(scope, {
    ...requested,
    id,
    organizationId: scope.organizationId,
    subscriberId: row.id,
    addressDigest: row.addressDigest,
    tries: 0,
    secretDigest: isCode ? confirmationCodeDigest(id, secret) : hashToken(secret),
    createdAt: scope.now,
    expiresAt,
  })
  // Two valid codes would be twice as easy to guess; links may be followed in any order.
  if (isCode) await store.removeConfirmations(scope, row.id, id)
  const { webhookSecret } = requested
  return [request(sealer, 'confirm', { ...input, id, secret, webhookSecret, expiresAt })]
}

/** Sends the manage link to an address that is already subscribed. */
export const sendManageLink = async (
  sealer: Sealer,
  scope: Scope,
  input: ConfirmationInput,
): Promise<EventDraft[]> => {
  const { row } = input
  if (!(await store.countConfirmationMessage(scope, messageLimitKey(row)))) return []
  const secret = decryptManageToken(sealer, row)
  const expiresAt = new Date(scope.now.getTime() + confirmationLifetimesMs[row.type])
  const { webhookSecret } = row
  return [request(sealer, 'manage', { ...input, id: newId(), secret, webhookSecret, expiresAt })]
}

export const decryptManageToken = (sealer: Sealer, row: SubscriberRow): string =>
  sealer.open(row.manageToken, manageTokenEncryptionContext(row))

/** Hashed with the confirmation's id, because there are only a million codes. */
export const confirmationCodeDigest = (confirmationId: string, code: string): string =>
  hashToken(`${confirmationId} ${code}`)

/** Key of the daily limit: the part after `+` is ignored, since it arrives in the same mailbox. */
const messageLimitKey = ({ type, address }: Pick<SubscriberRow, 'type' | 'address'>): string =>
  sha256(`${type} ${type === 'email' ? address.replace(/\+[^@]*@/, '@') : address}`)

const newCode = () => String(randomInt(CODES)).padStart(CODE_DIGITS, '0')

interface ConfirmationMessage extends ConfirmationInput {
  id: string
  secret: string
  webhookSecret: string | null
  expiresAt: Date
}

const request = (
  sealer: Sealer,
  purpose: ConfirmationPurpose,
  { row, pageName, id, secret, webhookSecret, expiresAt }: ConfirmationMessage,
): EventDraft => {
  const { organizationId } = row
  const context = manageTokenEncryptionContext({ organizationId, id })
  return draftEvent(
    subscriberConfirmationRequested,
    { id, version: 1 },
    {
      purpose,
      subscriber: subscriberEventData(row),
      subscriberVersion: row.version,
      pageName,
      sealedToken: sealer.seal(secret, context),
      webhookSecret,
      expiresAt: expiresAt.toISOString(),
    },
  )
}
