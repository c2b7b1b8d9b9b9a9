/** Differences between the live state and the last applied document. Pure. */
import type {
  ConfigDrift,
  ConfigResourceType,
  Cooperative,
  DriftReason,
} from '@status-page/contracts'
import type { DesiredDocument } from '../document/document.ts'
import { coveredDefinitions, unlistedDefinitions } from './covered-definitions.ts'
import type { LiveConfiguration } from './live.ts'
import { planChanges } from './plan.ts'

export interface DriftInput {
  /** Last applied document; null before the first apply. */
  document: DesiredDocument | null
  live: LiveConfiguration
  variables: ReadonlyMap<string, string>
  newId: () => string
}

export function* computeDrift(input: DriftInput): Cooperative<ConfigDrift> {
  const { live, document } = input
  const covered = coveredDefinitions(live.definitions, document)
  const all = [...live.components, ...live.integrations, ...covered]
  const managedByConfig = all.filter(({ isManaged }) => isManaged).length
  return {
    totalResources: all.length,
    managedByConfig,
    manuallyCreated: all.length - managedByConfig,
    drift: [
      ...(document === null ? [] : yield* driftFromDocument({ ...input, document })),
      ...notInDocument(input),
    ],
  }
}

const entry = (
  resource: { resourceType: ConfigResourceType; resourceName: string },
  reason: DriftReason,
  fields: string[],
): ConfigDrift['drift'][number] => {
  const { resourceType, resourceName } = resource
  return { resourceType, resourceName, reason, fields }
}

/**
 * Changes that an apply of the same document would make. A variable that is not set any more is no
 * difference.
 */
function* driftFromDocument(
  input: DriftInput & { document: DesiredDocument },
): Cooperative<ConfigDrift['drift']> {
  const { summary, issues } = yield* planChanges({
    ...input,
    isPruning: false,
    formerGroups: new Set<string>(),
  })
  const { components, integrations, definitions } = input.document
  const desired = [
    ...components.map(({ path, name, isGroup }) => {
      return { path, name, type: isGroup ? ('component_group' as const) : ('component' as const) }
    }),
    ...integrations.map(({ path, name }) => ({ path, name, type: 'integration' as const })),
    ...definitions.map(({ path, name, section }) => ({ path, name, type: section.resourceType })),
  ]
  const fields = new Set(issues.map(({ field }) => field))
  const otherTypes = desired.filter(({ path }) => fields.has(`${path}.type`))
  return [
    ...summary.created.map((one) => entry(one, 'missing_in_system', [])),
    ...summary.updated.map((one) => entry(one, 'modified', one.fields)),
    ...otherTypes.map(({ name, type }) =>
      entry({ resourceType: type, resourceName: name }, 'modified', ['type']),
    ),
  ]
}

/** Resources that are absent from the document. */
const notInDocument = ({ live, document }: DriftInput): ConfigDrift['drift'] => {
  const components = new Set(document?.components.map(({ name }) => name))
  const integrations = new Set(document?.integrations.map(({ name }) => name))
  const parents = new Set(live.components.map(({ parentId }) => parentId))
  const typeOf = ({ id, type }: LiveConfiguration['components'][number]) =>
    type === 'SERVICE' && parents.has(id) ? ('component_group' as const) : ('component' as const)
  return [
    ...live.components
      .filter(({ name }) => !components.has(name))
      .map((one) =>
        entry({ resourceType: typeOf(one), resourceName: one.name }, 'not_in_config', []),
      ),
    ...live.integrations
      .filter(({ name }) => !integrations.has(name))
      .map(({ name }) =>
        entry({ resourceType: 'integration', resourceName: name }, 'not_in_config', []),
      ),
    ...unlistedDefinitions(coveredDefinitions(live.definitions, document), document).map(
      ({ section: { resourceType }, name }) =>
        entry({ resourceType, resourceName: name }, 'not_in_config', []),
    ),
  ]
}
