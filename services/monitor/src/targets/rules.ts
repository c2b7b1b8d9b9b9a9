/** Definition of a target, derived from a component that is checked. */
import { type ComponentEventData, fieldsOfProbe, type ProbeSettings } from '@status-page/contracts'

/** Target as core defines it. */
export interface TargetDefinition {
  componentId: string
  version: number
  shard: number
  name: string
  isEnabled: boolean
  probe: ProbeSettings
  intervalSeconds: number
  timeoutMs: number
  failureThreshold: number
  recoveryThreshold: number
  /** Locations that check the target; empty means the location `default`. */
  locations: string[]
  quorum: number | null
}

/** Null for components without checks. */
export const targetDefinitionOf = (
  component: ComponentEventData,
  { version, shard }: Pick<TargetDefinition, 'version' | 'shard'>,
): TargetDefinition | null => {
  const { endpoint } = component
  if (endpoint === null) return null
  const { kind } = endpoint
  const fields = fieldsOfProbe(kind)
  const settings = Object.entries(endpoint).filter(([name]) => fields.includes(name))
  return {
    componentId: component.id,
    version,
    shard,
    name: component.name,
    isEnabled: component.isEnabled,
    probe: { kind, ...Object.fromEntries(settings) } as ProbeSettings,
    intervalSeconds: endpoint.checkInterval,
    timeoutMs: endpoint.timeout,
    failureThreshold: endpoint.failureThreshold,
    recoveryThreshold: endpoint.recoveryThreshold,
    locations: endpoint.locations ?? [],
    quorum: endpoint.locationQuorum ?? null,
  }
}
