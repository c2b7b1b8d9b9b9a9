/** Definition of a target, derived from a component that is checked. */
import {
  type ComponentEventData,
  fieldsOfProbe,
  type PolledKind,
  type ProbeSettings,
  timeoutOf,
  waitsForPush,
} from '@status-page/contracts'

/** Target as core defines it. */
export interface TargetDefinition {
  componentId: string
  version: number
  shard: number
  name: string
  isEnabled: boolean
  probe: ProbeSettings
  /** Null for a kind that waits for a push. */
  intervalSeconds: number | null
  timeoutMs: number | null
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
    ...(waitsForPush(endpoint) ? pushSchedule : scheduleOf(endpoint)),
  }
}

type Endpoint = NonNullable<ComponentEventData['endpoint']>

const scheduleOf = (endpoint: Extract<Endpoint, { kind: PolledKind }>) => ({
  intervalSeconds: endpoint.checkInterval,
  timeoutMs: timeoutOf(endpoint.kind, endpoint.timeout),
  failureThreshold: endpoint.failureThreshold,
  recoveryThreshold: endpoint.recoveryThreshold,
  locations: endpoint.locations ?? [],
  quorum: endpoint.locationQuorum ?? null,
})

/** Every missed ping and every successful one decides. */
const pushSchedule = {
  intervalSeconds: null,
  timeoutMs: null,
  failureThreshold: 1,
  recoveryThreshold: 1,
  locations: [],
  quorum: null,
}
