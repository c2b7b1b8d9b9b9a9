/**
 * Source of a status as displayed. Checks that succeed end their claim, so the service names the
 * manual status as the source of an operational component, although no user has set it.
 */
import type { Schemas } from '@status-page/client'
import type { ComponentData } from './tree.ts'

export type StatusPeriodData = Schemas['StatusPeriod']
type StatusSource = ComponentData['statusSource']

/** Source of the present status; null before the first check. */
export const confirmedSourceOf = (
  component: Pick<ComponentData, 'status' | 'statusSource' | 'monitors'>,
): StatusSource | null => {
  const { status, statusSource, monitors } = component
  const monitor = monitors?.[0]
  if (monitor === undefined || !isManual(statusSource)) return statusSource
  if (monitor.derivedStatus !== status) return statusSource
  return monitor.lastCheckAt === null ? null : 'monitor'
}

/**
 * Source of a past status; null for an operational period of a checked component, whose source is
 * not recorded.
 */
export const recordedSourceOf = (
  type: ComponentData['type'],
  { status, source }: Pick<StatusPeriodData, 'status' | 'source'>,
): StatusSource | null => {
  const isUnknown = type !== 'SERVICE' && status === 'operational' && isManual(source)
  return isUnknown ? null : source
}

const isManual = (source: StatusSource): boolean => source === 'manual' || source === 'config'
