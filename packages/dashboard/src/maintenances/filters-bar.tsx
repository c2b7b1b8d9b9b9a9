/** Filters above the list and the calendar of maintenances. */
import { useComponentOptions } from '../components/component-options.ts'
import { Button } from '../kit/button.tsx'
import { FilterSelect } from '../kit/filter-select.tsx'
import { SearchFilter } from '../kit/search-filter.tsx'
import { Segmented } from '../kit/segmented.tsx'
import { Select } from '../kit/select.tsx'
import { useTexts } from '../texts/texts.tsx'
import {
  isFiltered,
  type MaintenanceFilters,
  maintenanceStates,
  maintenanceViews,
} from './filters.ts'
import classes from './maintenances.module.css'

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
        <SearchFilter
          label={texts.search}
          value={filters.search ?? ''}
          onChange={(search) => onChange({ search: search || undefined })}
        />
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
