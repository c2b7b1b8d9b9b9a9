/** What alerts propose: a draft when one fires, its end when it is resolved. */
import { reaction } from '@status-page/bus'
import { alertSignalReceived } from '@status-page/contracts'
import { findComponents } from '../components/store.ts'
import { auditDraft, draftFrom, onResolved } from './rules.ts'
import * as store from './store.ts'

export const signalReaction = reaction({
  consumer: 'core-signals',
  on: [alertSignalReceived],
  handle: async (scope, { aggregate: { version }, data: { signal } }) => {
    const { organizationId, now } = scope
    const nothing = { result: undefined, events: [], audit: [] }
    const before = await store.lockDraft(scope, signal.id)
    if (before === undefined) {
      const draft = draftFrom(signal, { organizationId, version, now })
      // What is about none of our components is about nothing that a page shows.
      const known = await findComponents(scope, signal.componentIds)
      if (draft === null || known.size === 0) return nothing
      await store.insertDraft(scope, draft)
      return { ...nothing, audit: [auditDraft(null, draft)] }
    }
    if (signal.status !== 'resolved' || before.version >= version) return nothing
    const after = onResolved(before, { version, endsAt: signal.endsAt, now })
    await store.saveDraft(scope, after)
    return { ...nothing, audit: [auditDraft(before, after)] }
  },
})
