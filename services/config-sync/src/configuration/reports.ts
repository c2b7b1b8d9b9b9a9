/** What can be said of the configuration without changing it: the export and the drift. */
import { conflict, type Drift, MAX_DOCUMENT_BYTES } from '@status-page/contracts'
import { newId, read } from '@status-page/postgres'
import { runCooperatively } from '@status-page/service'
import { findSlug } from '../organizations/store.ts'
import { resolveVariables } from '../variables/resolve.ts'
import { checkDocument } from './document.ts'
import { driftOf } from './drift.ts'
import { exportValues, type LastDocument } from './export.ts'
import { loadLive } from './live.ts'
import type { Parser } from './parser.ts'
import { type Applicant, type ConfigurationDeps, internally } from './prepare.ts'
import { readValues, variablesIn } from './reading.ts'
import { lastVersion } from './store.ts'

/** The text of a document that changes nothing when it is applied. */
export const exportDocument = async (
  deps: ConfigurationDeps,
  asker: Pick<Applicant, 'organizationId' | 'actor'>,
): Promise<string> => {
  const { live, text, last, variables, slug } = await load(deps, asker)
  const exporting = { live, last, variables, name: slug ?? 'status-page' }
  const { values, warnings } = await runCooperatively(exportValues(exporting))
  const parser = deps.parserOf(asker.organizationId)
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

export const measureDrift = async (deps: ConfigurationDeps, asker: Applicant): Promise<Drift> => {
  const { live, last, variables } = await load(deps, asker)
  return runCooperatively(driftOf({ live, document: last?.document ?? null, variables, newId }))
}

const load = async (
  deps: ConfigurationDeps,
  asker: Pick<Applicant, 'organizationId' | 'actor'>,
) => {
  const { organizationId } = asker
  const live = await loadLive(deps, internally(asker))
  const version = await read(deps.database, organizationId, lastVersion)
  const text = version?.document ?? null
  const last = text === null ? null : await lastDocument(deps.parserOf(organizationId), text)
  const names = last === null ? new Set<string>() : variablesIn(last.document)
  return read(deps.database, organizationId, async (scope) => ({
    live,
    text,
    last,
    variables: await resolveVariables(scope, names, deps),
    slug: await findSlug(scope),
  }))
}

/** Null for a document that an earlier release took and this one would not. */
const lastDocument = async (parser: Parser, text: string): Promise<LastDocument | null> => {
  const values = await readValues(parser, text)
  const judgement = await runCooperatively(checkDocument(values))
  return judgement.ok
    ? { values: values as LastDocument['values'], document: judgement.document }
    : null
}
