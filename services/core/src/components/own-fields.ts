/** What of a PATCH counts: fields of another type are ignored, whatever they hold. */
import { type ComponentPatch, type ComponentType, fieldsOfType } from '@status-page/contracts'

export const foreignFields = (type: ComponentType): string[] => {
  const own = new Set(fieldsOfType[type])
  return Object.values(fieldsOfType)
    .flat()
    .filter((name) => !own.has(name))
}

/** Whether it matters at all of what type the component is. */
export const namesTyped = (patch: ComponentPatch): boolean => {
  const typed = new Set(Object.values(fieldsOfType).flat())
  return Object.keys(patch).some((name) => typed.has(name))
}

export const withoutFields = (patch: ComponentPatch, names: readonly string[]): ComponentPatch =>
  Object.fromEntries(Object.entries(patch).filter(([name]) => !names.includes(name)))
