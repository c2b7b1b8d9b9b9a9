/**
 * Event handler for alert groups of integrations: creates a draft when a group fires and closes it
 * when the group is resolved.
 */
import { eventHandler } from '@status-page/bus'
import { alertSignalReceived } from '@status-page/contracts'
import { applySignal } from './apply-signal.ts'
import * as store from './store.ts'

export const alertSignalHandler = ({ baseUrl }: { baseUrl: string }) =>
  eventHandler({
    consumer: 'core-signals',
    on: [alertSignalReceived],
    handle: async (scope, { aggregate: { version }, data }) => {
      const signal = { ...data.signal, vendorComponentId: null }
      const before = await store.lockDraft(scope, signal.id)
      return applySignal(scope, before, { signal, version, baseUrl })
    },
  })
