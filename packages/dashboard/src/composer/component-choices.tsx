/** Components of the incident with their statuses, and texts that several components match. */
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { disruptedStatuses } from '../api/contract.ts'
import { Button } from '../kit/button.tsx'
import { AddComboBox } from '../kit/combo-box.tsx'
import { Icon, StateMark } from '../kit/icon.tsx'
import { Note } from '../kit/note.tsx'
import { Select } from '../kit/select.tsx'
import { componentStates } from '../overview/states.ts'
import { useFormats, useTexts } from '../texts/texts.tsx'
import type { ComposedComponent } from './composed-incident.ts'
import classes from './composer.module.css'
import type { StatusChoice } from './draft.ts'
import type { DraftProps } from './draft-props.ts'
import { type ComponentName, componentLabel, componentNamesQuery } from './queries.ts'

/** The least severe disruption first, because most incidents begin with it. */
const choices: readonly StatusChoice[] = [
  ...disruptedStatuses.toReversed(),
  'operational',
  'unchanged',
]

const DEFAULT_CHOICE = 'degraded_performance'

export const ComponentChoices = (props: DraftProps & { error?: string }) => {
  const { draft, incident, onChange, error } = props
  const { composer: texts } = useTexts()
  const { data, isError } = useQuery(componentNamesQuery)
  const listed = incident.components.map(({ id }) => id)
  // The focus of a removed row would move to the button that closes the dialog.
  const [removals, setRemovals] = useState(0)
  const add = (id: string) =>
    onChange({
      statuses: { ...draft.statuses, [id]: DEFAULT_CHOICE },
      removedIds: draft.removedIds.filter((removed) => removed !== id),
    })
  const others = useOptionsWithout(listed.toSorted().join(), data)
  return (
    <section className={classes.affected} aria-label={texts.affected}>
      {isError && data === undefined && <Note state="part">{texts.componentsFailed}</Note>}
      {incident.components.length === 0 ? (
        <p className={classes.quiet}>{texts.noneAffected}</p>
      ) : (
        <ul className={classes.rows} aria-label={texts.affected}>
          {incident.components.map((component) => (
            <ComponentRow
              key={component.id}
              {...props}
              component={component}
              onRemove={() => setRemovals(removals + 1)}
            />
          ))}
        </ul>
      )}
      {error !== undefined && (
        <Note state="down" role="alert">
          {error}
        </Note>
      )}
      {others.length > 0 && (
        <AddComboBox
          key={removals}
          autoFocus={removals > 0}
          label={texts.addComponent}
          isLabelHidden
          options={others}
          onChange={add}
        />
      )}
    </section>
  )
}

/** The same ones until another component is listed: others would be rendered with each key. */
const useOptionsWithout = (keyOfListed: string, known: readonly ComponentName[] | undefined) =>
  useMemo(() => {
    const listed = keyOfListed.split(',')
    return (known ?? [])
      .filter(({ id }) => !listed.includes(id))
      .map((one) => ({ value: one.id, label: componentLabel(one) }))
  }, [keyOfListed, known])

interface ComponentRowProps extends DraftProps {
  component: ComposedComponent
  /** A touch needs no focus, and a field with the focus opens the keyboard of the phone. */
  onRemove(): void
}

const ComponentRow = ({
  draft,
  onChange,
  component: { id, name, status },
  onRemove,
}: ComponentRowProps) => {
  const { composer: texts, components } = useTexts()
  const { fill } = useFormats()
  const { [id]: _removed, ...otherStatuses } = draft.statuses
  return (
    <li className={classes.row}>
      <StateMark state={status === 'unchanged' ? 'none' : componentStates[status]} />
      <bdi className={classes.name}>{name}</bdi>
      <div className={classes.status}>
        <Select
          label={fill(texts.statusOf, { name })}
          isLabelHidden
          options={choices.map((value) => ({
            value,
            label: value === 'unchanged' ? texts.unchanged : components[value],
          }))}
          value={status}
          onChange={(value) => onChange({ statuses: { ...draft.statuses, [id]: value } })}
        />
      </div>
      <Button
        emphasis="quiet"
        aria-label={fill(texts.removeComponent, { name })}
        onPress={({ pointerType }) => {
          if (pointerType !== 'touch') onRemove()
          onChange({ statuses: otherStatuses, removedIds: [...draft.removedIds, id] })
        }}
      >
        <Icon name="cross" />
      </Button>
    </li>
  )
}

export const AmbiguousNames = ({ draft, incident, onChange }: DraftProps) => {
  const { composer: texts } = useTexts()
  const { fill } = useFormats()
  const { data } = useQuery(componentNamesQuery)
  const choose = (text: string, id: string) =>
    onChange({
      chosenIds: { ...draft.chosenIds, [text]: id },
      removedIds: draft.removedIds.filter((removed) => removed !== id),
    })
  return incident.ambiguous.map(({ text, candidateIds }) => (
    <fieldset key={text} className={classes.choice}>
      <legend>{fill(texts.ambiguous, { text })}</legend>
      <div className={classes.chips}>
        {candidateIds.slice(0, MAX_CANDIDATES).map((id) => (
          <Button key={id} emphasis="chip" onPress={() => choose(text, id)}>
            <bdi>{componentLabel(data?.find((one) => one.id === id) ?? unknown)}</bdi>
          </Button>
        ))}
      </div>
    </fieldset>
  ))
}

/** More candidates than a user can compare: the text is then completed instead. */
const MAX_CANDIDATES = 8
const unknown: ComponentName = { id: '', name: '', parentName: null }
