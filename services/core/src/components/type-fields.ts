/**
 * Fields of a PATCH by component type: fields of other types are ignored, whatever their values.
 */
import {
  type ComponentPatch,
  type ComponentType,
  componentTypes,
  fieldsOfType,
} from '@status-page/contracts'

const allTypeFields = new Set(componentTypes.flatMap(fieldsOfType))

export const fieldsOfOtherTypes = (type: ComponentType): string[] => {
  const typeFields = new Set(fieldsOfType(type))
  return [...allTypeFields].filter((name) => !typeFields.has(name))
}

/** True when the patch has a field that only some types have. */
export const hasTypeSpecificFields = (patch: ComponentPatch): boolean =>
  Object.keys(patch).some((name) => allTypeFields.has(name))

export const omitFields = (patch: ComponentPatch, names: readonly string[]): ComponentPatch =>
  Object.fromEntries(Object.entries(patch).filter(([name]) => !names.includes(name)))
