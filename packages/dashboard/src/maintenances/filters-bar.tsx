/** Filters above the list and the calendar of maintenances. */
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { allComponentsQuery } from '../components/queries.ts'
import { Button } from '../kit/button.tsx'
import { SearchField } from '../kit/search-field.tsx'
import { Segmented } from '../kit/segmented.tsx'
import { Select } from '../kit/select.tsx'
import { useSession } from '../session/session.tsx'
import { useTexts } from '../texts/texts.tsx'
import {
  isFiltered,
  type MaintenanceFilters,
  maintenanceStates,
  maintenanceViews,
} from './filters.ts'
import classes from './maintenances.module.css'

/** Pause in the input after which the list is searched. */
const SEARCH_AFTER_MS = 300

interface FiltersBarProps {
  filters: MaintenanceFilters
  onChange(patch: MaintenanceFilters): void
}

export const FiltersBar = ({ filters, onChange }: FiltersBarProps) => {
  const { filters: texts, views } = useTexts().maintenance
  const { view = 'list', state = 'upcoming' } = filters
  return (
    <div className={classes.bar}>
      <Segmented
        label={views.label}
        options={maintenanceViews.map((value) => ({ value, label: views[value] }))}
        value={view}
        onChange={(chosen) => onChange({ view: chosen === 'list' ? undefined : chosen })}
      />
      <search className={classes.filters} aria-label={texts.label}>
        {view === 'list' && (
          <Select
            label={texts.state}
            options={maintenanceStates.map((value) => ({ value, label: texts[value] }))}
            value={state}
            onChange={(chosen) => onChange({ state: chosen === 'upcoming' ? undefined : chosen })}
          />
        )}
        <ComponentFilter filters={filters} onChange={onChange} />
        <SearchFilter search={filters.search} onChange={onChange} />
        {isFiltered(filters) && (
          <Button
            emphasis="quiet"
            onPress={() => onChange({ component: undefined, search: undefined })}
          >
            {texts.reset}
          </Button>
        )}
      </search>
    </div>
  )
}

const ANY = 'any'

const ComponentFilter = ({ filters, onChange }: FiltersBarProps) => {
  const { filters: texts } = useTexts().maintenance
  const { can } = useSession()
  const { data } = useQuery({ ...allComponentsQuery, enabled: can('COMPONENTS_VIEW') })
  const options = (data ?? []).map(({ id, name }) => ({ value: id, label: name }))
  return (
    <Select
      label={texts.component}
      options={[{ value: ANY, label: texts.anyComponent }, ...options]}
      value={filters.component ?? ANY}
      onChange={(id) => onChange({ component: id === ANY ? undefined : id })}
    />
  )
}

interface SearchFilterProps extends Pick<FiltersBarProps, 'onChange'> {
  search: string | undefined
}

/** Text whose present value is searched after a pause. */
const SearchFilter = ({ search = '', onChange }: SearchFilterProps) => {
  const { filters: texts } = useTexts().maintenance
  const [text, setText] = useState(search)
  // The address also changes by a reset and by the history of the browser.
  useEffect(() => setText(search), [search])
  useEffect(() => {
    if (text === search) return
    const timer = setTimeout(() => onChange({ search: text || undefined }), SEARCH_AFTER_MS)
    return () => clearTimeout(timer)
  }, [text, search, onChange])
  return <SearchField label={texts.search} value={text} onChange={setText} />
}
