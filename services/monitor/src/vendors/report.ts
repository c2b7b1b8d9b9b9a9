/** Report about a component, derived from the document of its vendor. Pure. */
import type { VendorFault, VendorReport } from '@status-page/contracts'
import { type VendorComponent, type VendorDocument, type VendorState, worstOf } from './document.ts'
import { stateOfEntries } from './feed.ts'

/** Stored page: its last document, and the fault since then. */
export interface VendorPage {
  url: string
  document: VendorDocument | null
  error: VendorFault | null
  /** Time of the first of the present failures; null without one. */
  failedSince: Date | null
}

export interface ReportInput {
  page: VendorPage
  /** Name or id of the vendor's component; null: the whole page. */
  component: string | null
  /** Last published report; null for none. */
  previous: VendorReport | null
  now: Date
}

export const vendorReportOf = ({ page, component, previous, now }: ReportInput): VendorReport => {
  const { document, error } = page
  const found = document === null || error !== null ? null : stateOf(document, component)
  const vendor = document?.vendor ?? new URL(page.url).hostname
  const pageUrl = document?.url ?? page.url
  if (found === null || found.status === null) {
    const reason = error ?? (found === null ? 'component_not_found' : 'unknown_format')
    const report = {
      status: 'no_data' as const,
      error: reason,
      vendor,
      message: null,
      url: pageUrl,
    }
    return { ...report, reportedAt: timeOf(report, previous, page.failedSince ?? now, now) }
  }
  const { status, message, url, reportedAt } = found
  const report = { status, error: null, vendor, message, url: url ?? pageUrl }
  const given = reportedAt === null ? null : new Date(reportedAt)
  return { ...report, reportedAt: timeOf(report, previous, given, now) }
}

/** The given time, else that of an equal report before, else now; never in the future. */
const timeOf = (
  { status, message }: Pick<VendorReport, 'status' | 'message'>,
  previous: VendorReport | null,
  given: Date | null,
  now: Date,
): string => {
  if (given !== null && given <= now) return given.toISOString()
  const isSame = previous?.status === status && previous.message === message
  return isSame ? previous.reportedAt : now.toISOString()
}

/** Null when the vendor has no such component. */
const stateOf = (document: VendorDocument, component: string | null): VendorState | null => {
  if (component === null) return document.page
  const wanted = component.toLowerCase()
  if (document.components === null) {
    return stateOfEntries(document.entries.filter(({ searchText }) => searchText.includes(wanted)))
  }
  const isWanted = ({ id, name }: VendorComponent) =>
    id.toLowerCase() === wanted || name.toLowerCase() === wanted
  const [first, ...others] = document.components.filter(isWanted)
  return first === undefined ? null : worstOf([first, ...others])
}
