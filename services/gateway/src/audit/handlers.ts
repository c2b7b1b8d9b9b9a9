/** Event handler that stores the audit entries of all services. */

import { eventHandler } from '@status-page/bus'
import { auditRecorded } from '@status-page/contracts'
import { insertEntry } from './store.ts'

export const auditEventHandler = eventHandler({
  consumer: 'gateway-audit',
  isBatched: true,
  on: [auditRecorded],
  async handle(scope, { data }) {
    await insertEntry(scope, data)
  },
})

export const auditEventHandlers = [auditEventHandler]
