/** Filters above a list, with the button that resets them. */
import type { ReactNode } from 'react'
import { useTexts } from '../texts/texts.tsx'
import { Button } from './button.tsx'
import classes from './filters.module.css'

interface FiltersProps {
  /** Search in a row of its own, above many filters. */
  search?: ReactNode
  isFiltered: boolean
  onReset(): void
  children: ReactNode
}

export const Filters = ({ search, isFiltered, onReset, children }: FiltersProps) => {
  const { filters: texts } = useTexts().incident
  return (
    <search className={classes.filters} aria-label={texts.label}>
      {search !== undefined && <div className={classes.search}>{search}</div>}
      {children}
      {isFiltered && (
        <Button emphasis="quiet" onPress={onReset}>
          {texts.reset}
        </Button>
      )}
    </search>
  )
}
