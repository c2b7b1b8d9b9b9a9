/**
 * Delivers events that channels select by name: service levels, certificates and drafts. Owners of
 * the organization also get mail about certificates.
 */
import { type EventHandler, eventHandler } from '@status-page/bus'
import {
  type CertificateEventData,
  certificateExpiring,
  type DraftEventData,
  incidentDraftClosed,
  incidentDraftCreated,
  incidentDraftPublishing,
  type SlaEventData,
  type SlaTargetEventData,
  scopeIdsOf,
  slaEvents,
} from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import { listComponents } from '../../audiences/store.ts'
import { completeFanOut } from './chunked-fan-out.ts'
import { isSuperseded, saveFanOutEvent } from './fan-out.ts'
import { namedEventRecipientMatchOf, type RecipientMatch } from './match.ts'
import { mailOwners, standalone } from './owners.ts'
import { cancelDeliveriesAboutDraft } from './supersede.ts'

export const namedEventHandler: EventHandler = eventHandler({
  consumer: 'notifier-named-events',
  on: [
    ...slaEvents,
    certificateExpiring,
    incidentDraftCreated,
    incidentDraftPublishing,
    incidentDraftClosed,
  ],
  requiresOrdering: { catchUp: { aggregates: true } },
  async handle(scope, event) {
    if (event.kind === incidentDraftClosed.kind) {
      // Stored, because a delivery in flight may fail and become pending again.
      await saveFanOutEvent(scope, event)
      await cancelDeliveriesAboutDraft(scope, event.aggregate.id)
      return
    }
    const data = event.data as Data
    const isReplaceable = 'sla' in data && !('incident' in data)
    // A certificate shares the id of its component with monitor events, and missed targets share
    // their service level; neither may supersede the other.
    const own = isReplaceable ? event : standalone(event)
    if (await isSuperseded(scope, own)) return
    const match = await matchIn(scope, event.kind, data)
    await completeFanOut(scope, own, match)
    if ('certificate' in data && match.state === 'pending') await mailOwners(scope, own)
  },
})

type Data =
  | { sla: SlaEventData }
  | SlaTargetEventData
  | { certificate: CertificateEventData }
  | { draft: DraftEventData }

const matchIn = async (scope: Scope, kind: string, data: Data): Promise<RecipientMatch> => {
  if ('draft' in data) {
    const { components, impact } = data.draft
    const isMuted = components.length > 0 && components.every((one) => one.isMuted)
    return namedEventRecipientMatchOf(kind, { scopeIds: scopeIdsOf(data.draft), impact, isMuted })
  }
  const ids = 'sla' in data ? data.sla.componentIds : [data.certificate.componentId]
  const copies = await listComponents(scope, ids)
  const unmuted = copies.filter((copy) => !copy.isMuted)
  const isMuted = copies.length > 0 && copies.length === ids.length && unmuted.length === 0
  const ancestorIds = (isMuted ? copies : unmuted).flatMap((copy) => copy.ancestorIds)
  const muted = new Set(isMuted ? [] : copies.filter((copy) => copy.isMuted).map(({ id }) => id))
  const scopeIds = [...new Set([...ids.filter((id) => !muted.has(id)), ...ancestorIds])]
  return namedEventRecipientMatchOf(kind, { scopeIds, impact: null, isMuted })
}
