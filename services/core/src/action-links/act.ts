/** Action of a link, by the same functions as the JSON operations, with its recipient as actor. */
import {
  type Actor,
  type AuditDraft,
  conflict,
  type LinkAction,
  notFound,
  type Outcome,
} from '@status-page/contracts'
import { type Database, type Scope, transact } from '@status-page/postgres'
import { publishWaitingDraft, vetoWaitingDraft } from '../incidents/drafts/publish.ts'
import { incidentSourceOf } from '../incidents/rules.ts'
import { changeAlert } from '../oncall/alerts/changes.ts'
import { draftIdOf } from '../oncall/alerts/event-causes.ts'
import { findAlert, lockAlert } from '../oncall/alerts/store.ts'
import { type ActionLink, isRecipientValid, possibleActions } from './targets.ts'

interface ActionDeps {
  database: Database
  baseUrl: string
}

/**
 * 409 when the action has taken place already, by this link or otherwise: the state is checked
 * under the lock of the subject. Returns false when the draft was closed instead of published.
 */
export const actOnLink = (
  { database, baseUrl }: ActionDeps,
  link: ActionLink,
  { action, caller }: { action: LinkAction; caller: Actor },
): Promise<boolean> => {
  const { organizationId } = link
  const actor = actorOf(link, caller)
  return transact(database, { organizationId, actor }, async (scope) => {
    if (!(await isRecipientValid(scope, link))) throw notFound()
    const { result, events, audit } = await act[action](scope, link, { actor, baseUrl })
    return { result, events, audit: audit.map((entry) => withRecipient(entry, link)) }
  })
}

/** Members act as themselves. A channel has several readers, so its link acts for the system. */
const actorOf = ({ recipient, recipientId }: ActionLink, caller: Actor): Actor => ({
  ...caller,
  apiKeyId: null,
  ...(recipient === 'user'
    ? { type: 'user' as const, userId: recipientId }
    : { type: 'system' as const, userId: null }),
})

const withRecipient = (entry: AuditDraft, { recipient, recipientId }: ActionLink): AuditDraft =>
  recipient === 'user'
    ? entry
    : { ...entry, changes: { ...entry.changes, notificationChannelId: { to: recipientId } } }

type LinkActionFunction = (
  scope: Scope,
  link: ActionLink,
  by: { actor: Actor; baseUrl: string },
) => Promise<Outcome<boolean>>

const changeLinkedAlert =
  (verb: 'acknowledged' | 'resolved', action: LinkAction): LinkActionFunction =>
  async (scope, { subject, subjectId }, { actor: { userId } }) => {
    if (subject !== 'alert') throw notFound()
    const alert = await lockAlert(scope, subjectId)
    if (alert === undefined) throw notFound()
    if (!possibleActions({ alert, draft: null }).includes(action)) throw alreadyDone()
    const { changes } = await changeAlert(scope, subjectId, { verb, userId })
    return { result: true, ...changes }
  }

const alreadyDone = () => conflict('invalid_state', 'The action has taken place already')

const act: Record<LinkAction, LinkActionFunction> = {
  acknowledge: changeLinkedAlert('acknowledged', 'acknowledge'),
  resolve: changeLinkedAlert('resolved', 'resolve'),
  publish: async (scope, link, { actor, baseUrl }) => {
    const source = incidentSourceOf(actor.type === 'user' ? 'user' : 'api_key')
    const options = { source, notifySubscribers: true, baseUrl }
    const draftId = await linkedDraftId(scope, link)
    const { incident, ...changes } = await publishWaitingDraft(scope, draftId, {}, options)
    return { result: incident !== null, ...changes }
  },
  veto: async (scope, link) => {
    const { events, audit } = await vetoWaitingDraft(scope, await linkedDraftId(scope, link))
    return { result: true, events, audit }
  },
}

const linkedDraftId = async (scope: Scope, { subject, subjectId }: ActionLink): Promise<string> => {
  if (subject === 'draft') return subjectId
  const alert = await findAlert(scope, subjectId)
  const draftId = alert === undefined ? null : draftIdOf(alert)
  if (draftId === null) throw notFound()
  return draftId
}
