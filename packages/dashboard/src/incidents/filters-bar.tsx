/** Filters above the list of incidents. */
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { componentsQuery, statusPagesQuery } from '../api/queries.ts'
import { Button } from '../kit/button.tsx'
import { TextField } from '../kit/field.tsx'
import { Select } from '../kit/select.tsx'
import { useSession } from '../session/session.tsx'
import { useTexts } from '../texts/texts.tsx'
import { type IncidentFilters, incidentStates, isFiltered } from './filters.ts'
import classes from './incidents.module.css'

/** Pause in the input after which the list is searched. */
const SEARCH_AFTER_MS = 300
const MAX_SEARCH = 100

interface FiltersBarProps {
  filters: IncidentFilters
  onChange(patch: IncidentFilters): void
  onReset(): void
}

export const FiltersBar = ({ filters, onChange, onReset }: FiltersBarProps) => {
  const { filters: texts } = useTexts().incident
  const states = incidentStates.map((value) => ({ value, label: texts[value] }))
  return (
    <search className={classes.filters} aria-label={texts.label}>
      <Select
        label={texts.state}
        options={states}
        value={filters.state ?? 'open'}
        onChange={(state) => onChange({ state: state === 'open' ? undefined : state })}
      />
      <ComponentFilter filters={filters} onChange={onChange} />
      <PageFilter filters={filters} onChange={onChange} />
      <SearchFilter search={filters.search} onChange={onChange} />
      <TextField
        type="date"
        label={texts.from}
        value={filters.from ?? ''}
        onChange={(from) => onChange({ from: from || undefined })}
      />
      <TextField
        type="date"
        label={texts.to}
        value={filters.to ?? ''}
        onChange={(to) => onChange({ to: to || undefined })}
      />
      {(isFiltered(filters) || filters.state !== undefined) && (
        <Button emphasis="quiet" onPress={onReset}>
          {texts.reset}
        </Button>
      )}
    </search>
  )
}

const ANY = 'any'

const ComponentFilter = ({ filters, onChange }: Omit<FiltersBarProps, 'onReset'>) => {
  const { filters: texts } = useTexts().incident
  const { can } = useSession()
  const { data } = useQuery({ ...componentsQuery, enabled: can('COMPONENTS_VIEW') })
  const components = data?.data ?? []
  const options = components.map(({ id, name }) => ({ value: id, label: name }))
  return (
    <Select
      label={texts.component}
      options={[{ value: ANY, label: texts.anyComponent }, ...options]}
      value={filters.component ?? ANY}
      onChange={(id) => onChange({ component: id === ANY ? undefined : id })}
    />
  )
}

const PageFilter = ({ filters, onChange }: Omit<FiltersBarProps, 'onReset'>) => {
  const { filters: texts } = useTexts().incident
  const { can } = useSession()
  const { data } = useQuery({ ...statusPagesQuery, enabled: can('STATUS_PAGES_VIEW') })
  const pages = data?.data ?? []
  if (pages.length < 2 && filters.statusPage === undefined) return null
  const options = pages.map(({ id, name }) => ({ value: id, label: name }))
  return (
    <Select
      label={texts.page}
      options={[{ value: ANY, label: texts.anyPage }, ...options]}
      value={filters.statusPage ?? ANY}
      onChange={(id) => onChange({ statusPage: id === ANY ? undefined : id })}
    />
  )
}

interface SearchFilterProps extends Pick<FiltersBarProps, 'onChange'> {
  search: string | undefined
}

/** Text whose present value is searched after a pause. */
const SearchFilter = ({ search = '', onChange }: SearchFilterProps) => {
  const { filters: texts } = useTexts().incident
  const [text, setText] = useState(search)
  // The address also changes by a reset and by the history of the browser.
  useEffect(() => setText(search), [search])
  useEffect(() => {
    if (text === search) return
    const timer = setTimeout(() => onChange({ search: text || undefined }), SEARCH_AFTER_MS)
    return () => clearTimeout(timer)
  }, [text, search, onChange])
  return (
    <TextField
      type="search"
      label={texts.search}
      value={text}
      onChange={setText}
      maxLength={MAX_SEARCH}
    />
  )
}
