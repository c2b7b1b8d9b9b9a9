/** Choice of components, listed with their present statuses. */
import { useQuery } from '@tanstack/react-query'
import { Button } from '../kit/button.tsx'
import { Icon, StateMark } from '../kit/icon.tsx'
import { LazyAddComboBox } from '../kit/lazy-combo-box.tsx'
import { componentStates } from '../overview/states.ts'
import { useSession } from '../session/session.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import classes from './component-picker.module.css'
import { allComponentsQuery } from './queries.ts'
import type { ComponentData } from './tree.ts'

type PickedComponent = Pick<ComponentData, 'id' | 'name' | 'status'>

interface ComponentPickerProps {
  label: string
  hint?: string
  /** Text in place of an empty list. */
  none: string
  /** Components that the resource has already, which may be deleted ones. */
  listed: readonly PickedComponent[]
  ids: readonly string[]
  error: string | undefined
  /** Components that cannot be chosen. */
  excludedIds?: readonly string[]
  isDisabled?: boolean
  onChange(ids: string[]): void
}

export const ComponentPicker = (props: ComponentPickerProps) => {
  const { label, hint, none, listed, ids, error, onChange } = props
  const { excludedIds = [], isDisabled = false } = props
  const { composer: texts } = useTexts()
  const { can } = useSession()
  const { data = [] } = useQuery({ ...allComponentsQuery, enabled: can('COMPONENTS_VIEW') })
  const known = new Map<string, PickedComponent>([...listed, ...data].map((one) => [one.id, one]))
  const others = data.filter(({ id }) => !ids.includes(id) && !excludedIds.includes(id))
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be a grid in every browser
    <div className={classes.choice} role="group" aria-label={label}>
      <span className={classes.choiceLabel}>{label}</span>
      {hint !== undefined && <p className={classes.quiet}>{hint}</p>}
      {ids.length === 0 ? (
        <p className={classes.quiet}>{none}</p>
      ) : (
        <ul className={classes.rows}>
          {ids.map((id) => (
            <PickedRow
              key={id}
              component={known.get(id) ?? { id, name: id, status: null }}
              isDisabled={isDisabled}
              onRemove={() => onChange(ids.filter((one) => one !== id))}
            />
          ))}
        </ul>
      )}
      {error !== undefined && others.length === 0 && <p className={classes.error}>{error}</p>}
      {others.length > 0 && !isDisabled && (
        <LazyAddComboBox
          label={texts.addComponent}
          error={error}
          options={others.map(({ id, name }) => ({ value: id, label: name }))}
          onChange={(id) => onChange([...ids, id])}
        />
      )}
    </div>
  )
}

interface PickedRowProps {
  /** Its status is null if the user may not read it. */
  component: Omit<PickedComponent, 'status'> & { status: PickedComponent['status'] | null }
  isDisabled: boolean
  onRemove(): void
}

const PickedRow = ({ component: { name, status }, isDisabled, onRemove }: PickedRowProps) => {
  const { composer: texts, components: names } = useTexts()
  const { fill } = useFormats()
  return (
    <li>
      <StateMark state={status === null ? 'none' : componentStates[status]} />
      <span className={classes.text}>
        <bdi>{name}</bdi>
        {status !== null && <span className={classes.quiet}>{names[status]}</span>}
      </span>
      <Button
        emphasis="quiet"
        aria-label={fill(texts.removeComponent, { name })}
        isDisabled={isDisabled}
        onPress={onRemove}
      >
        <Icon name="cross" />
      </Button>
    </li>
  )
}
