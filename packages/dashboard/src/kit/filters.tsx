/** Filters above a list, with the button that resets them. */
import type { ReactNode } from 'react'
import { useTexts } from '../texts/texts.tsx'
import { Button } from './button.tsx'
import classes from './filters.module.css'

interface FiltersProps {
  isFiltered: boolean
  onReset(): void
  children: ReactNode
}

export const Filters = ({ isFiltered, onReset, children }: FiltersProps) => {
  const { filters: texts } = useTexts().incident
  return (
    <search className={classes.filters} aria-label={texts.label}>
      {children}
      {isFiltered && (
        <Button emphasis="quiet" onPress={onReset}>
          {texts.reset}
        </Button>
      )}
    </search>
  )
}
