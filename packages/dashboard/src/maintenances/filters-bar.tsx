/** Filters above the list and the calendar of maintenances. */
import { useComponentOptions } from '../components/component-options.ts'
import { FilterSelect } from '../kit/filter-select.tsx'
import { Filters } from '../kit/filters.tsx'
import { SearchFilter } from '../kit/search-filter.tsx'
import { Segmented } from '../kit/segmented.tsx'
import { Select } from '../kit/select.tsx'
import { useTexts } from '../texts/texts.tsx'
import { type MaintenanceFilters, maintenanceStates, maintenanceViews } from './filters.ts'
import classes from './maintenances.module.css'

interface FiltersBarProps {
  filters: MaintenanceFilters
  onChange(patch: MaintenanceFilters): void
}

export const FiltersBar = ({ filters, onChange }: FiltersBarProps) => {
  const { filters: texts, views } = useTexts().maintenance
  const { view = 'list', state, component, search } = filters
  const isList = view === 'list'
  return (
    <div className={classes.bar}>
      <Segmented
        label={views.label}
        options={maintenanceViews.map((value) => ({ value, label: views[value] }))}
        value={view}
        onChange={(chosen) => onChange({ view: chosen === 'list' ? undefined : chosen })}
      />
      <Filters
        filters={{ state: isList ? state : undefined, component, search }}
        onReset={() => onChange({ state: undefined, component: undefined, search: undefined })}
      >
        {isList && (
          <Select
            label={texts.state}
            options={maintenanceStates.map((value) => ({ value, label: texts[value] }))}
            value={state ?? 'upcoming'}
            onChange={(chosen) => onChange({ state: chosen === 'upcoming' ? undefined : chosen })}
          />
        )}
        <ComponentFilter filters={filters} onChange={onChange} />
        <SearchFilter
          label={texts.search}
          value={search ?? ''}
          onChange={(text) => onChange({ search: text || undefined })}
        />
      </Filters>
    </div>
  )
}

const ComponentFilter = ({ filters, onChange }: FiltersBarProps) => {
  const { filters: texts } = useTexts().maintenance
  return (
    <FilterSelect
      label={texts.component}
      anyLabel={texts.anyComponent}
      options={useComponentOptions()}
      isSearchable
      value={filters.component}
      onChange={(component) => onChange({ component })}
    />
  )
}
