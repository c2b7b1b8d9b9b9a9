/** Search in a list. */
import { SearchField as AriaSearchField, Button, Input, Label } from 'react-aria-components'
import fieldClasses from './field.module.css'
import { Icon } from './icon.tsx'
import classes from './search-field.module.css'

interface SearchFieldProps {
  label: string
  value: string
  onChange(value: string): void
}

export const SearchField = ({ label, value, onChange }: SearchFieldProps) => (
  <AriaSearchField className={fieldClasses.field} value={value} onChange={onChange} maxLength={100}>
    {({ isEmpty }) => (
      <>
        <Label className={fieldClasses.label}>{label}</Label>
        <span className={classes.group}>
          <Icon name="search" />
          <Input className={classes.input} />
          {!isEmpty && (
            <Button className={classes.clear}>
              <Icon name="cross" />
            </Button>
          )}
        </span>
      </>
    )}
  </AriaSearchField>
)
