/** Mails to the owners of an organization details an action of another owner. */
import {
  type AccountWarning,
  accountWarned,
  draftEvent,
  type EventDraft,
} from '@status-page/contracts'
import { newId, type Scope, type SystemScope } from '@status-page/postgres'
import { and, eq } from 'drizzle-orm'
import { memberships, users } from '../../tables.ts'

export interface OwnerWarning {
  organizationId: string
  warning: AccountWarning
  ipAddress: string | null
  /** Owner who performed the action and receives no mail. */
  exceptUserId: string | null
}

/** Returns one event per owner. */
export const warnOwners = async (
  { tx, now }: Scope | SystemScope,
  { organizationId, warning, ipAddress, exceptUserId }: OwnerWarning,
): Promise<EventDraft[]> => {
  const owners = await tx
    .select({ userId: users.id, email: users.email, name: users.name })
    .from(memberships)
    .innerJoin(users, eq(users.id, memberships.userId))
    .where(and(eq(memberships.organizationId, organizationId), eq(memberships.role, 'OWNER')))
  const details = { warning, ipAddress, at: now.toISOString() }
  return owners
    .filter(({ userId }) => userId !== exceptUserId)
    .map((owner) =>
      draftEvent(accountWarned, { id: newId(), version: 1 }, { ...owner, ...details }),
    )
}
