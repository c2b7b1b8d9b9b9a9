/** Reactions to groups of alerts: a draft when one fires, its end when it is resolved. */
import { eventHandler } from '@status-page/bus'
import { type AlertSignal, alertSignalReceived } from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import { findComponents } from '../components/store.ts'
import type { IncidentDraftRow } from '../tables.ts'
import { resolvePublished } from './resolve.ts'
import { auditDraft, draftFrom, onGrown, onResolved, withEndNote } from './rules.ts'
import * as store from './store.ts'
import { draftClosedEvents, draftEvents } from './view.ts'

const nothing = { result: undefined, events: [], audit: [] }

export const signalReaction = ({ baseUrl }: { baseUrl: string }) =>
  eventHandler({
    consumer: 'core-signals',
    on: [alertSignalReceived],
    handle: async (scope, { aggregate: { version }, data: { signal } }) => {
      const before = await store.lockDraft(scope, signal.id)
      if (before === undefined) return propose(scope, signal, version)
      if (before.version >= version) return nothing
      if (signal.status === 'resolved') return end(scope, { before, signal, version, baseUrl })
      const componentNames = await namesOf(scope, signal)
      const after = onGrown(before, signal, { version, componentNames, now: scope.now })
      await store.saveDraft(scope, after)
      return { ...nothing, audit: [auditDraft(before, after)] }
    },
  })

const propose = async (scope: Scope, signal: AlertSignal, version: number) => {
  const { organizationId, now } = scope
  const componentNames = await namesOf(scope, signal)
  const draft = draftFrom(signal, { organizationId, version, componentNames, now })
  // What is about none of our components is about nothing that a page shows.
  if (draft === null || componentNames.length === 0) return nothing
  await store.insertDraft(scope, draft)
  const events = await draftEvents(scope, draft)
  return { ...nothing, events, audit: [auditDraft(null, draft)] }
}

interface Ending {
  before: IncidentDraftRow
  signal: AlertSignal
  version: number
  baseUrl: string
}

const end = async (scope: Scope, { before, signal, version, baseUrl }: Ending) => {
  const { now } = scope
  const ended = onResolved(before, { version, endsAt: signal.endsAt, now })
  const resolved =
    before.status === 'published' && signal.autoResolve
      ? await resolvePublished(scope, ended, baseUrl)
      : null
  const note = resolved === null ? (before.status === 'published' ? 'left' : 'ended') : 'resolved'
  const after = withEndNote(ended, note, now)
  await store.saveDraft(scope, after)
  const audit = [...(resolved?.audit ?? []), auditDraft(before, after)]
  const events = [...(resolved?.events ?? []), ...draftClosedEvents(before, after)]
  return { ...nothing, events, audit }
}

/** Names of the components that are left, in the order of the signal. */
const namesOf = async (scope: Scope, { componentIds }: AlertSignal): Promise<string[]> => {
  const known = await findComponents(scope, componentIds)
  return componentIds.flatMap((id) => known.get(id)?.name ?? [])
}
