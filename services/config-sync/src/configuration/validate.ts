/** Validates a document without changing anything and without DNS lookups. */
import type { ConfigValidation, Issue } from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import { runCooperatively } from '@status-page/service'
import { toBatches } from './batches.ts'
import type { DesiredDocument } from './document/document.ts'
import {
  checkText,
  formatWarnings,
  locateIssues,
  toConfigProblem,
} from './document/read-document.ts'
import { type ConfigurationDeps, createPlan, loadBatchIssues, type Principal } from './prepare.ts'

export const validateDocument = async (
  deps: ConfigurationDeps,
  principal: Principal,
  text: string,
): Promise<ConfigValidation> => {
  const parser = deps.parserOf(principal.organizationId)
  const checked = await checkText(parser, text)
  if (!checked.ok) {
    return {
      valid: false,
      warnings: await formatWarnings(parser, text, checked.textReferences),
      errors: checked.issues.map(toConfigProblem),
    }
  }
  const { issues, warnings } = await validatePlan(deps, principal, checked.document)
  const errors = (await locateIssues(parser, text, issues)).map(toConfigProblem)
  return {
    valid: errors.length === 0,
    warnings: await formatWarnings(parser, text, warnings),
    errors,
  }
}

/** Unknown variables and integrations are warnings: they may exist when the document is applied. */
const validatePlan = async (
  deps: ConfigurationDeps,
  principal: Principal,
  document: DesiredDocument,
): Promise<{ issues: Issue[]; warnings: Issue[] }> => {
  const plan = await createPlan(deps, principal, { document, isPruning: false })
  const warnings = [...plan.unknown, ...document.textReferences]
  if (plan.issues.length > 0) return { issues: plan.issues, warnings }
  const { organizationId } = principal
  const secretHashes = new Map<string, string>()
  const context = { organizationId, sealer: deps.sealer, newId, secretHashes }
  const batches = await runCooperatively(toBatches(plan, context))
  const unknown = new Set(plan.unknown.map(({ field }) => field))
  const issues = await loadBatchIssues(deps, principal, { plan, batches, mode: 'validate' })
  return { issues: issues.filter(({ field }) => !unknown.has(field)), warnings }
}
