/** What the monitor keeps of an ENDPOINT component. */
import type { ComponentEventData, Condition } from '@status-page/contracts'

type Endpoint = NonNullable<ComponentEventData['endpoint']>

export type TargetMethod = Endpoint['method']
export type TargetHeader = Endpoint['headers'][number]

/** A target as core defines it. */
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
  /** Empty: the location `default`. */
  locations: string[]
  quorum: number | null
}

/** Null for components that are not checked by request. */
export const definitionOf = (
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

/** What core has sealed a header's value to: a moved one does not open. */
export const headerContext = (
  { organizationId, componentId }: { organizationId: string; componentId: string },
  name: string,
) =>
  ({
    organizationId,
    purpose: 'component-header',
    recordId: `${componentId}:${name.toLowerCase()}`,
  }) as const
