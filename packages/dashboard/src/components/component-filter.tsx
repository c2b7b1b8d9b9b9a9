/** Search and status filter of the list of components. */
import { lazy, Suspense, useEffect, useState } from 'react'
import fieldClasses from '../kit/field.module.css'
import { SearchField } from '../kit/search-field.tsx'
import { useTexts } from '../texts/texts.tsx'
import classes from './components.module.css'
import { type ComponentSearch, type StatusFilter, statusFilters } from './search.ts'

/** Loaded while the list is displayed. */
const StatusSelect = lazy(async () => {
  const { Select } = await import('../kit/select.tsx')
  return { default: Select<StatusFilter> }
})

interface ComponentFilterProps {
  search: ComponentSearch
  onChange(search: ComponentSearch): void
}

export const ComponentFilter = ({ search, onChange }: ComponentFilterProps) => {
  const texts = useTexts()
  const { filter } = texts.componentScreens
  const names: Record<StatusFilter, string> = { ...texts.components, ...filter }
  const [text, setText] = useState(search.search ?? '')
  // The address can change without the field: by the button that clears the filter, or Back.
  useEffect(() => setText(search.search ?? ''), [search.search])
  return (
    <search className={classes.filter}>
      <SearchField
        label={filter.search}
        value={text}
        onChange={(value) => {
          setText(value)
          onChange({ ...search, search: value === '' ? undefined : value })
        }}
      />
      <Suspense fallback={<Placeholder label={filter.status} />}>
        <StatusSelect
          label={filter.status}
          options={statusFilters.map((value) => ({ value, label: names[value] }))}
          value={search.status ?? 'all'}
          onChange={(status) =>
            onChange({ ...search, status: status === 'all' ? undefined : status })
          }
        />
      </Suspense>
    </search>
  )
}

/** Field of the same size. */
const Placeholder = ({ label }: { label: string }) => (
  <div className={fieldClasses.field}>
    <span className={fieldClasses.label}>{label}</span>
    <span className={fieldClasses.input} />
  </div>
)
