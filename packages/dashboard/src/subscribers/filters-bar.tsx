/** Filters above the list of subscribers. */
import { useQuery } from '@tanstack/react-query'
import { subscriberSources, subscriberStatuses, subscriberTypes } from '../api/contract.ts'
import { statusPagesQuery } from '../api/queries.ts'
import { useComponentOptions } from '../components/component-options.ts'
import { FilterSelect } from '../kit/filter-select.tsx'
import { Filters } from '../kit/filters.tsx'
import { SearchFilter } from '../kit/search-filter.tsx'
import { useSession } from '../session/session.tsx'
import { useTexts } from '../texts/texts.tsx'
import type { SubscriberFilters } from './filters.ts'

interface FiltersBarProps {
  filters: SubscriberFilters
  onChange(patch: SubscriberFilters): void
  onReset(): void
}

export const FiltersBar = ({ filters, onChange, onReset }: FiltersBarProps) => {
  const { subscribers: texts } = useTexts()
  const search = (
    <SearchFilter
      label={texts.search}
      value={filters.search ?? ''}
      onChange={(text) => onChange({ search: text || undefined })}
    />
  )
  return (
    <Filters search={search} filters={filters} onReset={onReset}>
      <FilterSelect
        label={texts.status}
        anyLabel={texts.anyStatus}
        options={subscriberStatuses.map((value) => ({ value, label: texts.statuses[value] }))}
        value={filters.status}
        onChange={(status) => onChange({ status })}
      />
      <FilterSelect
        label={texts.type}
        anyLabel={texts.anyType}
        options={subscriberTypes.map((value) => ({ value, label: texts.types[value] }))}
        value={filters.type}
        onChange={(type) => onChange({ type })}
      />
      <FilterSelect
        label={texts.source}
        anyLabel={texts.anySource}
        options={subscriberSources.map((value) => ({ value, label: texts.sources[value] }))}
        value={filters.source}
        onChange={(source) => onChange({ source })}
      />
      <ScopeFilters filters={filters} onChange={onChange} />
    </Filters>
  )
}

const ScopeFilters = ({ filters, onChange }: Omit<FiltersBarProps, 'onReset'>) => {
  const { filters: texts } = useTexts().incident
  const { can } = useSession()
  const components = useComponentOptions()
  const { data } = useQuery({ ...statusPagesQuery, enabled: can('STATUS_PAGES_VIEW') })
  const pages = (data?.data ?? []).map(({ id, name }) => ({ value: id, label: name }))
  return (
    <>
      <FilterSelect
        label={texts.component}
        anyLabel={texts.anyComponent}
        options={components}
        isSearchable
        value={filters.component}
        onChange={(component) => onChange({ component })}
      />
      <FilterSelect
        label={texts.page}
        anyLabel={texts.anyPage}
        options={pages}
        isSearchable
        value={filters.statusPage}
        onChange={(statusPage) => onChange({ statusPage })}
      />
    </>
  )
}
