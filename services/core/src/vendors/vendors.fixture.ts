/** Reports of vendors as the monitor publishes them. */
import { draftEvent, type VendorReport, vendorStatusChanged } from '@status-page/contracts'

export const VENDOR_URL = 'https://93.184.215.14/'

export const vendorReport = (given: Partial<VendorReport>): VendorReport => ({
  status: 'operational',
  error: given.status === 'no_data' ? 'timeout' : null,
  vendor: 'Acme',
  message: null,
  url: VENDOR_URL,
  reportedAt: '2026-01-01T10:00:00.000Z',
  ...given,
})

/** `component` is that of the upstream to which the report belongs. */
export const vendorStatusEvent = (
  id: string,
  version: number,
  { component = null, report }: { component?: string | null; report: VendorReport },
) => {
  const upstream = { url: VENDOR_URL, component }
  const vendorStatus = { componentId: id, name: 'Payments', upstream, report }
  return draftEvent(vendorStatusChanged, { id, version }, { vendorStatus })
}
