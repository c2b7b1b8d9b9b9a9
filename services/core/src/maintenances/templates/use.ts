/** Applies a template to the body of a new maintenance. */
import { invalid, type NewMaintenance, ruleIssue, throwIssues } from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import { existingComponentIds } from '../../components/existing-ids.ts'
import { fillFromTemplate } from './rules.ts'
import { templateRows } from './store.ts'

type CompleteBody = NewMaintenance & { title: string; scheduledUntil: string }

/** Body with the template applied; the title and the end are always set. */
export const bodyWithTemplate = async (
  scope: Scope,
  body: NewMaintenance,
): Promise<CompleteBody> => {
  const filled = body.templateId === undefined ? plain(body) : await fromTemplate(scope, body)
  const missing = (['title', 'scheduledUntil'] as const).filter(
    (field) => filled[field] === undefined,
  )
  throwIssues(missing.map((field) => ({ field, message: `${field} is required` })))
  return filled as CompleteBody
}

const plain = (body: NewMaintenance): NewMaintenance => {
  if (body.variables === undefined) return body
  throw invalid({ field: 'variables', message: 'variables require templateId' })
}

const fromTemplate = async (scope: Scope, body: NewMaintenance): Promise<NewMaintenance> => {
  const template = await templateRows.find(scope, body.templateId ?? '')
  if (template === undefined) throw invalid(ruleIssue('templateId', 'exists'))
  const existing = await existingComponentIds(scope, template.componentIds)
  return fillFromTemplate(template, body, existing)
}
