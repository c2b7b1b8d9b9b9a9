/**
 * Reads the documents of a Statuspage into the input of an import. Pure; ids are those of the
 * source.
 */
import {
  type Cooperative,
  MAX_PAGE_COMPONENTS,
  type StatuspageDocuments,
  type StatuspageReport,
} from '@status-page/contracts'
import { mapCooperatively } from '@status-page/service'
import { componentsOf, type SourceComponentInput } from './components.ts'
import { distinct } from './distinct.ts'
import {
  incidentOf,
  maintenanceOf,
  type SourceIncidentInput,
  type SourceMaintenanceInput,
} from './incidents.ts'
import { type ConvertedTexts, Normalizer } from './normalizer.ts'
import { pageOf, type SourcePageInput } from './page.ts'
import { type SourceTemplateInput, templateOf } from './templates.ts'

export interface ImportedDocuments {
  /** Null without a page in the documents. */
  page: SourcePageInput | null
  components: SourceComponentInput[]
  incidents: SourceIncidentInput[]
  maintenances: SourceMaintenanceInput[]
  templates: SourceTemplateInput[]
  warnings: StatuspageReport['warnings']
}

type Source = NonNullable<StatuspageDocuments['incidents']>[number]

/** `texts` has the conversions of all texts of the documents. */
export function* readDocuments(
  documents: StatuspageDocuments,
  texts: ConvertedTexts,
  now: Date,
): Cooperative<ImportedDocuments> {
  const normalizer = new Normalizer(now, texts)
  const lists = (['incidents', 'scheduled_maintenances'] as const).flatMap((list) =>
    (documents[list] ?? []).map((source, index) => ({ source, field: `${list}[${index}]` })),
  )
  // Selects maintenances, which the v1 list of incidents includes.
  const isMaintenance = ({ source }: { source: Source }) =>
    source.impact === 'maintenance' || (source.scheduled_for ?? null) !== null
  const page = documents.page === undefined ? null : pageOf(documents.page, normalizer)
  const components = componentsOf(documents, normalizer)
  const topLevel = components.filter(({ parentSourceId }) => parentSourceId === null)
  if (page !== null && topLevel.length > MAX_PAGE_COMPONENTS)
    normalizer.warn('components', `are on the page up to the number of ${MAX_PAGE_COMPONENTS}`)
  const { metrics = [], incident_templates: templates = [] } = documents
  if (metrics.length > 0)
    normalizer.warn(
      'metrics',
      `are not imported (${metrics.length}): metrics need an integration here`,
    )
  yield
  const incidents = lists.filter((item) => !isMaintenance(item))
  const maintenances = lists.filter(isMaintenance)
  return {
    page,
    components,
    incidents: distinct(
      yield* mapCooperatively(incidents, (incident) => incidentOf(incident, normalizer)),
    ),
    maintenances: distinct(
      yield* mapCooperatively(maintenances, (maintenance) =>
        maintenanceOf(maintenance, normalizer),
      ),
    ),
    templates: distinct(
      templates.flatMap(
        (template, index) => templateOf(template, `incident_templates[${index}]`, normalizer) ?? [],
      ),
    ),
    warnings: normalizer.warnings,
  }
}
