/** Conditions of a check: type, comparison and expected value. */
import { comparatorsOf } from '../api/contract.ts'
import type { FieldErrors } from '../api/field-errors.ts'
import { Button } from '../kit/button.tsx'
import { TextField } from '../kit/field.tsx'
import { Select } from '../kit/select.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { type CheckCondition, checkKindOf, conditionTypesOf } from './check-kinds.ts'
import { existenceExamples, newConditionOf, targetExamples } from './condition-examples.ts'
import { type ConditionDraft, newKey } from './draft.ts'
import classes from './editor.module.css'
import type { EditorProps } from './editor-props.ts'
import { RemoveButton } from './remove-button.tsx'

const MAX_CONDITIONS = 20

export const ConditionsField = ({ draft, errors, isReadOnly, onChange }: EditorProps) => {
  const { componentScreens, conditions: texts } = useTexts()
  const { test } = componentScreens
  const { conditions } = draft
  const set = (next: ConditionDraft[]) => onChange({ ...draft, conditions: next })
  const kind = checkKindOf(draft)
  const types = conditionTypesOf(kind)
  const add = () =>
    set([
      ...conditions,
      ...types.slice(0, 1).map((type) => ({ key: newKey(), ...newConditionOf(type) })),
    ])
  return (
    <>
      {conditions.length === 0 && kind === 'http' && (
        <p className={classes.quiet}>{test.noConditions}</p>
      )}
      {conditions.map((condition, index) => (
        <ConditionRow
          key={condition.key}
          condition={condition}
          index={index}
          types={types}
          errors={errors}
          isReadOnly={isReadOnly}
          onChange={(next) => set(conditions.map((one) => (one.key === next.key ? next : one)))}
          onRemove={() => set(conditions.filter(({ key }) => key !== condition.key))}
        />
      ))}
      {errors.conditions !== undefined && (
        <p className={classes.error} role="alert">
          {errors.conditions}
        </p>
      )}
      {!isReadOnly && conditions.length < MAX_CONDITIONS && (
        <p>
          <Button onPress={add}>{texts.addCondition}</Button>
        </p>
      )}
    </>
  )
}

interface ConditionRowProps {
  condition: ConditionDraft
  index: number
  /** Types that the kind of the check has. */
  types: readonly CheckCondition['type'][]
  errors: FieldErrors
  isReadOnly: boolean
  onChange(condition: ConditionDraft): void
  onRemove(): void
}

const ConditionRow = (props: ConditionRowProps) => {
  const { condition, index, types, errors, isReadOnly, onChange, onRemove } = props
  const { conditions: texts } = useTexts()
  const { fill } = useFormats()
  const { type, comparator } = condition
  const number = index + 1
  const offered = types.includes(type) ? types : [type, ...types]
  const errorAt = (field: string) => errors[`conditions[${index}].${field}`]
  const changeType = (next: CheckCondition['type']) => {
    const isKnown = comparatorsOf[next].includes(comparator)
    onChange({ ...condition, type: next, comparator: isKnown ? comparator : 'EQUALS' })
  }
  return (
    <div className={classes.condition}>
      <Select
        label={fill(texts.conditionType, { number })}
        isLabelHidden
        options={offered.map((value) => ({ value, label: texts.conditionTypes[value] }))}
        value={type}
        error={errorAt('type')}
        isDisabled={isReadOnly}
        onChange={changeType}
      />
      <Select
        label={fill(texts.comparator, { number })}
        isLabelHidden
        options={comparatorsOf[type].map((value) => ({
          value,
          label: texts.comparators[value],
        }))}
        value={comparator}
        error={errorAt('comparator')}
        isDisabled={isReadOnly}
        onChange={(next) => onChange({ ...condition, comparator: next })}
      />
      <TargetField
        condition={condition}
        number={number}
        error={errorAt('target')}
        isReadOnly={isReadOnly}
        onChange={(next) => onChange({ ...condition, target: next })}
      />
      {!isReadOnly && <RemoveButton name={fill(texts.condition, { number })} onPress={onRemove} />}
    </div>
  )
}

interface TargetFieldProps {
  condition: CheckCondition
  number: number
  error: string | undefined
  isReadOnly: boolean
  onChange(target: string): void
}

const TargetField = ({ condition, number, error, isReadOnly, onChange }: TargetFieldProps) => {
  const { conditions: texts } = useTexts()
  const { fill } = useFormats()
  const { type, comparator, target } = condition
  const isExistence = comparator === 'EXISTS' || comparator === 'NOT_EXISTS'
  const example = isExistence ? existenceExamples[type] : undefined
  return (
    <TextField
      label={fill(texts.target, { number })}
      isLabelHidden
      placeholder={example ?? targetExamples[type]}
      error={error}
      value={target}
      onChange={onChange}
      isReadOnly={isReadOnly}
      maxLength={512}
      spellCheck="false"
    />
  )
}
