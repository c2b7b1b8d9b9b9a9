/**
 * Handler of the reports of vendors: the report is stored, a component that mirrors its vendor takes
 * its status, and in the mode `draft` a disruption has an incident draft. A report without data
 * changes neither.
 */
import { eventHandler } from '@status-page/bus'
import { vendorStatusChanged } from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import { applyVendorReport, hasSameVendor } from '../components/rules.ts'
import { lockComponents, saveStatuses, saveVendorReport } from '../components/store.ts'
import { applySignal } from '../incidents/drafts/apply-signal.ts'
import { lockVendorDraft } from '../incidents/drafts/store.ts'
import { vendorSignalOf } from './rules.ts'

export const vendorStatusHandler = ({ baseUrl }: { baseUrl: string }) =>
  eventHandler({
    consumer: 'core-vendor-status',
    on: [vendorStatusChanged],
    handle: async (scope, { aggregate: { version }, data: { vendorStatus } }) => {
      const { componentId, upstream, report } = vendorStatus
      // A draft is locked before its components, as when it is published.
      const draft = await lockVendorDraft(scope, componentId)
      const row = (await lockComponents(scope, [componentId])).get(componentId)
      if (row === undefined || row.vendorVersion >= version || row.upstream === null) return
      // A report of another page or component was requested before the upstream changed.
      if (!hasSameVendor(row.upstream, upstream)) return
      await saveVendorReport(scope, row.id, { vendorReport: report, vendorVersion: version })
      const change = applyVendorReport(row, report, scope.now)
      await saveStatuses(scope, change === null ? [] : [change])
      const signal = vendorSignalOf({
        componentId,
        upstream: row.upstream,
        report,
        draft,
        newDraftId: newId(),
      })
      if (signal === null) return
      return applySignal(scope, draft, { signal, version, baseUrl })
    },
  })
