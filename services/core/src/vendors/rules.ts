/** Signal of an incident draft from the report of a vendor. Pure. */
import {
  type ComponentStatus,
  disruptedStatuses,
  type Impact,
  statusByImpact,
  type UpstreamSettings,
  type VendorReport,
} from '@status-page/contracts'
import type { DraftSignal } from '../incidents/drafts/rules.ts'
import type { IncidentDraftRow } from '../tables.ts'

const TITLE_TEMPLATE = '{{components}}: {{integration}} reports a disruption'
const MESSAGE_TEMPLATE = '{{integration}} reports: {{summary}}\n\n{{description}}'

const impactByStatus = Object.fromEntries(
  Object.entries(statusByImpact).map(([impact, status]) => [status, impact]),
) as Partial<Record<ComponentStatus, Impact>>

const disrupted: ReadonlySet<string> = new Set(disruptedStatuses)

export interface VendorSignalInput {
  componentId: string
  upstream: UpstreamSettings
  report: VendorReport
  /** Draft about the present disruption; undefined for none. */
  draft: Pick<IncidentDraftRow, 'id' | 'impact'> | undefined
  newDraftId: string
}

/**
 * Null when the report changes no draft: without data, and without a disruption before and after.
 * A draft also ends with its mode.
 */
export const vendorSignalOf = ({
  componentId,
  upstream,
  report,
  draft,
  newDraftId,
}: VendorSignalInput): DraftSignal | null => {
  if (report.status === 'no_data') return null
  const isFiring = upstream.mode === 'draft' && disrupted.has(report.status)
  if (!isFiring && draft === undefined) return null
  return {
    id: draft?.id ?? newDraftId,
    status: isFiring ? 'firing' : 'resolved',
    integrationId: null,
    vendorComponentId: componentId,
    integrationName: report.vendor,
    title: report.message ?? report.status.replaceAll('_', ' '),
    message: report.url,
    titleTemplate: TITLE_TEMPLATE,
    messageTemplate: MESSAGE_TEMPLATE,
    labels: {},
    autoResolve: false,
    impact: impactByStatus[report.status] ?? draft?.impact ?? 'minor',
    componentIds: [componentId],
    startsAt: report.reportedAt,
    endsAt: isFiring ? null : report.reportedAt,
    publishAfterMinutes: null,
  }
}
