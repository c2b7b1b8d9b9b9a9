/** Filters above the list of incidents. */
import { useQuery } from '@tanstack/react-query'
import { statusPagesQuery } from '../api/queries.ts'
import { useComponentOptions } from '../components/component-options.ts'
import { TextField } from '../kit/field.tsx'
import { FilterSelect } from '../kit/filter-select.tsx'
import { Filters } from '../kit/filters.tsx'
import { SearchFilter } from '../kit/search-filter.tsx'
import { Select } from '../kit/select.tsx'
import { useSession } from '../session/session.tsx'
import { useTexts } from '../texts/texts.tsx'
import { type IncidentFilters, incidentStates } from './filters.ts'

interface FiltersBarProps {
  filters: IncidentFilters
  onChange(patch: IncidentFilters): void
  onReset(): void
}

export const FiltersBar = ({ filters, onChange, onReset }: FiltersBarProps) => {
  const { filters: texts } = useTexts().incident
  const states = incidentStates.map((value) => ({ value, label: texts[value] }))
  return (
    <Filters filters={filters} onReset={onReset}>
      <Select
        label={texts.state}
        options={states}
        value={filters.state ?? 'open'}
        onChange={(state) => onChange({ state: state === 'open' ? undefined : state })}
      />
      <ComponentFilter filters={filters} onChange={onChange} />
      <PageFilter filters={filters} onChange={onChange} />
      <SearchFilter
        label={texts.search}
        value={filters.search ?? ''}
        onChange={(search) => onChange({ search: search || undefined })}
      />
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
    </Filters>
  )
}

const ComponentFilter = ({ filters, onChange }: Omit<FiltersBarProps, 'onReset'>) => {
  const { filters: texts } = useTexts().incident
  const options = useComponentOptions()
  return (
    <FilterSelect
      label={texts.component}
      anyLabel={texts.anyComponent}
      options={options}
      isSearchable
      value={filters.component}
      onChange={(component) => onChange({ component })}
    />
  )
}

const PageFilter = ({ filters, onChange }: Omit<FiltersBarProps, 'onReset'>) => {
  const { filters: texts } = useTexts().incident
  const { can } = useSession()
  const { data } = useQuery({ ...statusPagesQuery, enabled: can('STATUS_PAGES_VIEW') })
  const pages = data?.data ?? []
  if (pages.length < 2 && filters.statusPage === undefined) return null
  return (
    <FilterSelect
      label={texts.page}
      anyLabel={texts.anyPage}
      options={pages.map(({ id, name }) => ({ value: id, label: name }))}
      isSearchable
      value={filters.statusPage}
      onChange={(statusPage) => onChange({ statusPage })}
    />
  )
}
