/** Properties of components by their type; an endpoint is checked by requests or by pings. */
import type { PushKind } from '@status-page/contracts'
import type { ComponentData } from './tree.ts'

export type CheckSource = PushKind | 'request'

/** Type of a component as the views distinguish it. */
export type ComponentVariant = Exclude<ComponentData['type'], 'ENDPOINT'> | CheckSource

interface VariantProperties {
  /** Whether a check can be made on request. */
  isTestable: boolean
  /** Whether its creation creates a URL for pings. */
  hasPingUrl: boolean
}

const properties: Record<ComponentVariant, VariantProperties> = {
  SERVICE: { isTestable: false, hasPingUrl: false },
  METRIC: { isTestable: false, hasPingUrl: false },
  request: { isTestable: true, hasPingUrl: false },
  heartbeat: { isTestable: false, hasPingUrl: true },
}

type TypedComponent = Pick<ComponentData, 'type' | 'kind'>

export const variantOf = ({ type, kind }: TypedComponent): ComponentVariant =>
  type === 'ENDPOINT' ? (kind ?? 'request') : type

export const propertiesOf = (component: TypedComponent): VariantProperties =>
  properties[variantOf(component)]
