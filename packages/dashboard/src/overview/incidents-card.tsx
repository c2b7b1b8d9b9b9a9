/** Open incidents and disrupted components. */
import type { Schemas } from '@status-page/client'
import { Link } from '@tanstack/react-router'
import { ListRow } from '../kit/list-row.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { ListCard } from './list.tsx'
import { componentStates, impactStates } from './states.ts'

type Overview = Schemas['Overview']

export const IncidentsCard = ({ incidents }: Pick<Overview, 'incidents'>) => {
  const { overview: texts, ...names } = useTexts()
  const { fill, plural, time } = useFormats()
  if (incidents === null) return null
  const { open, overdue } = incidents
  const dueOf = ({ nextUpdateAt, isUpdateOverdue }: Schemas['Incident']) =>
    nextUpdateAt &&
    fill(isUpdateOverdue ? texts.updateOverdue : texts.nextUpdate, { time: time(nextUpdateAt) })
  return (
    <ListCard
      title={texts.incidents}
      total={open.total}
      shown={open.items.length}
      aside={overdue > 0 && <strong>{plural(texts.overdue, overdue)}</strong>}
    >
      {open.items.map((incident) => (
        <ListRow
          key={incident.id}
          state={impactStates[incident.impact]}
          title={
            <Link to="/incidents/$id" params={{ id: incident.id }}>
              {incident.title}
            </Link>
          }
          facts={[
            names.incidents[incident.status],
            names.impacts[incident.impact],
            fill(texts.since, { time: time(incident.startedAt) }),
            dueOf(incident),
          ]}
        />
      ))}
    </ListCard>
  )
}

export const DisruptedComponentsCard = ({ components }: Pick<Overview, 'components'>) => {
  const { overview: texts, ...names } = useTexts()
  if (components === null || components.disrupted.length === 0) return null
  const { disrupted } = components
  return (
    <ListCard title={texts.disruptedComponents} total={disrupted.length} shown={disrupted.length}>
      {disrupted.map(({ id, name, status }) => (
        <ListRow
          key={id}
          state={componentStates[status]}
          title={
            <Link to="/components/$id" params={{ id }}>
              {name}
            </Link>
          }
          facts={[names.components[status]]}
        />
      ))}
    </ListCard>
  )
}
