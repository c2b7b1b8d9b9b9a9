/** Where single sign-on is enforced: which door a password opens still, and who is told when it does. */
import { type AuditDraft, accountWarned, type EventDraft, emit } from '@status-page/contracts'
import { type Crossing, newId, type Scope } from '@status-page/postgres'
import { and, eq } from 'drizzle-orm'
import { admitsPassword } from '../organization/rules.ts'
import { memberships, users } from '../tables.ts'

interface Door {
  organizationId: string
  role: string
  ssoEnforced: boolean
}

/** The first organization that a password leads to; null where all of them ask for their provider. */
export const doorOf = <Of extends Door>(
  doors: readonly Of[],
  { twoFactorEnabled: hasTwoFactor }: { twoFactorEnabled: boolean },
): Of | null =>
  doors.find(({ ssoEnforced, role }) => admitsPassword({ ssoEnforced, role, hasTwoFactor })) ?? null

/** An OWNER past the provider: said in the log, and mailed to everybody who owns the organization. */
export const emergencyOf = async (
  { tx, now }: Scope | Crossing,
  { organizationId, ssoEnforced }: Omit<Door, 'role'>,
  { ipAddress }: { ipAddress: string | null },
): Promise<{ events: EventDraft[]; changes: AuditDraft['changes'] }> => {
  if (!ssoEnforced) return { events: [], changes: {} }
  const owners = await tx
    .select({ userId: users.id, email: users.email, name: users.name })
    .from(memberships)
    .innerJoin(users, eq(users.id, memberships.userId))
    .where(and(eq(memberships.organizationId, organizationId), eq(memberships.role, 'OWNER')))
  const about = { warning: 'emergency_login', ipAddress, at: now.toISOString() } as const
  const events = owners.map((owner) =>
    emit(accountWarned, { id: newId(), version: 1 }, { ...owner, ...about }),
  )
  return { events, changes: { emergency: { to: true } } }
}
