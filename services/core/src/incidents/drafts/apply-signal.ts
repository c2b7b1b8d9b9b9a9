/** Applies the cause of a draft: creates the draft, updates it, and closes it when the cause ends. */
import type { OutcomeDrafts } from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import { findComponents } from '../../components/store.ts'
import type { IncidentDraftRow } from '../../tables.ts'
import { resolvePublishedIncident } from './resolve.ts'
import {
  auditDraft,
  type DraftSignal,
  draftFromSignal,
  markAlertResolved,
  updateFromSignal,
  withEndNote,
} from './rules.ts'
import * as store from './store.ts'
import { draftClosedEvents, draftEvents } from './view.ts'

export interface ReceivedSignal {
  signal: DraftSignal
  /** Version of its event; an older one changes nothing. */
  version: number
  baseUrl: string
}

/** `before` is the locked draft of the signal; undefined for none. */
export const applySignal = async (
  scope: Scope,
  before: IncidentDraftRow | undefined,
  { signal, version, baseUrl }: ReceivedSignal,
): Promise<OutcomeDrafts | undefined> => {
  if (before === undefined) return createDraft(scope, signal, version)
  if (before.version >= version) return
  if (signal.status === 'resolved') {
    return handleResolved(scope, { before, signal, version, baseUrl })
  }
  const componentNames = await namesOf(scope, signal)
  const after = updateFromSignal(before, signal, { version, componentNames, now: scope.now })
  await store.saveDraft(scope, after)
  return { events: [], audit: [auditDraft(before, after)] }
}

const createDraft = async (scope: Scope, signal: DraftSignal, version: number) => {
  const { organizationId, now } = scope
  const componentNames = await namesOf(scope, signal)
  const draft = draftFromSignal(signal, { organizationId, version, componentNames, now })
  // No status page could show an incident without components.
  if (draft === null || componentNames.length === 0) return
  await store.insertDraft(scope, draft)
  const events = await draftEvents(scope, draft)
  return { events, audit: [auditDraft(null, draft)] }
}

interface ResolvedSignal extends ReceivedSignal {
  before: IncidentDraftRow
}

const handleResolved = async (
  scope: Scope,
  { before, signal, version, baseUrl }: ResolvedSignal,
) => {
  const { now } = scope
  const ended = markAlertResolved(before, { version, endsAt: signal.endsAt, now })
  const resolved =
    before.status === 'published' && signal.autoResolve
      ? await resolvePublishedIncident(scope, ended, baseUrl)
      : null
  const note = resolved === null ? (before.status === 'published' ? 'left' : 'ended') : 'resolved'
  const after = withEndNote(ended, note, now)
  await store.saveDraft(scope, after)
  const audit = [...(resolved?.audit ?? []), auditDraft(before, after)]
  const events = [...(resolved?.events ?? []), ...draftClosedEvents(before, after)]
  return { events, audit }
}

/** Names of the existing components, in the order of the signal. */
const namesOf = async (scope: Scope, { componentIds }: DraftSignal): Promise<string[]> => {
  const known = await findComponents(scope, componentIds)
  return componentIds.flatMap((id) => known.get(id)?.name ?? [])
}
