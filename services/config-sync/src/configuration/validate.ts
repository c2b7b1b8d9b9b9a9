/** What would stand against a document. Nothing is changed, no name is looked up. */
import type { Issue, Validated } from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import { runCooperatively } from '@status-page/service'
import { batchesOf } from './batches.ts'
import { checkDocument, type WantedDocument } from './document.ts'
import { type Applicant, type ConfigurationDeps, ownersIssues, planFor } from './prepare.ts'
import { locate, problemOf, readValues, warningsOf } from './reading.ts'

export const validateDocument = async (
  deps: ConfigurationDeps,
  asker: Applicant,
  text: string,
): Promise<Validated> => {
  const parser = deps.parserOf(asker.organizationId)
  const judgement = await runCooperatively(checkDocument(await readValues(parser, text)))
  const { issues, warnings } = judgement.ok
    ? await validatePlan(deps, asker, judgement.document)
    : { issues: judgement.issues, warnings: [] }
  const errors = (await locate(parser, text, issues)).map(problemOf)
  return {
    valid: errors.length === 0,
    warnings: await warningsOf(parser, text, warnings),
    errors,
  }
}

/** What nobody knows yet may be known when the document is applied. */
const validatePlan = async (
  deps: ConfigurationDeps,
  asker: Applicant,
  document: WantedDocument,
): Promise<{ issues: Issue[]; warnings: Issue[] }> => {
  const plan = await planFor(deps, asker, document, false)
  const warnings = [...plan.unknown, ...document.textReferences]
  if (plan.issues.length > 0) return { issues: plan.issues, warnings }
  const { organizationId } = asker
  const making = { organizationId, sealer: deps.sealer, newId }
  const batches = await runCooperatively(batchesOf(plan, making))
  const unknown = new Set(plan.unknown.map(({ field }) => field))
  const issues = await ownersIssues(deps, asker, { plan, batches, mode: 'judge' })
  return { issues: issues.filter(({ field }) => !unknown.has(field)), warnings }
}
