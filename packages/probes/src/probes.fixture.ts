/** Probes for tests: local targets are allowed, and no domain has a registration. */
import { createOutbound, outboundPolicy } from '@status-page/outbound'
import { createSealer } from '@status-page/secrets'
import type { DomainRegistrations } from './probe.ts'
import { createRunProbe } from './run-probe.ts'

export const testSealer = createSealer({ current: '0123456789abcdef0123456789abcdef' })

export const noRegistrations: DomainRegistrations = { find: async () => null }

export const localProbe = (now: () => number) => {
  const policy = outboundPolicy({ allowCidrs: ['127.0.0.0/8'], ownHosts: [] })
  const outbound = createOutbound({ policy })
  return createRunProbe({ outbound, sealer: testSealer, registrations: noRegistrations, now })
}
