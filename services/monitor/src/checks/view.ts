/** Checks as clients receive them. */
import { uuidFromText } from '@status-page/bus'
import type { Check } from '@status-page/contracts'
import type { CheckRow } from './record/rows.ts'

/** The id derives from the key of the row, which would otherwise be a tenth larger. */
export const checkOf = (row: CheckRow): Check => ({
  id: uuidFromText(JSON.stringify([row.componentId, row.slotAt, row.location])),
  componentId: row.componentId,
  success: row.status === 'SUCCESS',
  status: row.status,
  statusCode: row.statusCode,
  responseTime: row.responseMs,
  timestamp: row.checkedAt.toISOString(),
  error: row.error,
  conditionResults: row.conditionResults,
  trigger: row.isManual ? 'manual' : 'schedule',
  timings: { dns: row.dnsMs, connect: row.connectMs, tls: row.tlsMs, firstByte: row.firstByteMs },
  location: row.location,
})
