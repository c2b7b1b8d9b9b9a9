/** Target of a kind that agents check. */
import {
  type AgentKind,
  type AgentTarget,
  agentKinds,
  type ProbeSettings,
} from '@status-page/contracts'

export type PolledTarget = Omit<AgentTarget, 'probe'> & { probe: ProbeSettings<AgentKind> }

/** False for a target of a kind that only a newer agent supports. */
export const isPolledTarget = (target: AgentTarget): target is PolledTarget =>
  agentKinds.some((kind) => kind === target.probe.kind)

export const hostNameOf = ({ probe }: PolledTarget): string => new URL(probe.url).hostname
