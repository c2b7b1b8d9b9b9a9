/** Filters above a list, with the button that resets them. A phone shows them on demand. */
import { type ReactNode, useId, useState } from 'react'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { Button } from './button.tsx'
import classes from './filters.module.css'

interface FiltersProps {
  /** Search in a row of its own, above many filters. */
  search?: ReactNode
  /** Values of the address; those that are undefined filter nothing, and the page is no filter. */
  filters: object
  onReset(): void
  children: ReactNode
}

export const Filters = ({ search, filters, onReset, children }: FiltersProps) => {
  const { filters: texts } = useTexts().incident
  const { labelled, number } = useFormats()
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  const active = Object.entries(filters).filter(
    ([name, value]) => name !== 'page' && value !== undefined,
  )
  const hidden = search === undefined ? active : active.filter(([name]) => name !== 'search')
  return (
    <search className={classes.filters} aria-label={texts.label}>
      {search}
      <div className={classes.toggle}>
        <Button aria-expanded={isOpen} aria-controls={id} onPress={() => setOpen(!isOpen)}>
          {hidden.length === 0 ? texts.label : labelled(texts.label, number(hidden.length))}
        </Button>
      </div>
      <div id={id} className={classes.fields} data-open={isOpen || undefined}>
        {children}
        {active.length > 0 && (
          <Button emphasis="quiet" onPress={onReset}>
            {texts.reset}
          </Button>
        )}
      </div>
    </search>
  )
}
