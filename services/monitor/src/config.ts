/** Settings of the monitor. */
import { Type } from '@sinclair/typebox'
import { DEFAULT_LOCATION, LocationName } from '@status-page/contracts'
import { defineConfig } from '@status-page/service'

export const config = defineConfig({
  CHECK_RETENTION_DAYS: Type.Integer({
    minimum: 2,
    maximum: 30,
    default: 30,
    description: 'Retention of single checks in days',
  }),
  MONITOR_LOCATION: Type.String({
    pattern: LocationName.pattern as string,
    default: DEFAULT_LOCATION,
    description: 'Location of this replica; components name the locations that check them',
  }),
  RDAP_BOOTSTRAP_URL: Type.String({
    format: 'http-url',
    default: 'https://data.iana.org/rdap/dns.json',
    description: 'Registry of the RDAP servers by top-level domain (RFC 9224), for domain checks',
  }),
  MONITOR_CANARY_URLS: Type.Array(Type.String({ format: 'http-url' }), {
    maxItems: 5,
    default: [],
    description:
      'Requested when many targets fail at once; when none responds, the network is lost',
  }),
})
