/** Escalation steps of a schedule: the recipients of each step, and its delay. */
import { Button } from '../kit/button.tsx'
import { TextField } from '../kit/field.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { ChosenList } from './chosen-list.tsx'
import { useTargetNames } from './names.ts'
import classes from './on-call.module.css'
import type { StepDraft } from './schedule-draft.ts'
import { errorBelow, errorsBelow, type ScheduleFieldsProps } from './schedule-form-props.ts'

/** Minutes between a new step and the one before it. */
const STEP_MINUTES = 15

export const EscalationFields = ({ draft, errors, onChange }: ScheduleFieldsProps) => {
  const { onCall: texts } = useTexts()
  const { escalation } = draft
  const last = Number(escalation.at(-1)?.delayMinutes)
  const nextStep: StepDraft = { delayMinutes: String((last || 0) + STEP_MINUTES), targets: [] }
  return (
    <div className={classes.formBody}>
      <p className={classes.quiet}>{texts.escalationHint}</p>
      {escalation.map((step, index) => (
        <StepFields
          key={index}
          step={step}
          number={index + 1}
          errors={errorsBelow(errors, `escalation[${index}].`)}
          onChange={(changed) => onChange({ escalation: escalation.with(index, changed) })}
          onRemove={
            escalation.length > 1
              ? () => onChange({ escalation: escalation.toSpliced(index, 1) })
              : undefined
          }
        />
      ))}
      <div>
        <Button onPress={() => onChange({ escalation: [...escalation, nextStep] })}>
          {texts.addStep}
        </Button>
      </div>
    </div>
  )
}

interface StepFieldsProps {
  step: StepDraft
  number: number
  errors: Readonly<Record<string, string>>
  onChange(step: StepDraft): void
  onRemove: (() => void) | undefined
}

const StepFields = ({ step, number, errors, onChange, onRemove }: StepFieldsProps) => {
  const { onCall: texts } = useTexts()
  const { fill, labelled } = useFormats()
  const { options, nameOf } = useTargetNames()
  const title = fill(texts.stepNumber, { number })
  return (
    <fieldset className={classes.item}>
      <legend>{title}</legend>
      <div className={classes.short}>
        <TextField
          label={texts.delayMinutes}
          error={errors.delayMinutes}
          value={step.delayMinutes}
          onChange={(delayMinutes) => onChange({ ...step, delayMinutes })}
          inputMode="numeric"
        />
      </div>
      <ChosenList
        label={texts.targets}
        addLabel={texts.addTarget}
        error={errorBelow(errors, 'targets')}
        options={options}
        nameOf={nameOf}
        values={step.targets}
        onChange={(targets) => onChange({ ...step, targets })}
      />
      {onRemove !== undefined && (
        <div>
          <Button
            emphasis="danger"
            aria-label={labelled(texts.removeStep, title)}
            onPress={onRemove}
          >
            {texts.removeStep}
          </Button>
        </div>
      )}
    </fieldset>
  )
}
