/** Statuses that an update sets: of the affected components, and of components that it adds. */
import { incidentComponentStatuses } from '../api/contract.ts'
import { LazyAddComboBox } from '../kit/lazy-combo-box.tsx'
import { Select } from '../kit/select.tsx'
import { fill } from '../texts/plural.ts'
import { useTexts } from '../texts/texts.tsx'
import classes from './incidents.module.css'
import { useKnownComponents } from './known-components.ts'
import type { IncidentDetail } from './queries.ts'
import type { AffectedStatus, UpdateInput } from './update-input.ts'

/** More components are offered like those that are not affected. */
const MAX_FIELDS = 25
const UNCHANGED = 'unchanged'

type Statuses = UpdateInput['componentStatuses']

interface ComponentStatusFieldsProps {
  incident: IncidentDetail
  statuses: Statuses
  onChange(statuses: Statuses): void
}

export const ComponentStatusFields = (props: ComponentStatusFieldsProps) => {
  const { incident, statuses: chosen, onChange } = props
  const texts = useTexts().incident
  const known = useKnownComponents(incident)
  const listed = incident.components.slice(0, MAX_FIELDS).map(({ id }) => id)
  const shown = [...new Set([...listed, ...Object.keys(chosen)])]
  const others = [...known].filter(([id]) => !shown.includes(id))
  const set = (id: string, status: AffectedStatus | typeof UNCHANGED) => {
    const { [id]: _previous, ...rest } = chosen
    onChange(status === UNCHANGED ? rest : { ...rest, [id]: status })
  }
  if (shown.length + others.length === 0) return null
  return (
    <fieldset className={classes.fieldset}>
      <legend>{texts.components}</legend>
      <div className={classes.pairs}>
        {shown.map((id) => (
          <StatusSelect
            key={id}
            name={known.get(id) ?? id}
            present={incident.components.find((component) => component.id === id)?.status}
            value={chosen[id] ?? UNCHANGED}
            onChange={(status) => set(id, status)}
          />
        ))}
        {others.length > 0 && (
          <LazyAddComboBox
            label={texts.form.moreComponents}
            options={others.map(([value, label]) => ({ value, label }))}
            onChange={(id) => set(id, 'partial_outage')}
          />
        )}
      </div>
    </fieldset>
  )
}

interface StatusSelectProps {
  name: string
  /** Absent for a component that the update adds. */
  present: IncidentDetail['components'][number]['status'] | undefined
  value: AffectedStatus | typeof UNCHANGED
  onChange(status: AffectedStatus | typeof UNCHANGED): void
}

const StatusSelect = ({ name, present, value, onChange }: StatusSelectProps) => {
  const { incident: texts, components: names } = useTexts()
  const { noChange, unchanged } = texts.form
  const label = present === undefined ? noChange : fill(unchanged, { status: names[present] })
  const options = incidentComponentStatuses.map((status) => ({
    value: status,
    label: names[status],
  }))
  return (
    <Select<AffectedStatus | typeof UNCHANGED>
      label={name}
      options={[{ value: UNCHANGED, label }, ...options]}
      value={value}
      onChange={onChange}
    />
  )
}
