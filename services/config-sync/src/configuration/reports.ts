/** Export and drift: read-only reports about the configuration. */
import { type ConfigDrift, conflict, MAX_DOCUMENT_BYTES } from '@status-page/contracts'
import { newId, read } from '@status-page/postgres'
import { runCooperatively } from '@status-page/service'
import { findSlug } from '../organizations/store.ts'
import { resolveVariables } from '../variables/resolve.ts'
import { sections } from './definitions/sections.ts'
import { checkDocument } from './document/document.ts'
import type { Parser } from './document/parser.ts'
import { readValues, variableNamesIn } from './document/read-document.ts'
import { exportDocumentValues, type LastDocument } from './export.ts'
import { computeDrift } from './plan/drift.ts'
import { loadLiveConfiguration } from './plan/live.ts'
import type { ConfigurationDeps, Principal } from './prepare.ts'
import { internalCallOptions } from './send-batch.ts'
import { lastVersion } from './store.ts'

/** Sections of definitions in an export. */
export type ExportCoverage = 'all sections' | 'sections of the document'

/** Returns the text of a document whose apply changes nothing. */
export const exportDocument = async (
  deps: ConfigurationDeps,
  principal: Pick<Principal, 'organizationId' | 'actor'>,
  coverage: ExportCoverage = 'all sections',
): Promise<string> => {
  const { live, text, last, variables, slug } = await loadReportInput(deps, principal)
  const included = sections.filter(
    ({ key }) => coverage === 'all sections' || last === null || last.document.sectionKeys.has(key),
  )
  const input = { live, last, variables, included, name: slug ?? 'status-page' }
  const { values, warnings } = await runCooperatively(exportDocumentValues(input))
  const parser = deps.parserOf(principal.organizationId)
  const document = await parser.write({ base: last === null ? null : text, values, warnings })
  refuseTooLong(document)
  return document
}

const KIB = 1024

const refuseTooLong = (document: string): void => {
  const bytes = Buffer.byteLength(document)
  if (bytes <= MAX_DOCUMENT_BYTES) return
  const kib = Math.ceil(bytes / KIB)
  const message = `The document would have ${kib} KiB; the maximum is ${MAX_DOCUMENT_BYTES / KIB} KiB`
  throw conflict('invalid_state', message)
}

export const reportDrift = async (
  deps: ConfigurationDeps,
  principal: Principal,
): Promise<ConfigDrift> => {
  const { live, last, variables } = await loadReportInput(deps, principal)
  return runCooperatively(
    computeDrift({ live, document: last?.document ?? null, variables, newId }),
  )
}

const loadReportInput = async (
  deps: ConfigurationDeps,
  principal: Pick<Principal, 'organizationId' | 'actor'>,
) => {
  const { organizationId } = principal
  const live = await loadLiveConfiguration(deps, internalCallOptions(principal), sections)
  const version = await read(deps.database, organizationId, lastVersion)
  const text = version?.document ?? null
  const last = text === null ? null : await lastDocument(deps.parserOf(organizationId), text)
  const names = last === null ? new Set<string>() : variableNamesIn(last.document)
  return read(deps.database, organizationId, async (scope) => ({
    live,
    text,
    last,
    variables: await resolveVariables(scope, names, deps),
    slug: await findSlug(scope),
  }))
}

/** Returns null for a document that only an earlier release accepted. */
const lastDocument = async (parser: Parser, text: string): Promise<LastDocument | null> => {
  const values = await readValues(parser, text)
  const validation = await runCooperatively(checkDocument(values))
  return validation.ok
    ? { values: values as LastDocument['values'], document: validation.document }
    : null
}
