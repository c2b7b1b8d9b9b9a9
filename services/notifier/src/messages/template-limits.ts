/** Limits of a channel's templates that a schema cannot express. */
import {
  type Issue,
  MAX_TEMPLATE_BYTES,
  MAX_TEMPLATE_PLACEHOLDERS,
  throwIssues,
} from '@status-page/contracts'
import { countPlaceholders } from './template.ts'

type Template = string | null | undefined

/** Issues of one template, named by `field`; empty for a template within its limits. */
export const templateIssues = (field: string, template: Template): Issue[] => {
  if (template === null || template === undefined) return []
  if (Buffer.byteLength(template) > MAX_TEMPLATE_BYTES) {
    return [{ field, message: `${field} must have at most 64 KiB` }]
  }
  if (countPlaceholders(template) > MAX_TEMPLATE_PLACEHOLDERS) {
    const message = `${field} must have at most ${MAX_TEMPLATE_PLACEHOLDERS} placeholders`
    return [{ field, message }]
  }
  return []
}

/** Throws a 400 that names each field whose template exceeds a limit. */
export const validateTemplates = (templates: Readonly<Record<string, Template>>): void => {
  throwIssues(
    Object.entries(templates).flatMap(([field, template]) => templateIssues(field, template)),
  )
}
