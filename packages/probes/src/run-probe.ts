/** Registry of the kinds of checks that send requests. */
import type { PolledKind, ProbeResult } from '@status-page/contracts'
import { dns } from './dns.ts'
import { domain } from './domain.ts'
import { http } from './http.ts'
import { icmp } from './icmp.ts'
import type { Probe, ProbeDeps, Probed } from './probe.ts'
import { tcp } from './tcp.ts'
import { tls } from './tls.ts'

const probes: { [Kind in PolledKind]: Probe<Kind> } = { http, tcp, tls, dns, icmp, domain }

const probeOf = ({ probe }: Pick<Probed, 'probe'>): Probe => probes[probe.kind]

export const hostOf = (target: Pick<Probed, 'componentId' | 'probe'>): string =>
  probeOf(target).hostOf(target)

export type RunProbe = (target: Probed) => Promise<ProbeResult | null>

/** Runs a check with the probe of the target's kind. */
export const createRunProbe =
  (deps: ProbeDeps): RunProbe =>
  (target) =>
    probeOf(target).run(target, deps)
