/** Open incidents of the same components, so that a second one is not created by mistake. */
import { useQuery } from '@tanstack/react-query'
import { Note } from '../kit/note.tsx'
import { useSession } from '../session/session.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import type { ComposedIncident } from './composed-incident.ts'
import { IncidentLink } from './incident-link.tsx'
import { openIncidentsQuery } from './queries.ts'

const MAX_SHOWN = 3

export const OpenIncidents = ({ incident }: { incident: ComposedIncident }) => {
  const { composer: texts } = useTexts()
  const { fill, list } = useFormats()
  const { can } = useSession()
  const { data } = useQuery({ ...openIncidentsQuery, enabled: can('INCIDENTS_VIEW') })
  const ids = incident.components.map(({ id }) => id)
  const same = (data?.data ?? []).filter((open) =>
    open.components.some(({ id }) => ids.includes(id)),
  )
  if (same.length === 0) return null
  const shared = same.flatMap((open) => open.components).filter(({ id }) => ids.includes(id))
  const names = [...new Set(shared.map(({ name }) => name))]
  return (
    <Note state="slow">
      {fill(texts.alreadyOpen, { names: list(names) })}
      <ul>
        {same.slice(0, MAX_SHOWN).map(({ id, title }) => (
          <li key={id}>
            <IncidentLink id={id}>
              <bdi>{title}</bdi>
            </IncidentLink>
          </li>
        ))}
      </ul>
    </Note>
  )
}
