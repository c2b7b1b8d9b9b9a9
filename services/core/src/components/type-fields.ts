/**
 * Fields of a PATCH by component type: fields of other types are ignored, whatever their values.
 */
import { type ComponentPatch, type ComponentType, fieldsOfType } from '@status-page/contracts'

export const fieldsOfOtherTypes = (type: ComponentType): string[] => {
  const typeFields = new Set(fieldsOfType[type])
  return Object.values(fieldsOfType)
    .flat()
    .filter((name) => !typeFields.has(name))
}

/** True when the patch has a field that only some types have. */
export const hasTypeSpecificFields = (patch: ComponentPatch): boolean => {
  const typeFields = new Set(Object.values(fieldsOfType).flat())
  return Object.keys(patch).some((name) => typeFields.has(name))
}

export const omitFields = (patch: ComponentPatch, names: readonly string[]): ComponentPatch =>
  Object.fromEntries(Object.entries(patch).filter(([name]) => !names.includes(name)))
