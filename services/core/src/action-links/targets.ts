/** Subject and recipient of an action link, read in the organization of the subject. */
import type { LinkAction } from '@status-page/contracts'
import { asLookup, type Database, read, type Scope } from '@status-page/postgres'
import type { ActionTarget, ActionTokens } from '@status-page/secrets'
import { eq } from 'drizzle-orm'
import { findComponents } from '../components/store.ts'
import { findDraft } from '../incidents/drafts/store.ts'
import { componentsOf } from '../incidents/store.ts'
import { draftIdOf } from '../oncall/alerts/event-causes.ts'
import { findAlert } from '../oncall/alerts/store.ts'
import { findChannels } from '../oncall/channels/store.ts'
import { findMembers } from '../oncall/members/store.ts'
import { listPublishedPages } from '../status-pages/settings/store.ts'
import {
  type IncidentDraftRow,
  incidentDrafts,
  type OncallAlertRow,
  oncallAlerts,
} from '../tables.ts'

export interface ActionLink extends ActionTarget {
  organizationId: string
}

export interface LinkedSubject {
  alert: OncallAlertRow | null
  /** Draft of the link, or the one that the alert is about. */
  draft: IncidentDraftRow | null
  componentNames: string[]
  /** Name of the member who acknowledged the alert. */
  acknowledgedBy: string | null
  timezone: string
}

interface LinkDeps {
  database: Database
  tokens: ActionTokens
}

/** Null for a token that is altered or expired, or whose subject does not exist. */
export const findActionLink = (
  { database, tokens }: LinkDeps,
  token: string,
): Promise<ActionLink | null> => {
  const target = tokens.read(token)
  if (target === null) return Promise.resolve(null)
  const table = target.subject === 'alert' ? oncallAlerts : incidentDrafts
  return asLookup(database, async ({ tx, now }) => {
    if (target.expiresAt <= now) return null
    const [found] = await tx
      .select({ organizationId: table.organizationId })
      .from(table)
      .where(eq(table.id, target.subjectId))
    return found === undefined ? null : { ...target, ...found }
  })
}

/** Links of members who left, and of deleted channels, have no effect. */
export const isRecipientValid = async (
  scope: Scope,
  { recipient, recipientId }: ActionTarget,
): Promise<boolean> =>
  recipient === 'user'
    ? (await findMembers(scope, [recipientId])).has(recipientId)
    : (await findChannels(scope, [recipientId])).has(recipientId)

/** Null when the link has no effect. */
export const readSubject = (
  { database }: Pick<LinkDeps, 'database'>,
  link: ActionLink,
): Promise<LinkedSubject | null> =>
  read(database, link.organizationId, async (scope) =>
    (await isRecipientValid(scope, link)) ? loadSubject(scope, link) : null,
  )

const loadSubject = async (
  scope: Scope,
  { subject, subjectId }: ActionLink,
): Promise<LinkedSubject | null> => {
  const alert = subject === 'alert' ? ((await findAlert(scope, subjectId)) ?? null) : null
  const draftId = alert === null ? subjectId : draftIdOf(alert)
  const draft = draftId === null ? null : ((await findDraft(scope, draftId)) ?? null)
  if (alert === null && draft === null) return null
  const components = await findComponents(scope, await componentIdsOf(scope, alert, draft))
  const userId = alert?.acknowledgedBy ?? null
  const members = await findMembers(scope, userId === null ? [] : [userId])
  const [oldestPage] = await listPublishedPages(scope)
  return {
    alert,
    draft,
    componentNames: [...components.values()].map(({ name }) => name),
    acknowledgedBy: members.get(userId ?? '')?.name ?? null,
    timezone: oldestPage?.timezone ?? 'UTC',
  }
}

const componentIdsOf = async (
  scope: Scope,
  alert: OncallAlertRow | null,
  draft: IncidentDraftRow | null,
): Promise<string[]> => {
  if (draft !== null) return draft.componentIds
  const { incidentId = null, componentId = null } = alert ?? {}
  if (incidentId === null) return componentId === null ? [] : [componentId]
  const listed = await componentsOf(scope, [incidentId])
  return (listed.get(incidentId) ?? []).map((row) => row.componentId)
}

/** Actions that the state allows; a draft that waits is decided before its alert is resolved. */
export const possibleActions = ({
  alert,
  draft,
}: Pick<LinkedSubject, 'alert' | 'draft'>): LinkAction[] => {
  const isWaiting = draft?.status === 'waiting'
  const actions: LinkAction[] = isWaiting ? ['publish', 'veto'] : []
  if (alert?.status === 'triggered') actions.unshift('acknowledge')
  if (alert !== null && alert.status !== 'resolved' && !isWaiting) actions.push('resolve')
  return actions
}
