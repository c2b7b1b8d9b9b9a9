/** Chosen entries in their order, and a field that adds further ones. */
import { Button } from '../kit/button.tsx'
import { Icon } from '../kit/icon.tsx'
import { LazyAddComboBox } from '../kit/lazy-combo-box.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import type { Option } from './names.ts'
import classes from './on-call.module.css'

interface ChosenListProps {
  label: string
  hint?: string
  addLabel: string
  error?: string
  options: readonly Option[]
  values: readonly string[]
  /** Name of a value that is no option; default: the value. */
  nameOf?(value: string): string
  /** Entries can be moved, and chosen several times. */
  isOrdered?: true
  onChange(values: string[]): void
}

export const ChosenList = (props: ChosenListProps) => {
  const { label, hint, addLabel, error, options, values, isOrdered, onChange } = props
  const labels = new Map(options.map((option) => [option.value, option.label]))
  const nameOf = (value: string) => labels.get(value) ?? props.nameOf?.(value) ?? value
  const others = isOrdered ? options : options.filter(({ value }) => !values.includes(value))
  const Entries = isOrdered ? 'ol' : 'ul'
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be a grid in every browser
    <div className={classes.chosen} role="group" aria-label={label}>
      <span className={classes.label}>{label}</span>
      {hint !== undefined && <span className={classes.quiet}>{hint}</span>}
      {values.length > 0 && (
        <Entries className={classes.entries}>
          {values.map((value, index) => (
            <ChosenEntry
              key={`${value} ${index}`}
              name={nameOf(value)}
              onMove={isOrdered && index > 0 ? () => onChange(movedUp(values, index)) : undefined}
              onRemove={() => onChange(values.filter((_, other) => other !== index))}
            />
          ))}
        </Entries>
      )}
      {others.length > 0 && (
        <LazyAddComboBox
          label={addLabel}
          options={others}
          error={error}
          onChange={(value) => onChange([...values, value])}
        />
      )}
    </div>
  )
}

export const movedUp = <Value,>(values: readonly Value[], index: number): Value[] => {
  const moved = [...values]
  const [value] = moved.splice(index, 1) as [Value]
  moved.splice(index - 1, 0, value)
  return moved
}

interface ChosenEntryProps {
  name: string
  onMove: (() => void) | undefined
  onRemove(): void
}

const ChosenEntry = ({ name, onMove, onRemove }: ChosenEntryProps) => {
  const { onCall: texts, actions } = useTexts()
  const { fill, labelled } = useFormats()
  return (
    <li className={classes.entry}>
      <bdi>{name}</bdi>
      {onMove !== undefined && (
        <Button emphasis="quiet" aria-label={fill(texts.moveUp, { name })} onPress={onMove}>
          <span className={classes.up}>
            <Icon name="chevron" />
          </span>
        </Button>
      )}
      <Button emphasis="quiet" aria-label={labelled(actions.remove, name)} onPress={onRemove}>
        <Icon name="cross" />
      </Button>
    </li>
  )
}
