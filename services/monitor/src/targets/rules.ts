/** Definition of a target, derived from an ENDPOINT component. */
import type { ComponentEventData, Condition } from '@status-page/contracts'

type Endpoint = NonNullable<ComponentEventData['endpoint']>

export type TargetMethod = Endpoint['method']
export type TargetHeader = Endpoint['headers'][number]

/** Target as core defines it. */
export interface TargetDefinition {
  componentId: string
  version: number
  shard: number
  name: string
  isEnabled: boolean
  url: string
  method: TargetMethod
  headers: TargetHeader[]
  body: string | null
  intervalSeconds: number
  timeoutMs: number
  conditions: Condition[]
  failureThreshold: number
  recoveryThreshold: number
  /** Locations that check the target; empty means the location `default`. */
  locations: string[]
  quorum: number | null
}

/** Null for components without an HTTP check. */
export const targetDefinitionOf = (
  component: ComponentEventData,
  { version, shard }: Pick<TargetDefinition, 'version' | 'shard'>,
): TargetDefinition | null => {
  const { endpoint } = component
  if (component.type !== 'ENDPOINT' || endpoint === null) return null
  return {
    componentId: component.id,
    version,
    shard,
    name: component.name,
    isEnabled: component.isEnabled,
    url: endpoint.url,
    method: endpoint.method,
    headers: endpoint.headers,
    body: endpoint.body,
    intervalSeconds: endpoint.checkInterval,
    timeoutMs: endpoint.timeout,
    conditions: endpoint.conditions,
    failureThreshold: endpoint.failureThreshold,
    recoveryThreshold: endpoint.recoveryThreshold,
    locations: endpoint.locations ?? [],
    quorum: endpoint.locationQuorum ?? null,
  }
}

/** Encryption context of a header value: a value moved to another header does not decrypt. */
export const headerSealContext = (
  { organizationId, componentId }: { organizationId: string; componentId: string },
  name: string,
) =>
  ({
    organizationId,
    purpose: 'component-header',
    recordId: `${componentId}:${name.toLowerCase()}`,
  }) as const
