/** Applies a template to the body of a new incident. */
import { invalid, type NewIncident, ruleIssue } from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import { existingComponentIds } from '../../components/existing-ids.ts'
import { fillFromTemplate, referencedComponentIds } from './rules.ts'
import { templateRows } from './store.ts'

/** Body with the template applied; the title is always set. */
export const bodyWithTemplate = async (
  scope: Scope,
  body: NewIncident,
): Promise<NewIncident & { title: string }> => {
  const filled = body.templateId === undefined ? plain(body) : await fromTemplate(scope, body)
  const { title } = filled
  if (title === undefined) throw invalid({ field: 'title', message: 'title is required' })
  return { ...filled, title }
}

const plain = (body: NewIncident): NewIncident => {
  if (body.variables === undefined) return body
  throw invalid({ field: 'variables', message: 'variables require templateId' })
}

const fromTemplate = async (scope: Scope, body: NewIncident): Promise<NewIncident> => {
  const template = await templateRows.find(scope, body.templateId ?? '')
  if (template === undefined) throw invalid(ruleIssue('templateId', 'exists'))
  return fillFromTemplate(
    template,
    body,
    await existingComponentIds(scope, referencedComponentIds(template)),
  )
}
