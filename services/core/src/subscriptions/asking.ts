/** Writes to an address: to ask whether it wants to be subscribed, or to send it its manage link. */
import { randomInt } from 'node:crypto'
import {
  type ConfirmationPurpose,
  type EventDraft,
  emit,
  subscriberConfirmationRequested,
} from '@status-page/contracts'
import { newId, type Scope } from '@status-page/postgres'
import { hashToken, randomToken, type Sealer, sha256 } from '@status-page/secrets'
import { factOf, type SubscriberInput } from '../subscribers/rules.ts'
import { tokenContext } from '../subscribers/secrets.ts'
import type { SubscriberRow } from '../tables.ts'
import { lifetimesMs } from './rules.ts'
import * as store from './store.ts'

const CODES = 1_000_000
const CODE_DIGITS = 6

interface Asked {
  row: SubscriberRow
  /** Of the page that was subscribed to. */
  pageName: string | null
}

/** No events once the address has had its turns: nobody is told, the asker least of all. */
export const askToConfirm = async (
  sealer: Sealer,
  scope: Scope,
  { wish, ...asked }: Asked & { wish: SubscriberInput },
): Promise<EventDraft[]> => {
  const { row } = asked
  if (!(await store.takeTurn(scope, turnKeyOf(row)))) return []
  const id = newId()
  const isCode = row.type === 'sms'
  const secret = isCode ? newCode() : randomToken()
  const expiresAt = new Date(scope.now.getTime() + lifetimesMs[row.type])
  await store.insertConfirmation(scope, {
    ...wish,
    id,
    organizationId: scope.organizationId,
    subscriberId: row.id,
    addressDigest: row.addressDigest,
    tries: 0,
    secretDigest: isCode ? codeDigest(id, secret) : hashToken(secret),
    createdAt: scope.now,
    expiresAt,
  })
  // Two codes under way would be twice as easy to guess; links may be followed in any order.
  if (isCode) await store.removeConfirmations(scope, row.id, id)
  const { webhookSecret } = wish
  return [request(sealer, 'confirm', { ...asked, id, secret, webhookSecret, expiresAt })]
}

/** For who is subscribed already. */
export const sendManageLink = async (
  sealer: Sealer,
  scope: Scope,
  asked: Asked,
): Promise<EventDraft[]> => {
  const { row } = asked
  if (!(await store.takeTurn(scope, turnKeyOf(row)))) return []
  const secret = manageTokenOf(sealer, row)
  const expiresAt = new Date(scope.now.getTime() + lifetimesMs[row.type])
  const { webhookSecret } = row
  return [request(sealer, 'manage', { ...asked, id: newId(), secret, webhookSecret, expiresAt })]
}

export const manageTokenOf = (sealer: Sealer, row: SubscriberRow): string =>
  sealer.open(row.manageToken, tokenContext(row))

/** A code alone says too little to be told from a million others. */
export const codeDigest = (confirmationId: string, code: string): string =>
  hashToken(`${confirmationId} ${code}`)

/** By what an address is spared: whatever stands behind a `+` arrives in the same mailbox. */
const turnKeyOf = ({ type, address }: Pick<SubscriberRow, 'type' | 'address'>): string =>
  sha256(`${type} ${type === 'email' ? address.replace(/\+[^@]*@/, '@') : address}`)

const newCode = () => String(randomInt(CODES)).padStart(CODE_DIGITS, '0')

interface Sent extends Asked {
  id: string
  secret: string
  webhookSecret: string | null
  expiresAt: Date
}

const request = (
  sealer: Sealer,
  purpose: ConfirmationPurpose,
  { row, pageName, id, secret, webhookSecret, expiresAt }: Sent,
): EventDraft => {
  const { organizationId } = row
  const context = tokenContext({ organizationId, id })
  return emit(
    subscriberConfirmationRequested,
    { id, version: 1 },
    {
      purpose,
      subscriber: factOf(row),
      subscriberVersion: row.version,
      pageName,
      sealedToken: sealer.seal(secret, context),
      webhookSecret,
      expiresAt: expiresAt.toISOString(),
    },
  )
}
