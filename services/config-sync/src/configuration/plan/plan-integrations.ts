/** Config and changed fields of an integration in a document. Pure. */
import type { DesiredIntegration } from '../document/document.ts'
import { type ConfigValues, integrationConfig } from '../typed-config.ts'
import type { LiveIntegration } from './live.ts'
import { planConfig } from './plan-config.ts'
import type { PlanningState } from './planning.ts'

export const integrationChange = (
  planning: PlanningState,
  { path, type, config: given, isEnabled }: DesiredIntegration,
  before: LiveIntegration | null,
): { config: ConfigValues; fields: string[] } => {
  const { config, isChanged } = planConfig(planning, {
    typed: integrationConfig,
    type,
    path: `${path}.config`,
    config: given,
    stored: before?.config ?? null,
  })
  return {
    config,
    fields: [
      ...(isEnabled === undefined || isEnabled === before?.isEnabled ? [] : ['isEnabled']),
      ...(isChanged ? ['config'] : []),
    ],
  }
}
