/** Search and status filter of the list of components. */
import { memo, useEffect, useState } from 'react'
import fieldClasses from '../kit/field.module.css'
import { SearchField } from '../kit/search-field.tsx'
import { lazyPart } from '../modules/lazy-part.tsx'
import { useTexts } from '../texts/texts.tsx'
import classes from './components.module.css'
import { type ComponentSearch, type StatusFilter, statusFilters } from './search.ts'

interface ComponentFilterProps {
  search: ComponentSearch
  onChange(search: ComponentSearch): void
}

/** The library renders all options of its select, also while it is closed. */
export const ComponentFilter = memo(({ search, onChange }: ComponentFilterProps) => {
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
      <StatusSelect
        label={filter.status}
        options={statusFilters.map((value) => ({ value, label: names[value] }))}
        value={search.status ?? 'all'}
        onChange={(status) =>
          onChange({ ...search, status: status === 'all' ? undefined : status })
        }
      />
    </search>
  )
})

/** Field of the same size. */
const Placeholder = ({ label }: { label: string }) => (
  <div className={fieldClasses.field}>
    <span className={fieldClasses.label}>{label}</span>
    <span className={fieldClasses.input} />
  </div>
)

const StatusSelect = lazyPart(
  async () => (await import('../kit/select.tsx')).Select<StatusFilter>,
  Placeholder,
)
