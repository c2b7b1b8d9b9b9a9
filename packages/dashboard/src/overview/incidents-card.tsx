/** Open incidents and disrupted components. */
import type { Schemas } from '@status-page/client'
import { Link } from '@tanstack/react-router'
import { ListRow } from '../kit/list-row.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { ListCard } from './list.tsx'
import { useNextUpdateTexts } from './next-update-texts.ts'
import classes from './overview.module.css'
import { componentStates, impactStates } from './states.ts'

type Overview = Schemas['Overview']

export const IncidentsCard = ({ incidents }: Pick<Overview, 'incidents'>) => {
  const { overview: texts, incident: incidentTexts, ...names } = useTexts()
  const { fill, plural, time } = useFormats()
  const due = useNextUpdateTexts()
  if (incidents === null) return null
  const { open, overdue } = incidents
  return (
    <ListCard
      title={texts.incidents}
      total={open.total}
      shown={open.items.length}
      aside={
        overdue > 0 && <strong className={classes.overdue}>{plural(texts.overdue, overdue)}</strong>
      }
      none={incidentTexts.noneOpen}
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
          warning={due.warningOf(incident)}
          facts={[
            names.incidents[incident.status],
            names.impacts[incident.impact],
            fill(texts.since, { time: time(incident.startedAt) }),
            due.factOf(incident),
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
