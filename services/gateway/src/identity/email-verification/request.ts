/**
 * Verification mails: a token for the owner of the mailbox, sealed for the service that sends the
 * mail.
 */
import { accountVerificationRequested, draftEvent, type EventDraft } from '@status-page/contracts'
import type { Scope, SystemScope } from '@status-page/postgres'
import { hashToken, randomToken, type Sealer } from '@status-page/secrets'
import { insertVerification } from './store.ts'

const TOKEN_LIFETIME_MS = 7 * 24 * 3_600_000

/** Stores the hash of a new token; returns the event that triggers the mail. */
export const requestVerification = async (
  scope: Scope | SystemScope,
  user: { id: string; email: string; name: string },
  { organizationId, sealer }: { organizationId: string; sealer: Sealer },
): Promise<EventDraft> => {
  const token = randomToken()
  const expiresAt = new Date(scope.now.getTime() + TOKEN_LIFETIME_MS)
  const recordId = await insertVerification(scope, {
    userId: user.id,
    tokenHash: hashToken(token),
    expiresAt,
  })
  return draftEvent(
    accountVerificationRequested,
    { id: recordId, version: 1 },
    {
      email: user.email,
      name: user.name,
      userId: user.id,
      sealedToken: sealer.seal(token, { organizationId, purpose: 'mail-token', recordId }),
      expiresAt: expiresAt.toISOString(),
    },
  )
}
